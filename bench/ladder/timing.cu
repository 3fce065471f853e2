// Times one launch of each kernel of ladder.inc, in rounds: a line "NAME median-ms" each.
#include "ladder.h"

#include <cublas_v2.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

static void check(cudaError_t error) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

// Bits that every element type takes for a number between 0.5 and 2 in size, of either sign.
__global__ void fill(unsigned *words, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    unsigned hash = static_cast<unsigned>(i) * 2654435761u;
    hash = (hash ^ hash >> 15) * 2246822519u;
    words[i] = ((hash ^ hash >> 13) & 0x80ff80ffu) | 0x3f003f00u;
  }
}

static unsigned *buffers[3];

template <class T> static T *buffer(int index) { return reinterpret_cast<T *>(buffers[index]); }

template <class Arguments> static Arguments set_product(Arguments args, int m, int n, int k) {
  args.a = reinterpret_cast<decltype(args.a)>(buffers[0]);
  args.b = reinterpret_cast<decltype(args.b)>(buffers[1]);
  args.c = buffer<float>(2);
  args.m = m;
  args.n = n;
  args.k = k;
  return args;
}

template <class Arguments> static Arguments set_gemm(Arguments args, int m, int n, int k) {
  args.A = buffer<const tsk::bf16>(0);
  args.B = buffer<const tsk::bf16>(1);
  args.D = buffer<tsk::bf16>(2);
  args.M = m;
  args.N = n;
  args.K = k;
  return args;
}

template <class Arguments> static Arguments set_copy(Arguments args, int rows, int cols, int) {
  args.src = reinterpret_cast<decltype(args.src)>(buffers[0]);
  args.dst = reinterpret_cast<decltype(args.dst)>(buffers[2]);
  args.rows = rows;
  args.cols = cols;
  return args;
}

int main() {
  constexpr size_t bytes = size_t(2) << 30;
  for (unsigned *&words : buffers) {
    check(cudaMalloc(&words, bytes));
    fill<<<1024, 256>>>(words, bytes / 4);
  }
  struct Candidate {
    std::string name;
    std::function<bool()> run;
    std::vector<double> ms;
  };
  std::vector<Candidate> candidates;
#define TSK_LADDER(NAME, KERNEL, FORM, X, Y, Z)                                                    \
  candidates.push_back(                                                                            \
      {#NAME,                                                                                      \
       [] { return static_cast<bool>(NAME::KERNEL(set_##FORM(NAME::KERNEL##_args{}, X, Y, Z))); }, \
       {}});
#include "ladder.inc"
#undef TSK_LADDER
  cublasHandle_t blas;
  cublasCreate(&blas);
  candidates.push_back({"cublas_sgemm",
                        [&] {
                          const float one = 1, zero = 0;
                          return cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 4096, 4096, 4096, &one,
                                             buffer<float>(1), 4096, buffer<float>(0), 4096, &zero,
                                             buffer<float>(2), 4096) == CUBLAS_STATUS_SUCCESS;
                        },
                        {}});
  cudaEvent_t start, stop;
  check(cudaEventCreate(&start));
  check(cudaEventCreate(&stop));
  constexpr int warmUps = 2, rounds = 11;
  for (int round = 0; round < warmUps + rounds; ++round)
    for (Candidate &candidate : candidates) {
      check(cudaEventRecord(start));
      if (!candidate.run()) {
        std::fprintf(stderr, "%s could not be launched\n", candidate.name.c_str());
        return 1;
      }
      check(cudaEventRecord(stop));
      check(cudaEventSynchronize(stop));
      float ms = 0;
      check(cudaEventElapsedTime(&ms, start, stop));
      if (round >= warmUps)
        candidate.ms.push_back(ms);
    }
  for (Candidate &candidate : candidates) {
    std::sort(candidate.ms.begin(), candidate.ms.end());
    std::printf("%s %.4f\n", candidate.name.c_str(), candidate.ms[candidate.ms.size() / 2]);
  }
}
