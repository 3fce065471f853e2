// D = A * B^T as an expert writes it, with the schedules of samples/gemm: persistent CTAs, tiles of
// 128 x 256 in groups of 16 rows, one loading warp, two multiplying warpgroups, four stages, the
// result by TMA in pieces of 64 columns through one buffer. In clusters each of the CTAs below each
// other loads a slice of B into all of them.
#include "ptx.cuh"

namespace hand {

static constexpr int BM = 128, BN = 256, BK = 64, Stages = 4;
static constexpr int BytesA = BM * BK * 2, BytesB = BN * BK * 2, Staging = BM * 64 * 2;
static constexpr int Shared = Stages * (BytesA + BytesB) + Staging + 16 * Stages;

struct Tile {
  int m, n;
};
// `rows` of tiles of CTAs: each row is one of clusters, this CTA's tile the one of its rank.
template <int CTAs> __device__ __forceinline__ Tile place(int t, int rows, int columns, int rank) {
  constexpr int Group = 16 / CTAs;
  const int size = Group * columns, first = t / size * Group, r = t % size;
  const int height = min(rows - first, Group);
  return {((first + r % height) * CTAs + rank) * BM, r / height * BN};
}

template <int CTAs>
__global__ void __launch_bounds__(384, 1)
    gemm(const __grid_constant__ CUtensorMap map_a, const __grid_constant__ CUtensorMap map_b,
         const __grid_constant__ CUtensorMap map_d, int rows, int columns, int depth) {
  extern __shared__ __align__(1024) uint8_t raw[];
  const uint32_t a = smem_u32(raw), b = a + Stages * BytesA, staging = b + Stages * BytesB;
  const uint32_t full = staging + Staging, empty = full + 8 * Stages;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int i = 0; i < Stages; ++i) {
      mbar_init(full + 8 * i, 1);
      mbar_init(empty + 8 * i, CTAs == 1 ? 256 : 8 * CTAs);
    }
    fence_mbar_init();
  }
  if (CTAs == 1)
    __syncthreads();
  else
    cluster_sync();
  const int rank = CTAs == 1 ? 0 : cluster_rank();
  const int first = blockIdx.x / CTAs, step = gridDim.x / CTAs;
  const int tiles = rows * columns;
  int s = 0;
  uint32_t phase = 0;
  if (warp < 4) {
    reg_dec<40>();
    if (warp == 0 && lane == 0)
      for (int t = first; t < tiles; t += step) {
        const Tile tile = place<CTAs>(t, rows, columns, rank);
        for (int k = 0; k < depth; ++k) {
          mbar_wait(empty + 8 * s, phase ^ 1);
          mbar_expect_tx(full + 8 * s, BytesA + BytesB);
          tma_load_2d(a + s * BytesA, &map_a, full + 8 * s, k * BK, tile.m);
          if (CTAs == 1)
            tma_load_2d(b + s * BytesB, &map_b, full + 8 * s, k * BK, tile.n);
          else
            tma_load_multicast_2d(b + s * BytesB + rank * (BytesB / CTAs), &map_b, full + 8 * s,
                                  (1 << CTAs) - 1, k * BK, tile.n + rank * (BN / CTAs));
          if (++s == Stages)
            s = 0, phase ^= 1;
        }
      }
    __syncwarp();
    if (CTAs > 1)
      cluster_sync(); // as below
    return;
  }
  reg_inc<232>();
  const int group = warp / 4 - 1;
  float c[BN / 2];
  const bool is_leader = threadIdx.x == 128;
  const uint64_t from_a = descriptor(a + group * 64 * BK * 2), from_b = descriptor(b);
  for (int t = first; t < tiles; t += step) {
    for (int k = 0; k < depth; ++k) {
      mbar_wait(full + 8 * s, phase);
      wgmma_fence();
#pragma unroll
      for (int i = 0; i < BK / 16; ++i)
        tsk::ptx::wgmma<__nv_bfloat16, BN>::issue<0, 0>(c, from_a + (s * BytesA / 16) + 2 * i,
                                                        from_b + (s * BytesB / 16) + 2 * i,
                                                        i == 0 ? k != 0 : 1);
      wgmma_commit();
      wgmma_wait<0>();
      if (CTAs == 1)
        mbar_arrive(empty + 8 * s);
      else if (lane < CTAs)
        mbar_arrive_at(empty + 8 * s, lane);
      if (++s == Stages)
        s = 0, phase ^= 1;
    }
#pragma unroll
    for (int i = 0; i < BN / 2; ++i)
      asm volatile("" : "+f"(c[i])::"memory");
    const Tile tile = place<CTAs>(t, rows, columns, rank);
    const int row = group * 64 + warp % 4 * 16 + lane % 16;
#pragma unroll
    for (int q = 0; q < BN / 64; ++q) {
      if (is_leader)
        bulk_wait_read();
      bar_sync(1, 256);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const float *v = c + q * 32 + j * 8;
        const uint32_t chunk = (2 * j + lane / 16) ^ (row & 7);
        stmatrix_x4(staging + row * 128 + chunk * 16, pack(v[0], v[1]), pack(v[2], v[3]),
                    pack(v[4], v[5]), pack(v[6], v[7]));
      }
      fence_proxy_async();
      bar_sync(1, 256);
      if (is_leader) {
        tma_store_2d(&map_d, staging, tile.n + q * 64, tile.m);
        bulk_commit();
      }
    }
  }
  if (is_leader)
    bulk_wait();
  __syncwarp();
  if (CTAs > 1)
    cluster_sync(); // peers may still arrive here, or load to here
}

