// The compiled sample behind a C function, as the hand-written kernel is.
#include "gemm.h"

#include <cstdio>

extern "C" int generated_gemm(const void *a, const void *b, void *d, int m, int n, int k,
                              cudaStream_t stream) {
  kernels::gemm_args args;
  args.A = static_cast<const tsk::bf16 *>(a);
  args.B = static_cast<const tsk::bf16 *>(b);
  args.D = static_cast<tsk::bf16 *>(d);
  args.M = m;
  args.N = n;
  args.K = k;
  const tsk::status status = kernels::gemm(args, stream);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status ? 0 : 1;
}
