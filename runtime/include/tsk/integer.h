// Integers for launchers: 64 bits that know when they are wrong. An overflow or a division by zero
// makes a value invalid, and a condition on an invalid value neither holds nor fails to hold; so a
// check that could not be computed never passes, and no argument makes a launcher itself fault.
#pragma once

#include <tsk/types.h>

#include <limits>
#include <string>
#include <type_traits>

namespace tsk {

class truth {
public:
  template <typename T, typename = std::enable_if_t<std::is_same<T, bool>::value>>
  truth(T value) : value_(value) {}
  static truth unknown() { return truth(); }

  bool is_known() const { return known_; }
  explicit operator bool() const { return known_ && value_; }

  friend truth operator!(truth a) { return a.known_ ? truth(!a.value_) : unknown(); }
  friend truth operator&&(truth a, truth b) {
    if (a.is_false() || b.is_false())
      return truth(false);
    return a.known_ && b.known_ ? truth(true) : unknown();
  }
  friend truth operator||(truth a, truth b) { return !(!a && !b); }
  // A constant condition beside one: the built-in operators would be as good a match.
  friend truth operator&&(truth a, bool b) { return a && truth(b); }
  friend truth operator&&(bool a, truth b) { return truth(a) && b; }
  friend truth operator||(truth a, bool b) { return a || truth(b); }
  friend truth operator||(bool a, truth b) { return truth(a) || b; }
  friend truth operator==(truth a, truth b) {
    return a.known_ && b.known_ ? truth(a.value_ == b.value_) : unknown();
  }
  friend truth operator!=(truth a, truth b) { return !(a == b); }

private:
  truth() : known_(false) {}
  bool is_false() const { return known_ && !value_; }

  bool value_ = false;
  bool known_ = true;
};

// For `if (!holds(…))`: what is not known does not hold, and its negation does not either.
inline bool holds(truth condition) { return static_cast<bool>(condition); }
// What is not known may hold, and its negation may too.
inline bool may_hold(truth condition) { return !holds(!condition); }

template <typename T>
constexpr bool is_whole = std::is_integral<T>::value && !std::is_same<T, bool>::value;

class integer {
public:
  template <typename T, typename = std::enable_if_t<is_whole<T>>>
  integer(T value)
      : value_(static_cast<i64>(value)), valid_(std::is_signed<T>::value || value_ >= 0) {}
  static integer invalid() { return integer(); }

  bool is_valid() const { return valid_; }
  i64 value() const { return value_; }
  // NaN if it is not valid: no comparison with it holds.
  template <typename T, typename = std::enable_if_t<std::is_floating_point<T>::value>>
  explicit operator T() const {
    return valid_ ? static_cast<T>(value_) : std::numeric_limits<T>::quiet_NaN();
  }
  std::string text() const { return valid_ ? std::to_string(value_) : "beyond 64 bits"; }

  friend integer operator+(integer a, integer b) {
    i64 r;
    return both(a, b) && !__builtin_add_overflow(a.value_, b.value_, &r) ? r : invalid();
  }
  friend integer operator-(integer a, integer b) {
    i64 r;
    return both(a, b) && !__builtin_sub_overflow(a.value_, b.value_, &r) ? r : invalid();
  }
  friend integer operator*(integer a, integer b) {
    i64 r;
    return both(a, b) && !__builtin_mul_overflow(a.value_, b.value_, &r) ? r : invalid();
  }
  friend integer operator/(integer a, integer b) {
    return divides(a, b) ? a.value_ / b.value_ : invalid();
  }
  friend integer operator%(integer a, integer b) {
    return divides(a, b) ? a.value_ % b.value_ : invalid();
  }
  friend integer operator^(integer a, integer b) {
    return both(a, b) ? a.value_ ^ b.value_ : invalid();
  }
  friend integer operator-(integer a) { return integer(0) - a; }
  friend integer operator~(integer a) { return a.valid_ ? ~a.value_ : invalid(); }

  friend truth operator==(integer a, integer b) { return known(a, b, a.value_ == b.value_); }
  friend truth operator!=(integer a, integer b) { return known(a, b, a.value_ != b.value_); }
  friend truth operator<(integer a, integer b) { return known(a, b, a.value_ < b.value_); }
  friend truth operator<=(integer a, integer b) { return known(a, b, a.value_ <= b.value_); }
  friend truth operator>(integer a, integer b) { return known(a, b, a.value_ > b.value_); }
  friend truth operator>=(integer a, integer b) { return known(a, b, a.value_ >= b.value_); }

private:
  integer() : value_(0), valid_(false) {}
  static bool both(integer a, integer b) { return a.valid_ && b.valid_; }
  static truth known(integer a, integer b, bool value) {
    return both(a, b) ? truth(value) : truth::unknown();
  }
  static bool divides(integer a, integer b) {
    return both(a, b) && b.value_ != 0 && !(b.value_ == -1 && a.value_ == INT64_MIN);
  }

  i64 value_;
  bool valid_;
};

// In an unsigned type T, as C++ converts: -1 is the greatest value of 32 bits. In 64 it would be
// beyond those of an integer.
template <typename T> integer as(integer value) {
  static_assert(std::is_unsigned<T>::value, "only conversions to unsigned types change values");
  if (!value.is_valid() || (sizeof(T) == sizeof(i64) && value.value() < 0))
    return integer::invalid();
  return static_cast<T>(value.value());
}

inline integer select(truth condition, integer a, integer b) {
  if (!condition.is_known())
    return integer::invalid();
  return condition ? a : b;
}
inline truth select(truth condition, truth a, truth b) {
  if (!condition.is_known())
    return a.is_known() && b.is_known() && bool(a) == bool(b) ? a : truth::unknown();
  return condition ? a : b;
}
template <typename A, typename B> auto select_real(truth condition, A a, B b) -> decltype(a + b) {
  if (!condition.is_known())
    return std::numeric_limits<decltype(a + b)>::quiet_NaN();
  return condition ? a : b;
}
inline integer min(integer a, integer b) { return select(a < b, a, b); }
inline integer max(integer a, integer b) { return select(a < b, b, a); }
inline integer ceil_div(integer a, integer b) {
  return a / b + select(a % b != 0 && (a % b > 0) == (b > 0), 1, 0);
}

} // namespace tsk
