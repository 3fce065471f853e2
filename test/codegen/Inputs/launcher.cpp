// Calls a launcher with one thing wrong at a time and prints what it says.
#include "tma_copy.tsk.h"

#include <cstdint>
#include <cstdio>
#include <vector>

static void report(const char *what, const tsk::status &s) {
  std::printf("%s: %s%s\n", what, s ? "ok" : "refused: ", s.message().c_str());
}

int main() {
  using kernels::tma_copy;
  constexpr int rows = 128, cols = 256;
  tsk::device_buffer<tsk::f16> src, dst;
  if (!src.allocate(2 * rows * cols) || !dst.allocate(rows * cols))
    return 1;
  std::vector<tsk::f16> before(rows * cols, tsk::f16(1.0f)), after(rows * cols, tsk::f16(0.0f));
  if (!src.upload(before.data(), before.size()) || !dst.upload(after.data(), after.size()))
    return 1;

  const tsk::f16 *in = src.data();
  tsk::f16 *out = dst.data();
  report("cols", tma_copy({in, out, rows, 100}));
  report("rows", tma_copy({in, out, 65, cols}));
  report("negative", tma_copy({in, out, -64, cols}));
  report("null source", tma_copy({nullptr, out, rows, cols}));
  report("null output", tma_copy({in, nullptr, rows, cols}));
  report("misaligned source", tma_copy({in + 1, out, rows, cols}));
  report(
      "misaligned output",
      tma_copy({in, reinterpret_cast<tsk::f16 *>(reinterpret_cast<char *>(out) + 1), rows, cols}));
  report("overlap", tma_copy({in, src.data() + rows * cols - 1, rows, cols}));
  report("side by side", tma_copy({in, src.data() + rows * cols, rows, cols}));
  report("nothing to do", tma_copy({nullptr, nullptr, 0, cols}));
  const auto far = [](std::uintptr_t address) { return reinterpret_cast<tsk::f16 *>(address); };
  report("too many rows", tma_copy({far(1 << 20), far(std::uintptr_t(1) << 45), 2147483584, 128}));

  // Nothing was launched so far that could have written dst.
  int written = 0;
  if (!dst.download(after.data(), after.size()))
    return 1;
  for (tsk::f16 x : after)
    written += static_cast<float>(x) != 0.0f;
  std::printf("written by refused launches: %d\n", written);

  report("all is well", tma_copy({in, out, rows, cols}));
  if (!dst.download(after.data(), after.size()))
    return 1;
  written = 0;
  for (tsk::f16 x : after)
    written += static_cast<float>(x) == 1.0f;
  std::printf("copied: %d of %d\n", written, rows * cols);
}
