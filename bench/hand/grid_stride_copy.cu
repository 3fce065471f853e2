// Copies without shared memory: one element a thread and step, four vectors a thread and step, and
// a thread for each vector.
#include "hand.h"
#include "ptx.cuh"

namespace hand {

__global__ void __launch_bounds__(256)
    k_scalar_copy(const float *__restrict__ a, float *__restrict__ b, int n) {
  const int step = gridDim.x * 256;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += step)
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

__global__ void __launch_bounds__(256)
    k_one_pass_copy(const float4 *__restrict__ a, float4 *__restrict__ b, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    b[i] = a[i];
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

int one_pass_copy(const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  const int n = rows * cols / 4;
  k_one_pass_copy<<<(n + 255) / 256, 256, 0, stream>>>((const float4 *)src, (float4 *)dst, n);
  return (int)cudaGetLastError();
}

} // namespace hand
