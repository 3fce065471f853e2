// What the benchmark measures, and how.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

// One way to copy a matrix. `run` returns what went wrong, or nothing.
struct candidate {
  std::string name;  // "tma_copy f16, 4 stages"
  std::string group; // candidates of a group have one schedule and element size
  bool is_generated = false;
  int element_bytes = 2;
  int row_multiple = 1, col_multiple = 1; // the shapes that it takes
  bool is_timed = false;
  std::function<std::string(const void *src, void *dst, int rows, int cols, cudaStream_t)> run;
};

std::vector<candidate> all_candidates();

// 0 if every candidate copies every shape exactly and writes nothing else.
int check(const std::vector<candidate> &candidates, bool with_large);
int time_all(const std::vector<candidate> &candidates);

} // namespace bench
