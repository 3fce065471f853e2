// The compiled samples behind C functions: NAME_run(x, y, scratch, rows, cols, stream).
#include "rows.h"

#include <cstdio>

template <class Args> using launcher = tsk::status (*)(const Args &, tsk::stream);

static int finish(const tsk::status &status) {
  if (!status)
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status ? 0 : 1;
}

template <class Args>
static int softmax(launcher<Args> launch, const void *x, void *y, float *, int rows, int cols,
                   cudaStream_t stream) {
  Args args;
  args.x = static_cast<decltype(args.x)>(x);
  args.y = static_cast<decltype(args.y)>(y);
  args.rows = rows;
  args.cols = cols;
  return finish(launch(args, stream));
}

// Rows in blocks of 256.
template <class Args>
static int softmax_ring(launcher<Args> launch, const void *x, void *y, float *, int rows, int cols,
                        cudaStream_t stream) {
  Args args;
  args.x = static_cast<decltype(args.x)>(x);
  args.y = static_cast<decltype(args.y)>(y);
  args.rows = rows;
  args.blocks = cols / 256;
  return finish(launch(args, stream));
}

template <class Args>
static int row_sums(launcher<Args> launch, const void *x, void *y, float *, int rows, int cols,
                    cudaStream_t stream) {
  Args args;
  args.x = static_cast<decltype(args.x)>(x);
  args.sums = static_cast<float *>(y);
  args.rows = rows;
  args.cols = cols;
  return finish(launch(args, stream));
}

template <class Args>
static int sum_parts(launcher<Args> launch, const void *x, float *parts, int n, int count,
                     cudaStream_t stream) {
  Args args;
  args.x = static_cast<decltype(args.x)>(x);
  args.parts = parts;
  args.n = n;
  args.count = count;
  return finish(launch(args, stream));
}

// Of all elements, in two launches: sums of parts, and their sum.
template <class Args>
static int sum(launcher<Args> launch, const void *x, void *y, float *scratch, int rows, int cols,
               cudaStream_t stream) {
  constexpr int parts = 132 * 16;
  const int error = sum_parts(launch, x, scratch, rows * cols, parts, stream);
  return error ? error
               : sum_parts(sum_f32::sum_parts, scratch, static_cast<float *>(y), parts, 1, stream);
}

// A line a kernel: its name, form, element, and the longest row.
extern "C" const char *kernel_table() {
#define TSK_ROWS(NAME, KERNEL, FORM, ELEMENT, WIDEST) #NAME " " #FORM " " #ELEMENT " " #WIDEST "\n"
  return
#include "rows.inc"
      ;
#undef TSK_ROWS
}

#define TSK_ROWS(NAME, KERNEL, FORM, ELEMENT, WIDEST)                                              \
  extern "C" int NAME##_run(const void *x, void *y, float *scratch, int rows, int cols,            \
                            cudaStream_t stream) {                                                 \
    return FORM(NAME::KERNEL, x, y, scratch, rows, cols, stream);                                  \
  }
#include "rows.inc"

extern "C" int copy_run(const void *from, void *to, size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
