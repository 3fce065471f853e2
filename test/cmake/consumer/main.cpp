// Copies a matrix, scales the copy, compares with the host.
#include "other.h"

#include "scale.tsk.h"
#include "tma_copy.tsk.h"

#include <cstdio>
#include <vector>

bool doubled(const float *src, float *dst, int n); // of the shared library

int main() {
  const int rows = 128, cols = 256;
  std::vector<float> source(rows * cols), copy(rows * cols), scaled(rows * cols);
  for (int i = 0; i < rows * cols; ++i)
    source[i] = static_cast<float>(i);

  tsk::status status =
      app::tma_copy({.src = source.data(), .dst = copy.data(), .rows = rows, .cols = cols});
  if (!status.ok())
    return std::fprintf(stderr, "tma_copy: %s\n", status.message().c_str()), 1;
  status = app::scale(
      {.src = copy.data(), .dst = scaled.data(), .factor = factor(), .rows = rows, .cols = cols});
  if (!status.ok())
    return std::fprintf(stderr, "scale: %s\n", status.message().c_str()), 1;

  int wrong = 0;
  for (int i = 0; i < rows * cols; ++i)
    wrong += scaled[i] != source[i] * factor();
  std::vector<float> twice(rows * cols);
  if (!doubled(source.data(), twice.data(), rows * cols))
    return std::fprintf(stderr, "doubled: refused\n"), 1;
  for (int i = 0; i < rows * cols; ++i)
    wrong += twice[i] != 2 * source[i];
  std::printf("%d elements, %d wrong\n", rows * cols, wrong);
  return wrong != 0;
}
