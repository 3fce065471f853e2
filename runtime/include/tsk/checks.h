// The checks of a launcher, in the order in which they are written. The first that fails decides
// the result, and nothing is launched. Messages say which kernel, what was asked and what was seen:
//
//   tma_copy: requires cols % COLS == 0 (cols = 100, COLS = 128)
#pragma once

#include <tsk/range.h>
#include <tsk/status.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace tsk {

class launch_checks {
public:
  struct named {
    const char *name;
    integer value;
  };

  explicit launch_checks(const char *kernel) : kernel_(kernel) {}

  // Decided: a check failed, or nothing is to do, since the grid or all that is written is empty.
  bool is_decided() const {
    return !result_ || is_grid_empty_ || (writes_ != 0 && empty_writes_ == writes_);
  }
  const status &result() const { return result_; }

  // An extent of a tensor: 0 … 2^31 - 1.
  void dimension(const char *name, integer value) {
    if (!holds(value >= 0 && value <= INT32_MAX))
      fail("dimension " + std::string(name) + " is " + value.text() + "; it must be 0 .. 2^31 - 1");
  }

  // A `requires` clause, as it was written.
  void requirement(truth condition, const char *text, std::initializer_list<named> values) {
    if (!holds(condition))
      fail("requires " + std::string(text) + list(values));
  }

  // What the kernel computes in T has the value there that it has here: `text` is the expression.
  // This and the loops below come after the grid: where that is empty, nothing is computed.
  template <typename T> void computes(const char *text, range value) {
    if (is_grid_empty_)
      return;
    if (!value.is_valid())
      fail(std::string(text) + " cannot be computed: it divides by zero or is beyond 64 bits");
    else if (!fits<T>(value))
      fail(std::string(text) + (value.is_single() ? " is " : " may be ") +
           (fits<T>(value.high()) ? value.low() : value.high()).text() +
           ", which the kernel computes in " + bits<T>());
  }

  // A loop's variable, a T, passes its upper bound by up to one step.
  template <typename T> void loop(const char *variable, range upper, range step) {
    if (check_step(variable, step.low()) && !fits<T>((upper + step).high()))
      leaves_range<T>(variable, " up to ", upper.high(), step.high());
  }
  // One that counts down starts from what it computes of the difference and passes its lower bound.
  template <typename T>
  void reversed_loop(const char *variable, range lower, range upper, range step) {
    if (check_step(variable, step.low()) &&
        !(fits<T>(lower - step) && fits<T>(upper - lower) && fits<T>(upper - lower - step)))
      leaves_range<T>(variable, " down to ", lower.low(), step.high());
  }

  // A tensor of these extents from `data` on, row by row; `alignment` in bytes. Nothing of an empty
  // one is touched, wherever it is.
  enum access { reads, writes };
  void tensor(const char *name, const void *data, access how, unsigned alignment,
              std::initializer_list<integer> dims, unsigned element_bytes) {
    integer elements = 1;
    for (integer dim : dims)
      elements = elements * dim;
    if (!check_extents(name, dims, how))
      region(name, data, how, alignment, elements * element_bytes);
  }
  // With a stride a dimension, in elements: from the first element to the last one.
  void tensor(const char *name, const void *data, access how, unsigned alignment,
              std::initializer_list<integer> dims, std::initializer_list<integer> strides,
              unsigned element_bytes) {
    integer last = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const integer stride = strides.begin()[d];
      if (!holds(stride >= 0))
        return fail("the stride of " + std::string(name) + " in dimension " + std::to_string(d) +
                    " is " + stride.text() + "; it must not be negative");
      last = last + (dims.begin()[d] - 1) * stride;
    }
    if (!check_extents(name, dims, how))
      region(name, data, how, alignment, (last + 1) * element_bytes);
  }

  // A pointer whose extent is not known.
  void pointer(const char *name, const void *value, access how, unsigned alignment) {
    writes_ += how == writes;
    address(name, value, alignment);
  }

  // An extent of the grid, in CTAs, of which a cluster has so many; 1 if it is not one.
  unsigned grid(char axis, integer ctas, int cluster = 1) {
    const i64 limit = axis == 'x' ? INT32_MAX : 65535;
    if (!holds(ctas >= 0 && ctas <= limit)) {
      fail(std::string("the grid's extent in ") + axis + " is " + ctas.text() +
           "; it must be 0 .. " + std::to_string(limit));
      return 1;
    }
    if (ctas.value() % cluster != 0) {
      fail(std::string("the grid's extent in ") + axis + " is " + ctas.text() +
           ", not a multiple of the " + std::to_string(cluster) + " CTAs that a cluster has there");
      return 1;
    }
    is_grid_empty_ |= ctas.value() == 0;
    return static_cast<unsigned>(ctas.value());
  }

  // Whether all is well so far.
  bool require(const status &outcome) {
    if (result_ && !outcome)
      result_ = status(outcome.code(), kernel_ + (": " + outcome.message()));
    return result_.ok();
  }

