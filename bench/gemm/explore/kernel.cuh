// Hand-written candidates for D[M,N] = A[M,K] * B[N,K]^T in bf16 with f32 accumulation: one
// producer warp, two consumer warpgroups, TMA with multicast in a cluster of two, persistent,
// TMA-store epilogue. They answer which schedule the language must be able to say, before it can
// say it.
#pragma once
#include "ptx.cuh"
#include "wgmma.h" // made by explore.py: wgmma<N>(accumulator, a, b, accumulate)

#include <cuda_bf16.h>

// BN: columns of a tile. BLOCKS: blocks of 64 rows a warpgroup. CLM x CLN: cluster, in tiles.
// PINGPONG: the warpgroups take alternate tiles of 64 BLOCKS rows and the epilogue of one runs
// under the products of the other; else both work on one tile of 128 BLOCKS rows.
template <int BN_, int BLOCKS_, int STAGES_, int CLM_, int CLN_, bool PINGPONG_> struct Shape {
  static constexpr int BN = BN_, BLOCKS = BLOCKS_, STAGES = STAGES_, CLM = CLM_, CLN = CLN_;
  static constexpr int CTAS = CLM * CLN;
  static constexpr bool PINGPONG = PINGPONG_;
  static constexpr int BM = (PINGPONG ? 64 : 128) * BLOCKS, BK = 64;
  static constexpr int A_BYTES = BM * 128, B_BYTES = BN * 128, STAGE = A_BYTES + B_BYTES;
  // The epilogue stores panels of 16 rows, as wide as a swizzle allows.
  static constexpr int PANEL = BN % 64 == 0 ? 64 : BN % 32 == 0 ? 32 : 16;
  static constexpr int PANEL_BYTES = 16 * PANEL * 2;
  static constexpr int LIMIT = 232448, FIXED = 1024 + STAGES * STAGE + 16 * STAGES;
  static constexpr int BUFFERS = LIMIT - FIXED >= 16 * PANEL_BYTES ? 2 : 1; // a warp
  static constexpr int SHARED = FIXED + 8 * BUFFERS * PANEL_BYTES;
  static_assert(BN % 16 == 0 && SHARED <= LIMIT);
};

// Tiles of a cluster, in the order of `table` (row | column << 16).
struct Tiles {
  int rows, columns, total;
  int whole; // the first so many are done whole; the rest is cut along K, an equal share a cluster
  const int *table;
};

// A run of k-blocks of one tile.
struct Segment {
  int tile, begin, end;
};

// What one cluster does: its share of the tiles that are cut, then its whole tiles. A share may
// begin inside a tile: that part goes to the workspace at once, and whoever has the tile's
// beginning, which comes last in its share, adds it.
struct Walk {
  int clusters, next, whole, blocks;
  long position, last;
  __device__ Walk(int cluster, int clusters, const Tiles &tiles, int blocks)
      : clusters(clusters), next(cluster), whole(tiles.whole), blocks(blocks) {
    const long all = long(tiles.total - tiles.whole) * blocks;
    position = all * cluster / clusters;
    last = all * (cluster + 1) / clusters;
  }
  __device__ bool take(Segment &s) {
    if (position < last) {
      const int q = int(position / blocks);
      const long end = min(long(q + 1) * blocks, last);
      s = {whole + q, int(position - long(q) * blocks), int(end - long(q) * blocks)};
      position = end;
      return true;
    }
    if (next >= whole)
      return false;
    s = {next, 0, blocks};
    next += clusters;
    return true;
  }
};

// K-major with a swizzle of 128 bytes: rows of 128 bytes, 1024 bytes from eight rows to the next.
__device__ inline uint64_t descriptor(uint32_t address) {
  return uint64_t((address & 0x3FFFF) >> 4) | (1ull << 16) | (uint64_t(1024 >> 4) << 32) |
         (1ull << 62);
}
__device__ inline uint32_t pack(float a, float b) {
  const __nv_bfloat162 v = __floats2bfloat162_rn(a, b);
  return *reinterpret_cast<const uint32_t *>(&v);
}

template <class S> struct Context {
  uint32_t stages, panels, full, empty;
  int rm, rn; // place in the cluster
  int cluster, clusters, blocks;
};

