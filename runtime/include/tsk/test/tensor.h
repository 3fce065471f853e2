// A tensor on the host, with a copy on the device while kernels run.
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

// Row-major, or as its strides say, which count elements. What then lies between its rows is
// nobody's: a kernel must leave it as it is.
template <typename T> class tensor {
public:
  tensor(const char *name, std::vector<i64> dims, std::vector<i64> strides = {})
      : name_(name), dims_(std::move(dims)), strides_(std::move(strides)) {
    size_ = 1;
    for (i64 extent : dims_)
      if (extent > 0 && size_ > most() / extent)
        throw std::bad_alloc();
      else
        size_ *= extent;
    measure();
    data_.reset(new T[static_cast<std::size_t>(span_) + 1]); // one more: see at()
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
  // Of all elements, in the order of their indices.
  T &operator[](i64 i) const { return data_[static_cast<std::size_t>(is_packed_ ? i : place(i))]; }

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
    const auto count = static_cast<std::size_t>(span_);
    device_ = std::make_unique<device_buffer<T>>();
    if (status s = device_->allocate(count); !s)
      return s;
#ifdef TSK_SIMULATOR
    sim::name_memory(device_->data(), name_.c_str());
#endif
    return device_->upload(data_.get(), count);
  }
  // `stray`: the first place between the rows that has changed, or -1.
  status download(i64 &stray) const {
    const auto count = static_cast<std::size_t>(span_);
    const std::vector<T> before(data_.get(), data_.get() + (is_packed_ ? 0 : count));
    status s = device_->download(data_.get(), count);
    stray = s && !is_packed_ ? find_stray(before.data()) : -1;
    return s;
  }
  // Whether the device holds what was uploaded.
  status unchanged(bool &same) const {
    std::unique_ptr<T[]> now(new T[static_cast<std::size_t>(span_) + 1]);
    status s = device_->download(now.get(), static_cast<std::size_t>(span_));
    same = !s || std::memcmp(now.get(), data_.get(), byte_count()) == 0;
    return s;
  }
  T *device() const { return device_->data(); }

private:
  static constexpr i64 most() { return std::numeric_limits<i64>::max() / i64(sizeof(T)); }
  std::size_t byte_count() const { return static_cast<std::size_t>(span_) * sizeof(T); }

  // How much memory the elements reach over. The launcher refuses negative strides: nothing is
  // touched then, and any memory will do.
  void measure() {
    if (size_ == 0)
      return;
    bool is_usable = strides_.size() == dims_.size();
    std::vector<i64> packed(dims_.size(), 1);
    for (std::size_t d = dims_.size(); d-- > 0;) {
      is_usable = is_usable && strides_[d] >= 0;
      if (d > 0)
        packed[d - 1] = packed[d] * dims_[d];
    }
    if (!is_usable)
      strides_ = packed;
    is_packed_ = strides_ == packed;
    span_ = size_;
    if (is_packed_)
      return;
    span_ = 1;
    for (std::size_t d = 0; d < dims_.size(); ++d)
      if (dims_[d] > 1 && strides_[d] > (most() - span_) / (dims_[d] - 1))
        throw std::bad_alloc();
      else
        span_ += (dims_[d] - 1) * strides_[d];
  }

  // Where element i of all lies.
  i64 place(i64 i) const {
    if (i < 0 || i >= size_)
      return span_; // of at()
    i64 at = 0;
    for (std::size_t d = dims_.size(); d-- > 0; i /= dims_[d])
      at += i % dims_[d] * strides_[d];
    return at;
  }

  i64 find_stray(const T *before) const {
    std::vector<bool> is_element(static_cast<std::size_t>(span_));
    for (i64 i = 0; i < size_; ++i)
      is_element[static_cast<std::size_t>(place(i))] = true;
    for (std::size_t at = 0; at < is_element.size(); ++at)
      if (!is_element[at] && std::memcmp(&before[at], &data_[at], sizeof(T)) != 0)
        return static_cast<i64>(at);
    return -1;
  }

  // An index outside is reported, and given an element that nobody reads.
  T &at(const i64 *indices, std::size_t count) const {
    i64 place = 0;
    bool inside = size_ > 0 && count == dims_.size();
    for (std::size_t d = 0; inside && d < count; ++d) {
      inside = indices[d] >= 0 && indices[d] < dims_[d];
      place += indices[d] * strides_[d];
    }
    if (inside)
      return data_[static_cast<std::size_t>(place)];
    if (!has_bad_index_) {
      std::string text;
      for (std::size_t d = 0; d < count; ++d)
        text += (d == 0 ? "" : ", ") + std::to_string(indices[d]);
      fail({}, "index out of bounds in the test: " + name_ + "(" + text + ")");
    }
    has_bad_index_ = true;
    return data_[static_cast<std::size_t>(span_)];
  }

  std::string name_;
  std::vector<i64> dims_, strides_;
  i64 size_ = 0;
  i64 span_ = 0; // elements of memory from the first to the last
  bool is_packed_ = true;
  std::unique_ptr<T[]> data_;
  std::unique_ptr<device_buffer<T>> device_; // from the first upload on
  mutable bool has_bad_index_ = false;
};

} // namespace tsk::test
