// Copies a matrix of random bits on the GPU and compares it with what was sent.
#include "tma_copy.tsk.h"

#include <cstdio>
#include <cstring>
#include <random>
#include <vector>

static int fail(const tsk::status &s) {
  std::fprintf(stderr, "%s\n", s.message().c_str());
  return 1;
}

int main() {
  constexpr int rows = 4096, cols = 8192;
  constexpr size_t count = size_t(rows) * cols;
  std::vector<tsk::f16> sent(count), received(count);
  std::mt19937 random(1);
  auto *words = reinterpret_cast<unsigned *>(sent.data());
  for (size_t i = 0; i < count / 2; ++i)
    words[i] = random();

  tsk::device_buffer<tsk::f16> src, dst;
  for (tsk::device_buffer<tsk::f16> *buffer : {&src, &dst})
    if (const tsk::status s = buffer->allocate(count); !s)
      return fail(s);
  if (const tsk::status s = src.upload(sent.data(), count); !s)
    return fail(s);
  if (const tsk::status s = kernels::tma_copy({src.data(), dst.data(), rows, cols}); !s)
    return fail(s);
  if (const tsk::status s = tsk::synchronize(); !s)
    return fail(s);
  if (const tsk::status s = dst.download(received.data(), count); !s)
    return fail(s);

  const bool is_equal = std::memcmp(sent.data(), received.data(), count * sizeof(tsk::f16)) == 0;
  std::printf("%d x %d halves: %s\n", rows, cols, is_equal ? "equal" : "DIFFERENT");
  return is_equal ? 0 : 1;
}
