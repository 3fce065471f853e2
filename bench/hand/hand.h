// Kernels written by hand, with the schedules of the samples: what generated code is measured
// against. Each returns 0 or a CUDA error.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace hand {

// samples/copy_ws: persistent, a warp loads 128×64 boxes of 16-bit elements by TMA, four warps
// store them. `stages` is 1, 2, 4 or 8.
int copy_ws(int stages, const void *src, void *dst, int rows, int cols, cudaStream_t stream);

// samples/tma_copy: a CTA a 128 columns of 16-bit elements, walks down in boxes of 64 rows.
int tma_copy(int stages, const void *src, void *dst, int rows, int cols, cudaStream_t stream);

// samples/grid_stride_copy, 32-bit elements.
int scalar_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream);
int vector_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream);
int one_pass_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream);

} // namespace hand
