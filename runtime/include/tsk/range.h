// What a launcher knows of an integer that each CTA computes for itself: the least and the greatest
// value that it can have. Operands are taken to vary independently of each other, so a range may be
// wider than what the CTAs compute, never narrower.
#pragma once

#include <tsk/integer.h>

#include <initializer_list>

namespace tsk {

class range {
public:
  range(integer value) : low_(value), high_(value) {}
  template <typename T, typename = std::enable_if_t<is_whole<T>>>
  range(T value) : range(integer(value)) {}
  range(integer low, integer high) : low_(low), high_(high) {
    if (!low.is_valid() || !high.is_valid())
      low_ = high_ = integer::invalid();
  }

  integer low() const { return low_; }
  integer high() const { return high_; }
  bool is_valid() const { return low_.is_valid(); }
  bool is_single() const { return holds(low_ == high_); }

  friend range operator+(range a, range b) { return {a.low_ + b.low_, a.high_ + b.high_}; }
  friend range operator-(range a, range b) { return {a.low_ - b.high_, a.high_ - b.low_}; }
  friend range operator*(range a, range b) {
    return hull({a.low_ * b.low_, a.low_ * b.high_, a.high_ * b.low_, a.high_ * b.high_});
  }
  // Each is monotone in both operands where the divisor keeps its sign.
  friend range operator/(range a, range b) {
    return quotients(a, b, [](integer x, integer y) { return x / y; });
  }
  friend range ceil_div(range a, range b) {
    return quotients(a, b, [](integer x, integer y) { return ceil_div(x, y); });
  }
  friend range operator%(range a, range b) {
    if (has_zero(b))
      return integer::invalid();
    if (a.is_single() && b.is_single())
      return a.low_ % b.low_;
    const integer most = max(max(-b.low_, b.high_) - 1, 0);
    return {select(a.low_ < 0, max(-most, a.low_), 0), select(a.high_ > 0, min(most, a.high_), 0)};
  }
  // Bits change below the highest that one of the operands has.
  friend range operator^(range a, range b) {
    if (a.is_single() && b.is_single())
      return a.low_ ^ b.low_;
    integer beyond = 1;
    for (integer bound : {a.low_, a.high_, b.low_, b.high_})
      while (holds(max(bound, ~bound) >= beyond))
        beyond = beyond * 2;
    const bool is_negative = holds(min(a.low_, b.low_) < 0);
    return {is_negative ? -beyond : integer(0), beyond - 1};
  }
  friend range operator-(range a) { return {-a.high_, -a.low_}; }
  friend range operator~(range a) { return {~a.high_, ~a.low_}; }

  // Unknown where it holds for some values and not for others.
  friend truth operator<(range a, range b) { return agreed(a.high_ < b.low_, a.low_ < b.high_); }
  friend truth operator<=(range a, range b) { return agreed(a.high_ <= b.low_, a.low_ <= b.high_); }
  friend truth operator>(range a, range b) { return b < a; }
  friend truth operator>=(range a, range b) { return b <= a; }
  friend truth operator==(range a, range b) {
    return agreed(a.is_single() && b.is_single() && a.low_ == b.low_,
                  a.low_ <= b.high_ && b.low_ <= a.high_);
  }
  friend truth operator!=(range a, range b) { return !(a == b); }

  static range hull(std::initializer_list<range> items) {
    range all = *items.begin();
    for (range item : items)
      all = {min(all.low_, item.low_), max(all.high_, item.high_)};
    return all;
  }

private:
  // `always`: for every value; `sometimes`: for one at least.
  static truth agreed(truth always, truth sometimes) {
    return always ? truth(true) : holds(!sometimes) ? truth(false) : truth::unknown();
  }

  // A divisor that can be 0 leaves nothing: some CTA would divide by it.
  static bool has_zero(range b) { return holds(b.low_ <= 0 && b.high_ >= 0); }

  template <typename Divide> static range quotients(range a, range b, Divide divide) {
    range all = integer::invalid();
    bool any = false;
    if (has_zero(b))
      return all;
    for (integer divisor : {b.low_, integer(-1), integer(1), b.high_}) {
      if (!holds(divisor >= b.low_ && divisor <= b.high_))
        continue;
      const range part = hull({divide(a.low_, divisor), divide(a.high_, divisor)});
      all = any ? hull({all, part}) : part;
      any = true;
    }
    return all;
  }

  integer low_, high_;
};

// Its definition above is found only by way of an argument's type, without `tsk::` before it.
range ceil_div(range a, range b);

namespace detail {
template <typename A, typename B>
using range_of =
    std::enable_if_t<std::is_same<A, range>::value || std::is_same<B, range>::value, range>;
} // namespace detail

template <typename A, typename B> detail::range_of<A, B> select(truth condition, A a, B b) {
  if (!condition.is_known())
    return range::hull({range(a), range(b)});
  return condition ? range(a) : range(b);
}
inline range min(range a, range b) { return {min(a.low(), b.low()), min(a.high(), b.high())}; }
inline range max(range a, range b) { return {max(a.low(), b.low()), max(a.high(), b.high())}; }

// In an unsigned type T, as C++ converts.
template <typename T> range as(range value) {
  const range converted(as<T>(value.low()), as<T>(value.high()));
  if (holds(value.low() == converted.low() && value.high() == converted.high()))
    return value;
  return sizeof(T) == sizeof(i64) ? range(integer::invalid())
                                  : range(0, static_cast<i64>(std::numeric_limits<T>::max()));
}

} // namespace tsk
