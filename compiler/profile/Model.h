// A roofline over what was counted: each resource of a multiprocessor takes so many cycles for its
// part, all of them at the same time, and the slowest binds. An estimate: latencies, dependences,
// caches and the instructions between those that are counted are left out.
#pragma once

#include "compiler/profile/Profile.h"

#include "llvm/ADT/ArrayRef.h"

namespace tsk::profile {

struct Gpu {
  llvm::StringRef name, title;
  unsigned multiprocessors;
  double clock, tensorClock;     // GHz; the second while the tensor cores are busy
  double bandwidth, copiedShare; // GB/s, and the part of it that a copy reaches
  double latency;                // of device memory, ns
  unsigned fma, tensor, mma;
  unsigned threads, ctas;
  unsigned shared, sharedCta; // KiB

  double peakGflops() const { return 2.0 * multiprocessors * fma * clock; }
};
llvm::ArrayRef<Gpu> allGpus();
const Gpu *findGpu(llvm::StringRef name); // null: not known

enum class Resource : uint8_t { Fp32, Tensor, Issue, L1, Shared, Tma };
constexpr unsigned ResourceCount = 6;
llvm::StringRef nameOf(Resource resource);

// Of the tensor cores; the `bytes` of such an event are operations.
inline bool isMultiplication(const Event &event) {
  return event.what == "wgmma" || event.what == "mma";
}

// Cycles of one multiprocessor, were it alone.
using Cycles = std::array<double, ResourceCount>;
struct Cost {
  Cycles cycles{};
  double &operator[](Resource r) { return cycles[static_cast<unsigned>(r)]; }
  double operator[](Resource r) const { return cycles[static_cast<unsigned>(r)]; }
  Cost &operator+=(const Cost &other);
  Resource bound() const; // of the most cycles
};
Cost costOf(const Accesses &accesses, const Gpu &gpu);
Cost costOf(const Arithmetic &arithmetic, const Gpu &gpu);
Cost costOf(const Event &event, const Gpu &gpu);
Cost costOf(const Launch &launch, const Gpu &gpu);

} // namespace tsk::profile
