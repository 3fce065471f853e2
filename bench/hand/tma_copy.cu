// A CTA copies 128 columns from top to bottom: one producer warp loads boxes of 64 rows by TMA,
// each of four consumer warps' threads stores one column of the box. Three warps are padding, so
// that both warpgroups can give up registers.
#include "hand.h"
#include "ptx.cuh"

namespace hand {

static constexpr int Cols = 128, Rows = 64, Bytes = Rows * Cols * 2;

template <int S>
__global__ void __launch_bounds__(256, 1)
    k_tma_copy(const __grid_constant__ CUtensorMap map, uint16_t *__restrict__ dst, int rows,
               int cols) {
  extern __shared__ __align__(1024) uint8_t sm[];
  __shared__ __align__(8) uint64_t full[S], empty[S];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S; ++i) {
      mbar_init(smem_u32(&full[i]), 1);
      mbar_init(smem_u32(&empty[i]), 4);
    }
    fence_mbar_init();
  }
  __syncthreads();
  int s = 0;
  uint32_t phase = 0;
  if (warp < 4) {
    reg_dec<160>();
    uint16_t *out = dst + blockIdx.x * Cols + threadIdx.x;
    for (int r = 0; r < rows; r += Rows) {
      mbar_wait(smem_u32(&full[s]), phase);
      const uint16_t *box = reinterpret_cast<const uint16_t *>(sm + s * Bytes) + threadIdx.x;
      uint16_t v[Rows];
#pragma unroll
      for (int i = 0; i < Rows; ++i)
        v[i] = box[i * Cols];
      __syncwarp();
      if (lane == 0)
        mbar_arrive(smem_u32(&empty[s]));
#pragma unroll
      for (int i = 0; i < Rows; ++i)
        out[(size_t)(r + i) * cols] = v[i];
      if (++s == S) {
        s = 0;
        phase ^= 1;
      }
    }
  } else {
    reg_dec<40>();
    if (warp == 4 && lane == 0)
      for (int r = 0; r < rows; r += Rows) {
        mbar_wait(smem_u32(&empty[s]), phase ^ 1);
        const uint32_t f = smem_u32(&full[s]);
        mbar_expect_tx(f, Bytes);
        tma_load_2d(smem_u32(sm) + s * Bytes, &map, f, blockIdx.x * Cols, r);
        if (++s == S) {
          s = 0;
          phase ^= 1;
        }
      }
  }
}

template <int S>
static int run(const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
  CUtensorMap map;
  if (int error = make_map(&map, src, rows, cols, Rows, Cols))
    return error;
  allow_shared(k_tma_copy<S>, S * Bytes);
  k_tma_copy<S><<<cols / Cols, 256, S * Bytes, stream>>>(map, (uint16_t *)dst, rows, cols);
  return (int)cudaGetLastError();
}

int tma_copy(int stages, const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
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
