// Copies without shared memory: one element a thread and step, four vectors a thread and step, and
// one pass over contiguous chunks.
#include "hand.h"
#include "ptx.cuh"

namespace hand {

__global__ void __launch_bounds__(256)
k_scalar_copy(const float *__restrict__ a, float *__restrict__ b, int n) {
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    b[i] = a[i];
}

__global__ void __launch_bounds__(256)
k_vector_copy(const float4 *__restrict__ a, float4 *__restrict__ b, int n) {
  const int step = gridDim.x * 256;
  int i = blockIdx.x * 256 + threadIdx.x;
  for (; i + 3 * step < n; i += 4 * step) {
    const float4 x0 = a[i], x1 = a[i + step], x2 = a[i + 2 * step], x3 = a[i + 3 * step];
    b[i] = x0;
    b[i + step] = x1;
    b[i + 2 * step] = x2;
    b[i + 3 * step] = x3;
  }
  for (; i < n; i += step)
    b[i] = a[i];
}

__global__ void __launch_bounds__(512)
k_chunk_copy(const float4 *__restrict__ a, float4 *__restrict__ b, int n) {
  const int i = blockIdx.x * 2048 + threadIdx.x;
  if (i + 3 * 512 < n) {
    const float4 x0 = a[i], x1 = a[i + 512], x2 = a[i + 1024], x3 = a[i + 1536];
    b[i] = x0;
    b[i + 512] = x1;
    b[i + 1024] = x2;
    b[i + 1536] = x3;
  } else {
    for (int k = i; k < n; k += 512)
      b[k] = a[k];
  }
}

int scalar_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  k_scalar_copy<<<multiprocessors() * 8, 256, 0, stream>>>((const float *)src, (float *)dst,
                                                           rows * cols);
  return (int)cudaGetLastError();
}

int vector_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  k_vector_copy<<<multiprocessors() * 8, 256, 0, stream>>>((const float4 *)src, (float4 *)dst,
                                                           rows * cols / 4);
  return (int)cudaGetLastError();
}

int chunk_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  const int n = rows * cols / 4;
  k_chunk_copy<<<(n + 2047) / 2048, 512, 0, stream>>>((const float4 *)src, (float4 *)dst, n);
  return (int)cudaGetLastError();
}

} // namespace hand
