// What TMA asks of a tensor before a map can describe it, in words; the same for a GPU and for the
// simulator. Lists are outermost first, in elements.
#pragma once

#include <tsk/integer.h>
#include <tsk/status.h>

#include <cstdint>
#include <string>

namespace tsk {

enum class swizzle { none, b32, b64, b128 };

namespace detail {

// From one element of the dimension to the next, in bytes.
inline integer pitch_of(const integer *strides, int dimension, unsigned element_bytes) {
  return strides[dimension] * element_bytes;
}

inline status check_map(const char *tensor, const void *pointer, unsigned element_bytes, int rank,
                        const integer *dims, const integer *strides) {
  const auto refuse = [&](const std::string &why) {
    return status::invalid_argument(tensor + (" " + why));
  };
  if (!pointer || reinterpret_cast<std::uintptr_t>(pointer) % 16 != 0)
    return refuse("is not at an address that is a multiple of 16; TMA needs one");
  for (int d = 0; d < rank; ++d)
    if (!holds(dims[d] >= 1 && dims[d] <= i64(1) << 32))
      return refuse("has an extent of " + dims[d].text() + " in dimension " + std::to_string(d) +
                    "; TMA needs 1 .. 2^32");
  if (!holds(strides[rank - 1] == 1))
    return refuse("has an innermost stride of " + strides[rank - 1].text() + "; TMA needs 1");
  for (int d = 0; d + 1 < rank; ++d) {
    const integer pitch = pitch_of(strides, d, element_bytes);
    if (!holds(pitch >= 0 && pitch % 16 == 0 && pitch < i64(1) << 40))
      return refuse("has a pitch of " + pitch.text() + (pitch.is_valid() ? " bytes" : "") +
                    " in dimension " + std::to_string(d) +
                    "; TMA needs a multiple of 16 below 2^40");
  }
  return {};
}

} // namespace detail

} // namespace tsk
