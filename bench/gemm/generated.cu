// The compiled samples behind C functions, as the hand-written kernels are.
#include "gemm.h"
#include "gemm_cluster.h"

#include <cstdio>

template <typename Args>
static int run(tsk::status (*kernel)(const Args &, tsk::stream), const void *a, const void *b,
               void *d, int m, int n, int k, cudaStream_t stream) {
  Args args;
  args.A = static_cast<const tsk::bf16 *>(a);
  args.B = static_cast<const tsk::bf16 *>(b);
  args.D = static_cast<tsk::bf16 *>(d);
  args.M = m;
  args.N = n;
  args.K = k;
  const tsk::status status = kernel(args, stream);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status ? 0 : 1;
}

extern "C" int generated_gemm(const void *a, const void *b, void *d, int m, int n, int k,
                              cudaStream_t stream) {
  return run(kernels::gemm, a, b, d, m, n, k, stream);
}
extern "C" int generated_gemm_cluster(const void *a, const void *b, void *d, int m, int n, int k,
                                      cudaStream_t stream) {
  return run(kernels::gemm_cluster, a, b, d, m, n, k, stream);
}
