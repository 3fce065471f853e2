// Launches with numbers that the kernel's types cannot hold, beside ones that they just can.
#include "arithmetic.tsk.h"

#include <cstdint>
#include <cstdio>

static void report(const char *what, const tsk::status &s) {
  std::printf("%s: %s%s\n", what, s ? "ok" : "refused: ", s.message().c_str());
}

// Places of tensors that a refused launch does not touch.
static int *at(int number) { return reinterpret_cast<int *>(std::uintptr_t(number + 1) << 44); }

int main() {
  using namespace kernels;
  tsk::device_buffer<int> x, y;
  if (!x.allocate(64) || !y.allocate(64))
    return 1;
  constexpr int most = INT32_MAX;

  report("product", product({at(0), at(1), 0, 65536, 32768}));
  report("sum", product({x.data(), y.data(), most - 1, 4, 4}));
  report("no quotient", product({x.data(), y.data(), 0, 4, 4}));
  report("far CTAs", few({y.data(), 1 << 23}));
  report("grid", of_grid({y.data(), 1 << 23}));
  report("near CTAs", few({y.data(), 100}));
  report("no step", stepped({y.data(), 0, 1, 8}));
  report("backwards", stepped({y.data(), -1, 1, 8}));
  report("long step", stepped({y.data(), most, 1, 8}));
  report("no parts", stepped({y.data(), 1, 0, 8}));
  report("parts", stepped({y.data(), 1, 2, 8}));
  report("negative extents", extents({at(0), at(1), 2}));
  report("extents", extents({x.data(), y.data(), 5}));
  report("long stride", strides({y.data(), 1, 1 << 30}));
  report("stride", strides({y.data(), 2, 4}));
  report("unsigned", unsigned_loop({y.data(), 1u << 31}));
  report("no more", unsigned_loop({y.data(), 4}));
  report("wide", wide_loop({y.data(), INT64_MAX / 2 + 1}));
  report("wide end", wide_loop({y.data(), 4}));
  report("few CTAs", from_block({y.data(), 4}));
  report("a CTA too many", from_block({y.data(), 49}));
  report("far too many", from_block({y.data(), 1 << 27}));
  report("tiles", of_tile({y.data(), 8, 24}));
  report("large tile", of_tile({at(0), 1500000000, 1600000000}));
  report("many tiles", of_tile({at(0), 10, 30000}));
  report("either", chosen({y.data(), 4, 4, true}));
  report("or", chosen({y.data(), 4, 4, false}));
  report("neither", chosen({y.data(), 1, 4, false}));
  report("equal", chosen({y.data(), 2, 4, false}));
  report("a sign that C++ drops", chosen({y.data(), -1, 4, false}));
  report("another", chosen({y.data(), -2, 4, false}));
  report("again", again({y.data(), most}));
  report("far", again({y.data(), 1 << 30}));
}
