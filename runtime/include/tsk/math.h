// Small functions of integers and floats that schedules and bodies use.
#pragma once

#include <tsk/macros.h>

namespace tsk {

template <typename T> TSK_HOST_DEVICE constexpr T min(T a, T b) { return b < a ? b : a; }
template <typename T> TSK_HOST_DEVICE constexpr T max(T a, T b) { return a < b ? b : a; }
// Of integers; rounds towards positive infinity.
template <typename T> TSK_HOST_DEVICE constexpr T ceil_div(T a, T b) { return a / b + (a % b > 0); }

} // namespace tsk
