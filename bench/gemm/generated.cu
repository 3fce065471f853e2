// The compiled samples behind C functions, as the hand-written kernel is.
#include "gemms.h"

#include <cstdio>

template <class Arguments, class Launch>
static int run(Launch launch, const void *a, const void *b, void *d, int m, int n, int k,
               cudaStream_t stream) {
  Arguments args;
  args.A = static_cast<const tsk::bf16 *>(a);
  args.B = static_cast<const tsk::bf16 *>(b);
  args.D = static_cast<tsk::bf16 *>(d);
  args.M = m;
  args.N = n;
  args.K = k;
  const tsk::status status = launch(args, stream);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status ? 0 : 1;
}

// One after the other, with a space behind each.
extern "C" const char *generated_names() {
#define TSK_GEMM(NAME, KERNEL) #NAME " "
  return
#include "gemms.inc"
      ;
#undef TSK_GEMM
}

#define TSK_GEMM(NAME, KERNEL)                                                                     \
  extern "C" int NAME##_gemm(const void *a, const void *b, void *d, int m, int n, int k,           \
                             cudaStream_t stream) {                                                \
    auto launch = [](const auto &args, cudaStream_t on) { return NAME::KERNEL(args, on); };        \
    return run<NAME::KERNEL##_args>(launch, a, b, d, m, n, k, stream);                             \
  }
#include "gemms.inc"
