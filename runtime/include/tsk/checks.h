// The checks of a launcher, in the order in which they are written. The first that fails decides
// the result, and nothing is launched. Messages say which kernel, what was asked and what was seen:
//
//   tma_copy: requires cols % COLS == 0 (cols = 100, COLS = 128)
#pragma once

#include <tsk/integer.h>
#include <tsk/status.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tsk {

class launch_checks {
public:
  struct named {
    const char *name;
    integer value;
  };

  explicit launch_checks(const char *kernel) : kernel_(kernel) {}

  // Decided: a check failed, or a dimension is zero and there is nothing to do.
  bool is_decided() const { return is_empty_ || !result_; }
  const status &result() const { return result_; }

  // An extent of a tensor: 0 … 2^31 - 1.
  void dimension(const char *name, i64 value) {
    if (value < 0 || value > INT32_MAX)
      fail("dimension " + std::string(name) + " is " + std::to_string(value) +
           "; it must be 0 .. 2^31 - 1");
    is_empty_ |= value == 0;
  }

  // A `requires` clause, as it was written.
  void requirement(truth condition, const char *text, std::initializer_list<named> values) {
    if (!holds(condition))
      fail("requires " + std::string(text) + list(values));
  }

  // A 32-bit loop variable passes its upper bound by up to one step.
  void loop(const char *variable, integer upper, integer step) {
    if (!holds(upper + step <= INT32_MAX))
      fail("the loop over " + std::string(variable) + " up to " + upper.text() + " in steps of " +
           step.text() + " leaves the range of a 32-bit integer");
  }

  // A tensor of `elements` × `element_bytes` from `data` on; `alignment` in bytes.
  enum access { reads, writes };
  void tensor(const char *name, const void *data, access how, unsigned alignment, integer elements,
              unsigned element_bytes) {
    const integer bytes = elements * element_bytes;
    pointer(name, data, alignment);
    if (!bytes.is_valid())
      return fail(std::string(name) + " has a size that is beyond 64 bits");
    const extent added{name, reinterpret_cast<std::uintptr_t>(data),
                       static_cast<std::uintptr_t>(bytes.value()), how == writes};
    for (const extent &other : extents_)
      if ((added.is_written || other.is_written) && added.begin < other.begin + other.bytes &&
          other.begin < added.begin + added.bytes)
        return fail(std::string(other.name) + " and " + name +
                    " overlap in memory, and the kernel writes one of them");
    extents_.push_back(added);
  }

  // A stride, in elements, of a tensor that is not packed.
  void stride(const char *tensor, int dimension, integer value) {
    if (!holds(value >= 0))
      fail("the stride of " + std::string(tensor) + " in dimension " + std::to_string(dimension) +
           " is " + value.text() + "; it must not be negative");
  }

  // A pointer whose extent is not known.
  void pointer(const char *name, const void *value, unsigned alignment) {
    if (!value)
      return fail(std::string(name) + " is a null pointer");
    if (reinterpret_cast<std::uintptr_t>(value) % alignment != 0)
      fail(std::string(name) + " is not aligned to " + std::to_string(alignment) + " bytes");
  }

  // An extent of the grid, in CTAs; 1 if it is not one.
  unsigned grid(char axis, integer ctas) {
    const i64 limit = axis == 'x' ? INT32_MAX : 65535;
    if (holds(ctas >= 1 && ctas <= limit))
      return static_cast<unsigned>(ctas.value());
    fail(std::string("the grid's extent in ") + axis + " is " + ctas.text() + "; it must be 1 .. " +
         std::to_string(limit));
    return 1;
  }

  void require(status outcome) {
    if (result_ && !outcome)
      result_ = status(outcome.code(), kernel_ + (": " + outcome.message()));
  }

private:
  struct extent {
    const char *name;
    std::uintptr_t begin, bytes;
    bool is_written;
  };

  void fail(const std::string &why) { require(status::invalid_argument(why)); }

  static std::string list(std::initializer_list<named> values) {
    std::string text;
    for (const named &item : values)
      text += (text.empty() ? " (" : ", ") + std::string(item.name) + " = " + item.value.text();
    return text.empty() ? text : text + ")";
  }

  std::string kernel_;
  status result_;
  bool is_empty_ = false;
  std::vector<extent> extents_;
};

} // namespace tsk
