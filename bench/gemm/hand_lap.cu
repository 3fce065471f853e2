// D = A * B^T as an expert writes it, with the schedule that samples/gemm/gemm_wide.tsk does not
// have yet: the tensor cores go on at the end of a tile. Two warpgroups share a tile of 168 x 256;
// each multiplies 128 rows of B with the same rows of A, in two halves of 64. In the last three
// stages of a tile all products of the left half come first, and the left half leaves under those
// of the right; the right half leaves under the left's first products of the next tile.
#include "ptx.cuh"

namespace hand {

namespace lap {

constexpr int BM = 168, BN = 256, BK = 64, Stages = 4, Rows = 56, Group = 6;
constexpr int Lap = 3; // stages in which one half is ahead
constexpr int BytesA = BM * BK * 2, BytesB = BN * BK * 2, Staging = Rows * 64 * 2;
constexpr int Shared = Stages * (BytesA + BytesB) + 2 * Staging + 16 * Stages;
using Half = float[BM / 2]; // 64 rows of B, BM of A

struct Tile {
  int m, n;
};
__device__ __forceinline__ Tile place(int t, int rows, int columns) {
  const int size = Group * rows, first = t / size * Group, r = t % size;
  const int width = min(columns - first, Group);
  return {r / width * BM, (first + r % width) * BN};
}

struct Ring {
  int stage = 0;
  uint32_t phase = 0;
  __device__ __forceinline__ void next() {
    if (++stage == Stages)
      stage = 0, phase ^= 1;
  }
};

// A stage's product for one half, as a group of its own or as a part of one.
__device__ __forceinline__ void multiply(Half &c, uint64_t b, uint64_t a, int stage, int more) {
#pragma unroll
  for (int i = 0; i < BK / 16; ++i)
    tsk::ptx::wgmma<__nv_bfloat16, BM>::issue<0, 0>(
        c, b + stage * (BytesB / 16) + 2 * i, a + stage * (BytesA / 16) + 2 * i, i == 0 ? more : 1);
}
__device__ __forceinline__ void pin(Half &c) {
#pragma unroll
  for (int i = 0; i < BM / 2; ++i)
    asm volatile("" : "+f"(c[i])::"memory");
}
__device__ __forceinline__ void stmatrix_x4_trans(uint32_t to, uint32_t a, uint32_t b, uint32_t c,
                                                  uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}
__device__ __forceinline__ void stmatrix_x2_trans(uint32_t to, uint32_t a, uint32_t b) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to), "r"(a),
               "r"(b)
               : "memory");
}

struct Consumer {
  uint32_t full, empty, staging;
  uint64_t a, b; // of this warpgroup's rows of B: the left half's
  const CUtensorMap *map;
  int group;
  bool isLeader;
  Ring ring;
  int releases = 0;

  static constexpr int HalfRows =
      64 * BK * 2 / 16; // from the left half of B to the right, in descriptors

  __device__ __forceinline__ void release() {
    mbar_arrive(empty + 8 * releases);
    if (++releases == Stages)
      releases = 0;
  }
  // 56 of a half's 168 rows of A go to D.
  template <int Q> __device__ __forceinline__ void store(const Half &c, int m, int n) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    if (isLeader)
      bulk_wait_read();
    __syncwarp();
    bar_sync(1 + group, 128);
#pragma unroll
    for (int j = 0; j < Rows / 8; j += 2) {
      const float *v = c + Q * (Rows / 2) + 4 * j;
      const int row = 8 * (j + (j + 1 < Rows / 8 ? lane / 16 : 0)) + lane % 8;
      const uint32_t to = staging + row * 128 + ((2 * warp + lane / 8 % 2) ^ (row & 7)) * 16;
      if (j + 1 < Rows / 8)
        stmatrix_x4_trans(to, pack(v[0], v[1]), pack(v[2], v[3]), pack(v[4], v[5]),
                          pack(v[6], v[7]));
      else
        stmatrix_x2_trans(to, pack(v[0], v[1]), pack(v[2], v[3]));
    }
    fence_proxy_async();
    bar_sync(1 + group, 128);
    if (isLeader) {
      tma_store_2d(map, staging, n, m + Q * Rows);
      bulk_commit();
    }
  }
  __device__ __forceinline__ void storeAll(const Half &c, int m, int n) {
    store<0>(c, m, n);
    store<1>(c, m, n);
    store<2>(c, m, n);
  }
  // The left half's products of the next stages; these stay where they are for the right half.
  __device__ __forceinline__ int lead(Half &left, int more, bool releasesFirst) {
    const int first = ring.stage;
#pragma unroll
    for (int i = 0; i < Lap; ++i) {
      mbar_wait(full + 8 * ring.stage, ring.phase);
      wgmma_fence();
      multiply(left, b, a, ring.stage, i == 0 ? more : 1);
      wgmma_commit();
      ring.next();
      if (i == 0 && releasesFirst) {
        wgmma_wait<1>();
        release();
      }
    }
    return first;
  }

  __device__ __forceinline__ void run(int tiles, int rows, int columns, int depth) {
    Half left, right;
    int t = blockIdx.x;
    if (t >= tiles)
      return;
    Tile tile = place(t, rows, columns);
    int stage = lead(left, 0, false);
    while (true) {
#pragma unroll
      for (int i = 0; i < Lap; ++i) { // the right half catches up
        wgmma_fence();
        multiply(right, b + HalfRows, a, stage, i != 0);
        wgmma_commit();
        stage = stage + 1 == Stages ? 0 : stage + 1;
        if (i > 0) {
          wgmma_wait<1>();
          release();
        }
      }
      for (int k = Lap; k < depth - Lap; ++k) {
        mbar_wait(full + 8 * ring.stage, ring.phase);
        wgmma_fence();
        multiply(left, b, a, ring.stage, 1);
        multiply(right, b + HalfRows, a, ring.stage, 1);
        wgmma_commit();
        ring.next();
        wgmma_wait<1>();
        release();
      }
      stage = lead(left, 1, true);
#pragma unroll
      for (int i = 0; i < Lap; ++i) {
        wgmma_fence();
        multiply(right, b + HalfRows, a, stage, 1);
        wgmma_commit();
        stage = stage + 1 == Stages ? 0 : stage + 1;
      }
      const int m = tile.m, n = tile.n + 128 * group;
      wgmma_wait<Lap>();
      pin(left);
      store<0>(left, m, n);
      wgmma_wait<2>();
      release();
      store<1>(left, m, n);
      wgmma_wait<1>();
      release();
      store<2>(left, m, n);
      wgmma_wait<0>();
      pin(right);
      release();
      t += gridDim.x;
      if (t >= tiles)
        return storeAll(right, m, n + 64);
      tile = place(t, rows, columns);
      stage = lead(left, 0, false);
      storeAll(right, m, n + 64);
    }
  }
};

