// The candidates as a library for explore.py.
#include "kernel.cuh"

#include <cudaTypedefs.h>

#include <algorithm>
#include <cstdio>

namespace {

PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  static void *found = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (!found)
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                     &result);
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
}

int encode(CUtensorMap *map, void *data, uint64_t rows, uint64_t columns, uint32_t boxRows,
           uint32_t boxColumns) {
  cuuint64_t sizes[2] = {columns, rows}, strides[1] = {columns * 2};
  cuuint32_t box[2] = {boxColumns, boxRows}, steps[2] = {1, 1};
  const CUtensorMapSwizzle swizzle = boxColumns == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                                     : boxColumns == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                        : CU_TENSOR_MAP_SWIZZLE_32B;
  return encoder()(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, sizes, strides, box, steps,
                   CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

template <class S>
int launch(void *a, void *b, void *d, int m, int n, int k, const int *table, bool cut,
           cudaStream_t stream) {
  static float *workspace = nullptr;
  static int *flags = nullptr;
  constexpr int CTAS = 132;
  if (!workspace) {
    cudaFuncSetAttribute(gemm<S>, cudaFuncAttributeMaxDynamicSharedMemorySize, S::SHARED);
    cudaMalloc(&workspace, size_t(CTAS) * S::BLOCKS * 128 * S::BN * 4);
    cudaMalloc(&flags, CTAS * 8 * 4);
    cudaMemset(flags, 0, CTAS * 8 * 4);
  }
  CUtensorMap maps[3];
  if (encode(&maps[0], a, m, k, S::BM / S::CLN, 64) ||
      encode(&maps[1], b, n, k, S::BN / S::CLM, 64) || encode(&maps[2], d, m, n, 16, S::PANEL))
    return -1;
  Tiles tiles;
  tiles.rows = (m + S::BM * S::CLM - 1) / (S::BM * S::CLM);
  tiles.columns = (n + S::BN * S::CLN - 1) / (S::BN * S::CLN);
  tiles.total = tiles.rows * tiles.columns;
  tiles.table = table;
  const int clusters = std::min(tiles.total, CTAS / S::CTAS);
  tiles.whole = cut ? tiles.total - tiles.total % clusters : tiles.total;
  cudaLaunchConfig_t config = {};
  config.gridDim = clusters * S::CTAS;
  config.blockDim = 384;
  config.dynamicSmemBytes = S::SHARED;
  config.stream = stream;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = S::CTAS;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, gemm<S>, maps[0], maps[1], maps[2], k, tiles, workspace,
                            flags);
}

} // namespace

//      number, columns, blocks, stages, cluster, ping-pong
#define SHAPES(X)                                                                                  \
  X(0, 256, 1, 4, 2, 1, false)                                                                     \
  X(1, 192, 2, 3, 1, 2, false)                                                                     \
  X(2, 160, 2, 4, 1, 2, false)                                                                     \
  X(3, 128, 2, 4, 1, 2, false)                                                                     \
  X(4, 192, 2, 4, 2, 1, true)                                                                      \
  X(5, 176, 2, 5, 2, 1, true)                                                                      \
  X(6, 160, 2, 5, 2, 1, true)

extern "C" int launch(int shape, void *a, void *b, void *d, int m, int n, int k, const int *table,
                      int cut, cudaStream_t stream) {
  switch (shape) {
#define X(I, N, BLOCKS, STAGES, CLM, CLN, PINGPONG)                                                \
  case I:                                                                                          \
    return launch<Shape<N, BLOCKS, STAGES, CLM, CLN, PINGPONG>>(a, b, d, m, n, k, table, cut,      \
                                                                stream);
    SHAPES(X)
#undef X
  }
  return -1;
}
