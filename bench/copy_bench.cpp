// The copy kernels on a GPU: are they right, and how fast are they beside cudaMemcpyAsync and
// beside hand-written kernels of the same schedule. Plain C++: what a user of generated launchers
// writes.
//
//   copy_bench check    every kernel on many shapes and on 2 GiB, bit for bit against the host
//   copy_bench small    the same on small shapes only, for compute-sanitizer
//   copy_bench time     a table in Markdown
#include "harness.h"

#include <cstdio>
#include <cstring>

using namespace bench;

int main(int argc, char **argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const std::vector<candidate> candidates = all_candidates();
  if (mode == "check")
    return check(candidates, true);
  if (mode == "small")
    return check(candidates, false);
  if (mode == "time")
    return time_all(candidates);
  std::fprintf(stderr, "usage: copy_bench check | small | time\n");
  return 2;
}