__global__ void __launch_bounds__(384, 1)
    gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
         const __grid_constant__ CUtensorMap map_d, int rows, int columns, int depth) {
  extern __shared__ __align__(1024) uint8_t raw[];
  const uint32_t a = smem_u32(raw), b = a + Stages * BytesA, staging = b + Stages * BytesB;
  const uint32_t full = staging + 2 * Staging, empty = full + 8 * Stages;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < Stages; ++i) {
      mbar_init(full + 8 * i, 1);
      mbar_init(empty + 8 * i, 256);
    }
    fence_mbar_init();
  }
  __syncthreads();
  const int tiles = rows * columns;
  if (warp < 4) {
    reg_dec<40>();
    Ring ring;
    if (warp == 0 && lane == 0)
      for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
        const Tile tile = place(t, rows, columns);
        for (int k = 0; k < depth; ++k, ring.next()) {
          mbar_wait(empty + 8 * ring.stage, ring.phase ^ 1);
          mbar_expect_tx(full + 8 * ring.stage, BytesA + BytesB);
          tma_load_2d(a + ring.stage * BytesA, &map_a, full + 8 * ring.stage, k * BK, tile.m);
          tma_load_2d(b + ring.stage * BytesB, &map_b, full + 8 * ring.stage, k * BK, tile.n);
        }
      }
    __syncwarp();
    return;
  }
  reg_inc<232>();
  const int group = warp / 4 - 1;
  Consumer consumer{
      full,   empty, staging + group * Staging, descriptor(a), descriptor(b + group * 128 * BK * 2),
      &map_d, group, threadIdx.x % 128 == 0};
  consumer.run(tiles, rows, columns, depth);
  if (consumer.isLeader)
    bulk_wait();
  __syncwarp();
}

} // namespace lap

} // namespace hand

extern "C" int hand_gemm(const void *, const void *, void *, int, int, int, cudaStream_t);

// 0 or an error. All row-major bf16: A[M, K], B[N, K], D[M, N]. Where K is too short for two laps,
// the plain one.
extern "C" int hand_gemm_lap(const void *a, const void *b, void *d, int m, int n, int k,
                             cudaStream_t stream) {
  using namespace hand;
  const int depth = (k + lap::BK - 1) / lap::BK;
  if (depth < 2 * lap::Lap)
    return hand_gemm(a, b, d, m, n, k, stream);
  static int multiprocessors = 0;
  if (!multiprocessors) {
    cudaFuncSetAttribute(lap::gemm, cudaFuncAttributeMaxDynamicSharedMemorySize, lap::Shared);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  }
  const auto map = [](CUtensorMap *to, const void *from, int rows, int cols, unsigned box) {
    return make_map(to, from, rows, cols, box, 64, CU_TENSOR_MAP_SWIZZLE_128B);
  };
  CUtensorMap maps[3];
  if (int error = map(&maps[0], a, m, k, lap::BM))
    return error;
  if (int error = map(&maps[1], b, n, k, lap::BN))
    return error;
  if (int error = map(&maps[2], d, m, n, lap::Rows))
    return error;
  lap::gemm<<<multiprocessors, 384, lap::Shared, stream>>>(
      maps[0], maps[1], maps[2], (m + lap::BM - 1) / lap::BM, (n + lap::BN - 1) / lap::BN, depth);
  return cudaGetLastError();
}