template <class S>
__device__ void produce(const Context<S> &c, const Tiles &tiles, const CUtensorMap *a,
                        const CUtensorMap *b) {
  uint16_t maskA = 0, maskB = 0;
  for (int i = 0; i < S::CLN; ++i)
    maskA |= 1 << (c.rm + i * S::CLM);
  for (int i = 0; i < S::CLM; ++i)
    maskB |= 1 << (i + c.rn * S::CLM);
  int s = 0;
  uint32_t parity = 1;
  Walk walk(c.cluster, c.clusters, tiles, c.blocks);
  for (Segment g; walk.take(g);) {
    const int tile = __ldg(tiles.table + g.tile);
    const int m = ((tile & 0xffff) * S::CLM + c.rm) * S::BM,
              n = ((tile >> 16) * S::CLN + c.rn) * S::BN;
    for (int k = g.begin; k < g.end; ++k) {
      ptx::wait(c.empty + 8 * s, parity);
      const uint32_t toA = c.stages + s * S::STAGE, toB = toA + S::A_BYTES, bar = c.full + 8 * s;
      ptx::expect(bar, S::STAGE);
      if (S::CLN == 1)
        ptx::load(toA, a, bar, k * 64, m);
      else
        ptx::loadToAll(toA + c.rn * (S::A_BYTES / S::CLN), a, bar, maskA, k * 64,
                       m + c.rn * (S::BM / S::CLN));
      if (S::CLM == 1)
        ptx::load(toB, b, bar, k * 64, n);
      else
        ptx::loadToAll(toB + c.rm * (S::B_BYTES / S::CLM), b, bar, maskB, k * 64,
                       n + c.rm * (S::BN / S::CLM));
      if (++s == S::STAGES)
        s = 0, parity ^= 1;
    }
  }
}

template <class S> using Accumulator = float[S::BLOCKS][S::BN / 2];

// A thread's part of a partial tile lies in pieces of 16 bytes, 256 pieces apart.
template <class S> __device__ float4 *partialOf(float *workspace, int cta, int thread) {
  return reinterpret_cast<float4 *>(workspace + size_t(cta) * S::BLOCKS * 128 * S::BN) + thread;
}

template <class S>
__device__ void publish(const Accumulator<S> &acc, float *workspace, int *flags, int thread) {
  float4 *to = partialOf<S>(workspace, blockIdx.x, thread);
#pragma unroll
  for (int i = 0; i < S::BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < S::BN / 8; ++j)
      __stcg(to + (i * (S::BN / 8) + j) * 256,
             make_float4(acc[i][4 * j], acc[i][4 * j + 1], acc[i][4 * j + 2], acc[i][4 * j + 3]));
  __syncwarp();
  if (thread % 32 == 0) {
    __threadfence();
    asm volatile("st.release.gpu.global.s32 [%0], 1;" ::"l"(flags + blockIdx.x * 8 + thread / 32)
                 : "memory");
  }
  __syncwarp();
}

template <class S>
__device__ void collect(Accumulator<S> &acc, float *workspace, int *flags, int cta, int thread) {
  int *flag = flags + cta * 8 + thread / 32;
  if (thread % 32 == 0) {
    int set = 0;
    while (!set)
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(set) : "l"(flag) : "memory");
    *flag = 0; // for the next launch
  }
  __syncwarp();
  const float4 *from = partialOf<S>(workspace, cta, thread);
#pragma unroll
  for (int i = 0; i < S::BLOCKS; ++i)
#pragma unroll
    for (int j = 0; j < S::BN / 8; ++j) {
      const float4 v = __ldcg(from + (i * (S::BN / 8) + j) * 256);
      acc[i][4 * j] += v.x;
      acc[i][4 * j + 1] += v.y;
      acc[i][4 * j + 2] += v.z;
      acc[i][4 * j + 3] += v.w;
    }
}

// Each warp stores its 16 rows of every block, panel by panel.
template <class S>
__device__ void epilogue(const Accumulator<S> &acc, uint32_t buffers, const CUtensorMap *d, int m,
                         int n) {
  const int lane = threadIdx.x % 32, r = lane & 7, matrix = lane >> 3;
  const uint32_t row = ((matrix & 1) * 8 + r) * S::PANEL * 2;
  const int swizzle = S::PANEL == 64 ? r : S::PANEL == 32 ? (r >> 1) & 3 : (r >> 2) & 1;
#pragma unroll
  for (int i = 0; i < S::BLOCKS; ++i)
#pragma unroll
    for (int q = 0; q < S::BN / S::PANEL; ++q) {
      const int turn = i * (S::BN / S::PANEL) + q;
      const uint32_t buffer = buffers + turn % S::BUFFERS * S::PANEL_BYTES;
      if (lane == 0)
        ptx::storesRead<S::BUFFERS - 1>();
      __syncwarp();
#pragma unroll
      for (int p = 0; p < S::PANEL / 16; ++p) {
        const float *v = acc[i] + 4 * (q * (S::PANEL / 8) + 2 * p);
        ptx::stmatrix(buffer + row + (((2 * p + (matrix >> 1)) ^ swizzle) << 4), pack(v[0], v[1]),
                      pack(v[2], v[3]), pack(v[4], v[5]), pack(v[6], v[7]));
      }
      ptx::fenceProxy();
      __syncwarp();
      if (lane == 0)
        ptx::store(d, buffer, n + q * S::PANEL, m + i * 64);
    }
}

