#include "compiler/profile/Model.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::profile {

namespace {

constexpr Gpu Gpus[] = {
#define TSK_GPU(...) {__VA_ARGS__},
#include "compiler/profile/Gpus.def"
};

constexpr double IssueWidth = 4;  // warp instructions a cycle: one a scheduler
constexpr double LinesACycle = 1; // of 128 bytes, through L1
constexpr double WavefrontsACycle = 1;
constexpr double TmaBytesACycle = 64; // between L2 and a multiprocessor
constexpr double WarpThreads = 32;

} // namespace

llvm::ArrayRef<Gpu> allGpus() { return Gpus; }

const Gpu *findGpu(llvm::StringRef name) {
  const auto *found = llvm::find_if(Gpus, [&](const Gpu &gpu) { return gpu.name == name; });
  return found == std::end(Gpus) ? nullptr : found;
}

llvm::StringRef nameOf(Resource resource) {
  constexpr llvm::StringLiteral Names[] = {"FP32", "tensor", "issue", "L1", "shared", "TMA"};
  return Names[static_cast<unsigned>(resource)];
}

Cost &Cost::operator+=(const Cost &other) {
  for (unsigned i = 0; i < ResourceCount; ++i)
    cycles[i] += other.cycles[i];
  return *this;
}

Resource Cost::bound() const {
  return static_cast<Resource>(std::max_element(cycles.begin(), cycles.end()) - cycles.begin());
}

Cost costOf(const Accesses &accesses, const Gpu &) {
  Cost cost;
  cost[Resource::Issue] = static_cast<double>(accesses.instructions) / IssueWidth;
  if (accesses.isShared)
    cost[Resource::Shared] = static_cast<double>(accesses.wavefronts) / WavefrontsACycle;
  else
    cost[Resource::L1] = static_cast<double>(accesses.lines) / LinesACycle;
  return cost;
}

// Operations of threads; as instructions of full warps.
Cost costOf(const Arithmetic &arithmetic, const Gpu &gpu) {
  Cost cost;
  const auto operations = static_cast<double>(arithmetic.operations);
  cost[Resource::Fp32] = operations / gpu.fma;
  cost[Resource::Issue] = operations / WarpThreads / IssueWidth;
  return cost;
}

Cost costOf(const Event &event, const Gpu &gpu) {
  Cost cost;
  cost[Resource::Issue] = static_cast<double>(event.instructions) / IssueWidth;
  if (llvm::StringRef(event.what).starts_with("tma_"))
    cost[Resource::Tma] = static_cast<double>(event.bytes) / TmaBytesACycle;
  if (isMultiplication(event))
    cost[Resource::Tensor] =
        static_cast<double>(event.bytes) / (event.what == "mma" ? gpu.mma : gpu.tensor);
  return cost;
}

Cost costOf(const Launch &launch, const Gpu &gpu) {
  Cost cost;
  for (const Accesses &row : launch.accesses)
    cost += costOf(row, gpu);
  for (const Arithmetic &row : launch.arithmetic)
    cost += costOf(row, gpu);
  for (const Event &row : launch.events)
    cost += costOf(row, gpu);
  return cost;
}

} // namespace tsk::profile
