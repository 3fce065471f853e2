// What stands before the bodies that are read: CUDA, the runtime, and what only the reader needs.
#pragma once

#include "cuda_runtime.h"

#include <tsk/device.cuh>

namespace tsk::reading {

// A stage of a field that TMA knows: which of the two a work needs is what the reader finds out.
template <typename T, int... Dims> struct field : smem_tile<T, Dims...>, tma_tile<T, Dims...> {};

} // namespace tsk::reading