template <class S>
__device__ void consume(const Context<S> &c, const Tiles &tiles, const CUtensorMap *d,
                        float *workspace, int *flags) {
  const int group = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  const int thread =
      S::PINGPONG ? threadIdx.x % 128 : threadIdx.x - 128; // of those that share a tile
  const uint32_t buffers = c.panels + (group * 4 + warp) * S::PANEL_BYTES * S::BUFFERS;
  const uint64_t a0 = descriptor(c.stages + (S::PINGPONG ? 0 : group * 64 * S::BLOCKS * 128));
  const uint64_t b0 = descriptor(c.stages + S::A_BYTES);
  const bool signals = lane < S::CTAS && (lane % S::CLM == c.rm || lane / S::CLM == c.rn);
  auto release = [&](int stage) {
    if (S::CTAS == 1 && lane == 0)
      ptx::arrive(c.empty + 8 * stage);
    if (S::CTAS > 1 && signals)
      ptx::arriveAt(c.empty + 8 * stage, lane);
  };
  Accumulator<S> acc;
  int s = 0, previous = 0, turn = 0;
  uint32_t parity = 0;
  // A parity tells two phases apart, not three: the turn keeps the waiting group from passing on
  // the phase before the last.
  if (S::PINGPONG && group == 1)
    ptx::barArrive(2, 256);
  Walk walk(c.cluster, c.clusters, tiles, c.blocks);
  for (Segment g; walk.take(g);) {
    if (S::PINGPONG && (turn++ & 1) != group) {
      const int at = s + g.end - g.begin;
      parity ^= (at / S::STAGES) & 1;
      s = at % S::STAGES;
      continue;
    }
    if (S::PINGPONG)
      ptx::barSync(2 + group, 256);
    for (int k = g.begin; k < g.end; ++k) {
      ptx::wait(c.full + 8 * s, parity);
      const uint64_t a = a0 + uint64_t(s * (S::STAGE >> 4)), b = b0 + uint64_t(s * (S::STAGE >> 4));
      ptx::mmaFence();
#pragma unroll
      for (int kk = 0; kk < 4; ++kk)
#pragma unroll
        for (int i = 0; i < S::BLOCKS; ++i)
          wgmma<S::BN>(acc[i], a + 2 * kk + i * 512, b + 2 * kk, kk > 0 || k != g.begin);
      ptx::mmaCommit();
      ptx::mmaWait<1>();
      if (k > g.begin)
        release(previous);
      previous = s;
      if (++s == S::STAGES)
        s = 0, parity ^= 1;
    }
    if (S::PINGPONG)
      ptx::barArrive(3 - group, 256);
    ptx::mmaWait<0>();
    release(previous);
#pragma unroll
    for (int i = 0; i < S::BLOCKS; ++i)
#pragma unroll
      for (int j = 0; j < S::BN / 2; ++j)
        asm volatile("" : "+f"(acc[i][j])::"memory");
    if (g.begin > 0) {
      publish<S>(acc, workspace, flags, thread);
      continue;
    }
    if (g.end < c.blocks) {
      const long all = long(tiles.total - tiles.whole) * c.blocks,
                 end = long(g.tile - tiles.whole + 1) * c.blocks;
      for (int other = c.cluster + 1; all * other / c.clusters < end; ++other)
        if (all * other / c.clusters <
            all * (other + 1) / c.clusters) // an empty share sends nothing
          collect<S>(acc, workspace, flags, other * S::CTAS + c.rn * S::CLM + c.rm, thread);
    }
    const int tile = __ldg(tiles.table + g.tile);
    const int m = ((tile & 0xffff) * S::CLM + c.rm) * S::BM +
                  (S::PINGPONG ? 0 : group * 64 * S::BLOCKS) + warp * 16;
    epilogue<S>(acc, buffers, d, m, ((tile >> 16) * S::CLN + c.rn) * S::BN);
  }
  if (lane == 0)
    ptx::storesDone();
}

template <class S>
__global__ void __launch_bounds__(384, 1)
    gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
         const __grid_constant__ CUtensorMap d, int depth, Tiles tiles, float *workspace,
         int *flags) {
  extern __shared__ uint8_t raw[];
  Context<S> c;
  const int rank = S::CTAS > 1 ? ptx::clusterRank() : 0;
  c.rm = rank % S::CLM;
  c.rn = rank / S::CLM;
  c.stages = (ptx::smem(raw) + 1023u) & ~1023u;
  c.panels = c.stages + S::STAGES * S::STAGE;
  c.full = c.panels + 8 * S::BUFFERS * S::PANEL_BYTES;
  c.empty = c.full + 8 * S::STAGES;
  c.cluster = blockIdx.x / S::CTAS;
  c.clusters = gridDim.x / S::CTAS;
  c.blocks = (depth + 63) / 64;
  if (threadIdx.x == 0) {
    for (int i = 0; i < S::STAGES; ++i) {
      ptx::init(c.full + 8 * i, 1);
      ptx::init(c.empty + 8 * i, (S::PINGPONG ? 4 : 8) * (S::CLM + S::CLN - 1));
    }
    ptx::fenceInit();
  }
  if (S::CTAS > 1)
    ptx::clusterSync();
  else
    __syncthreads();
  if (threadIdx.x < 128) {
    ptx::lowerRegisters<40>();
    if (threadIdx.x == 0)
      produce<S>(c, tiles, &a, &b);
  } else {
    ptx::raiseRegisters<232>();
    consume<S>(c, tiles, &d, workspace, flags);
  }
  __syncwarp();
  if (S::CTAS > 1)
    ptx::clusterSync(); // a peer may still write here or arrive here
}
