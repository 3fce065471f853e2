// Joins pieces of text and numbers. The machine links into users' test programs, so it brings no
// formatting library along.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace tsk::sim {

namespace detail {
inline void append(std::string &out, std::string_view piece) { out += piece; }
inline void append(std::string &out, char piece) { out += piece; }
template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, char> && !std::is_same_v<T, bool>)
void append(std::string &out, T number) {
  out += std::to_string(number);
}
} // namespace detail

template <typename... Pieces> std::string cat(const Pieces &...pieces) {
  std::string out;
  (detail::append(out, pieces), ...);
  return out;
}

// "1 thread", "2 threads"
template <typename T> std::string count(T number, std::string_view noun) {
  return cat(number, " ", noun, number == 1 ? "" : "s");
}

} // namespace tsk::sim
