// `1 result`, `2 results`: a number and what it counts, in a message.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace tsk {

struct Count {
  uint64_t number;
  std::string_view noun; // its plural ends with an s
};

} // namespace tsk

template <> struct fmt::formatter<tsk::Count> : fmt::formatter<std::string_view> {
  template <typename Context> auto format(const tsk::Count &count, Context &context) const {
    return fmt::format_to(context.out(), "{} {}{}", count.number, count.noun,
                          count.number == 1 ? "" : "s");
  }
};
