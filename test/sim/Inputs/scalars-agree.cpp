// Compares the simulator's small types with those of CUDA's headers, which run on the host too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include "tsk/scalars.h"

#include <cmath>
#include <cstdio>
#include <cstring>

static long compared = 0, different = 0;

// Equal bits, or two NaNs.
template <typename Ours, typename Theirs> void compare(Ours ours, Theirs theirs, double from) {
  static_assert(sizeof(Ours) == sizeof(Theirs));
  ++compared;
  if (std::memcmp(&ours, &theirs, sizeof ours) == 0)
    return;
  if (std::isnan(static_cast<float>(ours)) && std::isnan(static_cast<float>(theirs)))
    return;
  if (++different < 10)
    std::printf("from %.17g: ours %.9g, theirs %.9g\n", from, static_cast<float>(ours),
                static_cast<float>(theirs));
}

template <typename Number> void encode(Number x) {
  compare(tsk::f16(x), __half(x), x);
  compare(tsk::bf16(x), __nv_bfloat16(x), x);
  compare(tsk::f8e4m3(x), __nv_fp8_e4m3(x), x);
  compare(tsk::f8e5m2(x), __nv_fp8_e5m2(x), x);
  compare(tsk::f4e2m1(x), __nv_fp4_e2m1(x), x);
  compare(tsk::ue8m0(x), __nv_fp8_e8m0(x), x);
}

template <typename Ours, typename Theirs, typename Bits> void decode() {
  for (unsigned i = 0; i < (1u << (8 * sizeof(Bits))); ++i) {
    const Bits bits = static_cast<Bits>(i);
    Ours ours;
    Theirs theirs;
    std::memcpy(&ours, &bits, sizeof bits);
    std::memcpy(&theirs, &bits, sizeof bits);
    compare(static_cast<float>(ours), static_cast<float>(theirs), i);
  }
}

int main() {
  decode<tsk::f16, __half, unsigned short>();
  decode<tsk::bf16, __nv_bfloat16, unsigned short>();
  decode<tsk::f8e4m3, __nv_fp8_e4m3, unsigned char>();
  decode<tsk::f8e5m2, __nv_fp8_e5m2, unsigned char>();
  decode<tsk::ue8m0, __nv_fp8_e8m0, unsigned char>();
  // Every 997th float: all exponents, most patterns of the bits that decide a rounding.
  for (unsigned long long i = 0; i < (1ull << 32); i += 997) {
    const auto bits = static_cast<unsigned>(i);
    float x;
    std::memcpy(&x, &bits, sizeof x);
    encode(x);
    encode(static_cast<double>(x) * (1.0 + 0x1p-40));
  }
  std::printf("%s: %ld differ\n", compared > 1000000 ? "compared" : "too few", different);
  return different != 0;
}
