// The algorithms that cublasLt's heuristic proposes for D = A * B^T, to be timed one by one.
#include <cublasLt.h>

#include <vector>

namespace {

constexpr size_t Workspace = size_t(64) << 20;

struct Problem {
  cublasLtHandle_t handle = nullptr;
  void *workspace = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms;
};
Problem problem;

cublasLtMatrixLayout_t layout(int rows, int columns) {
  cublasLtMatrixLayout_t result = nullptr;
  cublasLtMatrixLayoutCreate(&result, CUDA_R_16BF, rows, columns, rows);
  return result;
}

} // namespace

// Sets the shape of the calls that follow; the number of algorithms, at most `most`; negative: an
// error.
extern "C" int cublaslt_plan(int m, int n, int k, int most) {
  Problem &p = problem;
  if (!p.handle && (cublasLtCreate(&p.handle) || cudaMalloc(&p.workspace, Workspace)))
    return -1;
  const cublasOperation_t transposed = CUBLAS_OP_T, plain = CUBLAS_OP_N;
  if (cublasLtMatmulDescCreate(&p.operation, CUBLAS_COMPUTE_32F, CUDA_R_32F))
    return -2;
  cublasLtMatmulDescSetAttribute(p.operation, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                 sizeof transposed);
  cublasLtMatmulDescSetAttribute(p.operation, CUBLASLT_MATMUL_DESC_TRANSB, &plain, sizeof plain);
  // cublasLt's matrices are column-major: D^T = B * A^T.
  p.a = layout(k, n), p.b = layout(k, m), p.d = layout(n, m);
  cublasLtMatmulPreference_t preference = nullptr;
  cublasLtMatmulPreferenceCreate(&preference);
  cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                       &Workspace, sizeof Workspace);
  p.algorithms.resize(most);
  int found = 0;
  if (cublasLtMatmulAlgoGetHeuristic(p.handle, p.operation, p.a, p.b, p.d, p.d, preference, most,
                                     p.algorithms.data(), &found))
    return -3;
  return found;
}

extern "C" int cublaslt_gemm(int algorithm, const void *a, const void *b, void *d, int, int, int,
                             cudaStream_t stream) {
  const Problem &p = problem;
  const float alpha = 1, beta = 0;
  return cublasLtMatmul(p.handle, p.operation, &alpha, b, p.a, a, p.b, &beta, d, p.d, d, p.d,
                        &p.algorithms[algorithm].algo, p.workspace, Workspace, stream);
}