private:
  struct extent {
    const char *name;
    std::uintptr_t begin, bytes;
    bool is_written;
  };

  void fail(const std::string &why) { require(status::invalid_argument(why)); }

  template <typename T> static bool fits(range value) {
    return fits<T>(value.low()) && fits<T>(value.high());
  }
  template <typename T> static bool fits(integer value) {
    if (sizeof(T) == sizeof(i64))
      return value.is_valid() && (std::is_signed<T>::value || value.value() >= 0);
    return holds(value >= static_cast<i64>(std::numeric_limits<T>::min()) &&
                 value <= static_cast<i64>(std::numeric_limits<T>::max()));
  }
  template <typename T> static std::string bits() {
    return std::to_string(8 * sizeof(T)) + " bits" + (std::is_signed<T>::value ? "" : " unsigned");
  }

  // Whether the loop's range is to be looked at.
  bool check_step(const char *variable, integer step) {
    if (is_grid_empty_ || holds(step >= 1))
      return !is_grid_empty_;
    fail("the step of the loop over " + std::string(variable) + " is " + step.text() +
         "; it must be positive");
    return false;
  }
  template <typename T>
  void leaves_range(const char *variable, const char *to, integer bound, integer step) {
    fail("the loop over " + std::string(variable) + to + bound.text() + " in steps of " +
         step.text() + " leaves the range of its variable, which has " + bits<T>());
  }

  // Whether that is all that can be said: an extent is wrong or zero.
  bool check_extents(const char *name, std::initializer_list<integer> dims, access how) {
    bool is_empty = false;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const integer dim = dims.begin()[d];
      if (!holds(dim >= 0 && dim <= INT32_MAX)) {
        fail("dimension " + std::to_string(d) + " of " + name + " is " + dim.text() +
             "; it must be 0 .. 2^31 - 1");
        return true;
      }
      is_empty |= dim.value() == 0;
    }
    writes_ += how == writes;
    empty_writes_ += how == writes && is_empty;
    return is_empty;
  }

  void region(const char *name, const void *data, access how, unsigned alignment, integer bytes) {
    address(name, data, alignment);
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

  void address(const char *name, const void *value, unsigned alignment) {
    if (!value)
      return fail(std::string(name) + " is a null pointer");
    if (reinterpret_cast<std::uintptr_t>(value) % alignment != 0)
      fail(std::string(name) + " is not aligned to " + std::to_string(alignment) + " bytes");
  }

  static std::string list(std::initializer_list<named> values) {
    std::string text;
    for (const named &item : values)
      text += (text.empty() ? " (" : ", ") + std::string(item.name) + " = " + item.value.text();
    return text.empty() ? text : text + ")";
  }

  std::string kernel_;
  status result_;
  bool is_grid_empty_ = false;
  unsigned writes_ = 0, empty_writes_ = 0; // tensors and pointers that the kernel writes
  std::vector<extent> extents_;
};

} // namespace tsk
