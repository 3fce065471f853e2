// Wavefronts of one shared-memory instruction, for patterns of addresses: prints the simulator's
// figure for each launch, in the order of the launches, which Nsight Compute counts (compare.py
// puts them beside each other).
#include "runtime/sim/machine/counting/patterns.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

using tsk::sim::warp_access;

constexpr unsigned shared_bytes = 32 * 1024;

// What this lane asks for, as an address of shared memory.
__device__ unsigned place_of_lane(const warp_access &access) {
  extern __shared__ unsigned char memory[];
  return static_cast<unsigned>(__cvta_generic_to_shared(memory)) +
         static_cast<unsigned>(access.addresses[threadIdx.x]);
}

template <unsigned Bytes> __global__ void load_kernel(warp_access access, unsigned *result) {
  const unsigned place = place_of_lane(access);
  if ((access.mask >> threadIdx.x & 1) == 0)
    return;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if constexpr (Bytes == 4)
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(a) : "r"(place));
  else if constexpr (Bytes == 8)
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(place));
  else
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(place));
  result[threadIdx.x] = a + b + c + d;
}

template <unsigned Bytes> __global__ void store_kernel(warp_access access, unsigned *result) {
  const unsigned place = place_of_lane(access);
  if ((access.mask >> threadIdx.x & 1) == 0)
    return;
  const unsigned a = threadIdx.x;
  if constexpr (Bytes == 4)
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(place), "r"(a) : "memory");
  else if constexpr (Bytes == 8)
    asm volatile("st.shared.v2.b32 [%0], {%1, %1};" ::"r"(place), "r"(a) : "memory");
  else
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(place), "r"(a) : "memory");
}

static unsigned *result;

template <unsigned Bytes>
static void measure(const std::string &name, uint32_t mask,
                    const std::function<unsigned(unsigned)> &element) {
  warp_access access;
  access.mask = mask;
  access.bytes = Bytes;
  for (unsigned lane = 0; lane < 32; ++lane)
    access.addresses[lane] = element(lane) * Bytes % shared_bytes;
  const unsigned loaded = tsk::sim::cost_of_shared(access).wavefronts;
  load_kernel<Bytes><<<1, 32, shared_bytes>>>(access, result);
  std::printf("load,%u,%s,%u\n", Bytes, name.c_str(), loaded);
  access.is_store = true;
  const unsigned stored = tsk::sim::cost_of_shared(access).wavefronts;
  store_kernel<Bytes><<<1, 32, shared_bytes>>>(access, result);
  std::printf("store,%u,%s,%u\n", Bytes, name.c_str(), stored);
}

static void measure_all(const std::string &name, uint32_t mask,
                        const std::function<unsigned(unsigned)> &element) {
  measure<4>(name, mask, element);
  measure<8>(name, mask, element);
  measure<16>(name, mask, element);
}

int main() {
  if (cudaMalloc(&result, 128) != cudaSuccess)
    return 1;
  constexpr uint32_t all = ~0u;
  for (unsigned stride : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 16u, 17u, 32u, 33u})
    measure_all("stride " + std::to_string(stride), all, [=](unsigned l) { return l * stride; });
  for (unsigned bit : {1u, 2u, 4u, 8u, 16u})
    measure_all("pairs " + std::to_string(bit), all, [=](unsigned l) { return l & ~bit; });
  for (unsigned bit : {1u, 2u, 4u, 8u, 16u})
    measure_all("pairs " + std::to_string(bit) + " apart", all,
                [=](unsigned l) { return (l & ~bit) * 2; });
  for (unsigned group : {4u, 8u, 16u}) {
    measure_all("groups of " + std::to_string(group), all, [=](unsigned l) { return l / group; });
    measure_all("groups of " + std::to_string(group) + " apart", all,
                [=](unsigned l) { return l / group * 8; });
    measure_all("again after " + std::to_string(group), all, [=](unsigned l) { return l % group; });
  }
  measure_all("mixed pairs", all, [](unsigned l) { return l < 16 ? l & ~1u : l & ~2u; });
  measure_all("half in pairs", all, [](unsigned l) { return l < 16 ? l & ~1u : l; });
  for (uint32_t mask : {0xffffu, 0xffu, 0x55555555u, 0x33333333u, 0x0f0f0f0fu, 0x00ff00ffu, 1u}) {
    char text[16];
    std::snprintf(text, sizeof text, "mask %x", mask);
    measure_all(text, mask, [](unsigned l) { return l; });
    measure_all(std::string(text) + " apart", mask, [](unsigned l) { return l * 2; });
  }
  uint32_t state = 1;
  for (int i = 0; i < 8; ++i) {
    unsigned table[32];
    for (unsigned &at : table) {
      state = state * 1664525u + 1013904223u;
      at = (state >> 16) % (i < 4 ? 1024 : 24);
    }
    measure_all("random " + std::to_string(i), all, [&](unsigned l) { return table[l]; });
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
