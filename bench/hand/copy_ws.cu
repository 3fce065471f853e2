// One producer warp (2D TMA loads of 128×64 boxes, 16 KiB) and four consumer warps (16-byte loads
// from shared memory, 16-byte stores), persistent over tiles.
#include "hand.h"
#include "ptx.cuh"

namespace hand {

template <int S>
__global__ void __launch_bounds__(160)
    k_copy_ws(const __grid_constant__ CUtensorMap map, char *__restrict__ b, int rows, int cols) {
  extern __shared__ __align__(1024) uint8_t sm[];
  __shared__ __align__(8) uint64_t fullb[S], emptyb[S];
  const int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S; ++i) {
      mbar_init(smem_u32(&fullb[i]), 1);
      mbar_init(smem_u32(&emptyb[i]), 4);
    }
    fence_mbar_init();
  }
  __syncthreads();
  const int tn = cols / 64, nt = (rows / 128) * tn;
  int s = 0;
  uint32_t ph = 0;
  if (w == 0) {
    if (lane == 0)
      for (int t = blockIdx.x; t < nt; t += gridDim.x) {
        mbar_wait(smem_u32(&emptyb[s]), ph ^ 1);
        const uint32_t f = smem_u32(&fullb[s]);
        mbar_expect_tx(f, 16384);
        tma_load_2d(smem_u32(sm) + s * 16384, &map, f, (t % tn) * 64, (t / tn) * 128);
        if (++s == S) {
          s = 0;
          ph ^= 1;
        }
      }
  } else {
    const int ct = threadIdx.x - 32;
    for (int t = blockIdx.x; t < nt; t += gridDim.x) {
      mbar_wait(smem_u32(&fullb[s]), ph);
      const uint4 *src = reinterpret_cast<const uint4 *>(sm + s * 16384);
      uint4 v[8];
#pragma unroll
      for (int i = 0; i < 8; ++i)
        v[i] = src[ct + i * 128];
      __syncwarp();
      if (lane == 0)
        mbar_arrive(smem_u32(&emptyb[s]));
      char *dst = b + ((size_t)(t / tn) * 128 * cols + (t % tn) * 64) * 2;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const int c = ct + i * 128;
        *reinterpret_cast<uint4 *>(dst + (size_t)(c / 8) * cols * 2 + (c % 8) * 16) = v[i];
      }
      if (++s == S) {
        s = 0;
        ph ^= 1;
      }
    }
  }
}

template <int S>
static int run(const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  CUtensorMap map;
  if (int error = make_map(&map, src, rows, cols, 128, 64))
    return error;
  allow_shared(k_copy_ws<S>, S * 16384);
  k_copy_ws<S><<<multiprocessors(), 160, S * 16384, stream>>>(map, (char *)dst, rows, cols);
  return (int)cudaGetLastError();
}

int copy_ws(int stages, const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  switch (stages) {
  case 1:
    return run<1>(src, dst, rows, cols, stream);
  case 2:
    return run<2>(src, dst, rows, cols, stream);
  case 4:
    return run<4>(src, dst, rows, cols, stream);
  case 8:
    return run<8>(src, dst, rows, cols, stream);
  }
  return (int)cudaErrorInvalidValue;
}

} // namespace hand
