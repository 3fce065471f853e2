// The compiled samples behind C functions, as the hand-written kernel is.
#include "gemms.h"

#include <cstdio>

template <class Args> using launcher = tsk::status (*)(const Args &, tsk::stream);

template <class Args>
static int finish(launcher<Args> launch, const Args &args, cudaStream_t stream) {
  const tsk::status status = launch(args, stream);
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status ? 0 : 1;
}

template <class Args>
static int run(launcher<Args> launch, const void *a, const void *b, void *d, int m, int n, int k,
               cudaStream_t stream) {
  Args args;
  args.A = static_cast<decltype(args.A)>(a);
  args.B = static_cast<decltype(args.B)>(b);
  args.D = static_cast<decltype(args.D)>(d);
  args.M = m;
  args.N = n;
  args.K = k;
  return finish(launch, args, stream);
}

// Two launches: the products of parts of K go to `parts`, then their sum to `d`.
template <class Args, class JoinArgs>
static int run_split(launcher<Args> launch, launcher<JoinArgs> join, const void *a, const void *b,
                     void *d, int m, int n, int k, int splits, float *parts, cudaStream_t stream) {
  Args args;
  args.A = static_cast<decltype(args.A)>(a);
  args.B = static_cast<decltype(args.B)>(b);
  args.parts = parts;
  args.M = m;
  args.N = n;
  args.K = k;
  args.splits = splits;
  if (int error = finish(launch, args, stream))
    return error;
  JoinArgs last;
  last.parts = parts;
  last.D = static_cast<decltype(last.D)>(d);
  last.M = m;
  last.N = n;
  last.splits = splits;
  return finish(join, last, stream);
}

// A line a kernel: its name, the kernel's, element, bench.
extern "C" const char *generated_table() {
#define TSK_GEMM(NAME, KERNEL, ELEMENT, BENCH) #NAME " " #KERNEL " " #ELEMENT " " #BENCH "\n"
#define TSK_SPLIT TSK_GEMM
  return
#include "gemms.inc"
      ;
#undef TSK_SPLIT
#undef TSK_GEMM
}

#define TSK_GEMM(NAME, KERNEL, ELEMENT, BENCH)                                                     \
  extern "C" int NAME##_gemm(const void *a, const void *b, void *d, int m, int n, int k,           \
                             cudaStream_t stream) {                                                \
    return run(NAME::KERNEL, a, b, d, m, n, k, stream);                                            \
  }
#define TSK_SPLIT(NAME, KERNEL, ELEMENT, BENCH)                                                    \
  extern "C" int NAME##_gemm(const void *a, const void *b, void *d, int m, int n, int k,           \
                             int splits, float *parts, cudaStream_t stream) {                      \
    return run_split(NAME::KERNEL, NAME::gemm_join, a, b, d, m, n, k, splits, parts, stream);      \
  }
#include "gemms.inc"
