// A row-major tensor on the host, with a copy on the device while kernels run.
#pragma once

#include <tsk/host.h>
#include <tsk/test/element.h>
#include <tsk/test/report.h>

#include <limits>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace tsk::test {

template <typename T> class tensor {
public:
  tensor(const char *name, std::vector<i64> dims) : name_(name), dims_(std::move(dims)) {
    size_ = 1;
    for (i64 extent : dims_)
      if (extent > 0 && size_ > std::numeric_limits<i64>::max() / extent / i64(sizeof(T)))
        throw std::bad_alloc();
      else
        size_ *= extent;
    data_.reset(new T[static_cast<std::size_t>(size_) + 1]); // one more: see at()
    poison();
  }
  tensor(tensor &&) = default;
  tensor(const tensor &) = delete;

  const std::string &name() const { return name_; }
  const std::vector<i64> &dims() const { return dims_; }
  i64 dim(std::size_t i) const { return i < dims_.size() ? dims_[i] : 1; }
  std::size_t rank() const { return dims_.size(); }
  i64 size() const { return size_; }
  T *data() const { return data_.get(); }
  T &operator[](i64 i) const { return data_[static_cast<std::size_t>(i)]; }

  // x(i, j)
  template <typename... Index> T &operator()(Index... index) const {
    const i64 indices[] = {static_cast<i64>(index)...};
    return at(indices, sizeof...(Index));
  }

  void poison() const {
    auto *bytes = reinterpret_cast<unsigned char *>(data_.get());
    for (std::size_t i = 0; i < byte_count(); ++i)
      bytes[i] = poison_byte(i);
  }
  template <typename N> void fill(N value) const {
    for (i64 i = 0; i < size_; ++i)
      (*this)[i] = from_number<T>(value);
  }
  void fill_index() const {
    for (i64 i = 0; i < size_; ++i)
      (*this)[i] = index_value<T>(static_cast<std::uint64_t>(i));
  }
  void fill_random(std::uint64_t seed) const {
    for (i64 i = 0; i < size_; ++i)
      (*this)[i] = random_value<T>(random_bits(seed, static_cast<std::uint64_t>(i)));
  }

  // Before and after a launch.
  status upload() {
    const auto count = static_cast<std::size_t>(size_);
    device_ = std::make_unique<device_buffer<T>>();
    if (status s = device_->allocate(count); !s)
      return s;
#ifdef TSK_SIMULATOR
    sim::name_memory(device_->data(), name_.c_str());
#endif
    return device_->upload(data_.get(), count);
  }
  status download() const {
    return device_->download(data_.get(), static_cast<std::size_t>(size_));
  }
  // Whether the device holds what was uploaded.
  status unchanged(bool &same) const {
    std::unique_ptr<T[]> now(new T[static_cast<std::size_t>(size_) + 1]);
    status s = device_->download(now.get(), static_cast<std::size_t>(size_));
    same = !s || std::memcmp(now.get(), data_.get(), byte_count()) == 0;
    return s;
  }
  T *device() const { return device_->data(); }

private:
  std::size_t byte_count() const { return static_cast<std::size_t>(size_) * sizeof(T); }

  // An index outside is reported, and given an element that nobody reads.
  T &at(const i64 *indices, std::size_t count) const {
    i64 position = 0;
    bool inside = count == dims_.size();
    for (std::size_t d = 0; inside && d < count; ++d) {
      inside = indices[d] >= 0 && indices[d] < dims_[d];
      position = position * dims_[d] + indices[d];
    }
    if (inside)
      return (*this)[position];
    if (!has_bad_index_) {
      std::string text;
      for (std::size_t d = 0; d < count; ++d)
        text += (d == 0 ? "" : ", ") + std::to_string(indices[d]);
      fail({}, "index out of bounds in the test: " + name_ + "(" + text + ")");
    }
    has_bad_index_ = true;
    return (*this)[size_];
  }

  std::string name_;
  std::vector<i64> dims_;
  i64 size_ = 0;
  std::unique_ptr<T[]> data_;
  std::unique_ptr<device_buffer<T>> device_; // from the first upload on
  mutable bool has_bad_index_ = false;
};

} // namespace tsk::test