static int swizzled_map(CUtensorMap *map, const void *pointer, int rows, int cols, unsigned box) {
  return make_map(map, pointer, rows, cols, box, 64, CU_TENSOR_MAP_SWIZZLE_128B);
}

template <int CTAs>
static int launch(const void *a, const void *b, void *d, int m, int n, int k, cudaStream_t stream) {
  static int clusters = 0;
  cudaLaunchConfig_t config = {};
  config.gridDim = CTAs;
  config.blockDim = 384;
  config.dynamicSmemBytes = Shared;
  config.stream = stream;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {CTAs, 1, 1};
  config.attrs = &attribute;
  config.numAttrs = CTAs > 1; // a cluster of one is not the same: it is placed as clusters are
  if (!clusters) {
    cudaFuncSetAttribute(gemm<CTAs>, cudaFuncAttributeMaxDynamicSharedMemorySize, Shared);
    if (CTAs == 1)
      cudaDeviceGetAttribute(&clusters, cudaDevAttrMultiProcessorCount, 0);
    else
      cudaOccupancyMaxActiveClusters(&clusters, gemm<CTAs>, &config);
  }
  config.gridDim = clusters * CTAs;
  CUtensorMap maps[3];
  if (int error = swizzled_map(&maps[0], a, m, k, BM))
    return error;
  if (int error = swizzled_map(&maps[1], b, n, k, BN / CTAs))
    return error;
  if (int error = swizzled_map(&maps[2], d, m, n, BM))
    return error;
  return cudaLaunchKernelEx(&config, gemm<CTAs>, maps[0], maps[1], maps[2],
                            (m + CTAs * BM - 1) / (CTAs * BM), (n + BN - 1) / BN,
                            (k + BK - 1) / BK);
}

} // namespace hand

// 0 or an error. All row-major bf16: A[M, K], B[N, K], D[M, N].
extern "C" int hand_gemm(const void *a, const void *b, void *d, int m, int n, int k,
                         cudaStream_t stream) {
  return hand::launch<1>(a, b, d, m, n, k, stream);
}
extern "C" int hand_gemm_cluster(const void *a, const void *b, void *d, int m, int n, int k,
                                 cudaStream_t stream) {
  return hand::launch<2>(a, b, d, m, n, k, stream);
}
