// Comparisons. The report names the first element that differs, how many do, and by how much.
#pragma once

#include <tsk/test/tensor.h>

#include <cmath>
#include <cstdio>

namespace tsk::test {

namespace detail {

template <typename T> std::string show(const T &x) {
  char text[40];
  if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>)
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(x));
  else if constexpr (std::is_integral_v<T>)
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(x));
  else
    std::snprintf(text, sizeof text, "%.9g", to_double(x));
  return text +
         std::string(is_poison(x) ? " (never written, or computed from memory that was not)" : "");
}

inline std::string show_dims(const std::vector<i64> &dims) {
  std::string text;
  for (std::size_t d = 0; d < dims.size(); ++d)
    text += (d == 0 ? "" : " x ") + std::to_string(dims[d]);
  return text;
}

inline std::string show_index(const std::vector<i64> &dims, i64 position) {
  std::string text;
  for (std::size_t d = dims.size(); d-- > 0; position /= dims[d])
    text = std::to_string(position % dims[d]) + (text.empty() ? "" : ", ") + text;
  return "(" + text + ")";
}

template <typename A, typename B>
bool have_equal_shapes(where at, const char *text, const tensor<A> &a, const tensor<B> &b) {
  if (a.dims() == b.dims())
    return true;
  fail(at, std::string("expect ") + text + ": " + a.name() + " is " + show_dims(a.dims()) + ", " +
               b.name() + " is " + show_dims(b.dims()));
  return false;
}

// Reports the elements for which `is_right` is false.
template <typename A, typename B, typename Rule>
void compare(where at, const char *text, const tensor<A> &a, const tensor<B> &b, Rule is_right) {
  if (!have_equal_shapes(at, text, a, b))
    return;
  i64 wrong = 0, first = 0;
  double largest = 0;
  for (i64 i = 0; i < a.size(); ++i) {
    if (is_right(a[i], b[i]))
      continue;
    if (wrong++ == 0)
      first = i;
    const double difference = distance(a[i], b[i]);
    if (difference > largest) // false for NaN
      largest = difference;
  }
  if (wrong == 0)
    return;
  std::string words = std::string("expect ") + text + ": " + std::to_string(wrong) + " of " +
                      std::to_string(a.size()) + " elements differ\n  first at " +
                      show_index(a.dims(), first) + ": " + a.name() + " is " + show(a[first]) +
                      ", " + b.name() + " is " + show(b[first]);
  if (is_same_number(a[first], b[first]))
    words += " (equal as numbers; `close(a, b)` compares numbers)";
  if (largest > 0)
    words += "\n  largest difference " + show(largest);
  fail(at, words);
}

} // namespace detail

// Exact. Of one type: the same bits, so -0 and 0 differ. Of two: the same number. NaN equals
// nothing.
template <typename A, typename B>
void expect_equal(where at, const char *text, const tensor<A> &a, const tensor<B> &b) {
  detail::compare(at, text, a, b, [](const A &x, const B &y) {
    if (to_double(x) != to_double(x) || to_double(y) != to_double(y))
      return false;
    if constexpr (std::is_same_v<A, B>)
      return std::memcmp(&x, &y, sizeof x) == 0;
    else
      return is_same_number(x, y);
  });
}

// |a - b| <= atol + rtol * |b|. NaN is never close; infinities are close to themselves only.
template <typename A, typename B>
void expect_close(where at, const char *text, const tensor<A> &a, const tensor<B> &b, double rtol,
                  double atol) {
  detail::compare(at, text, a, b, [=](const A &left, const B &right) {
    const double x = to_double(left), y = to_double(right);
    if (std::isinf(x) || std::isinf(y))
      return x == y;
    return distance(left, right) <= atol + rtol * std::fabs(y); // false for NaN
  });
}

} // namespace tsk::test
