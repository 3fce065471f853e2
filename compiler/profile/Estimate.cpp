#include "compiler/profile/Estimate.h"

#include <algorithm>

namespace tsk::profile {

constexpr unsigned WarpThreads = 32;

Occupancy occupancyOf(const Launch &launch, const Gpu &gpu) {
  const auto threads = static_cast<unsigned>(launch.threads());
  Occupancy result{gpu.ctas, 0, gpu.threads / WarpThreads, "CTAs"};
  const auto limitTo = [&](unsigned ctas, llvm::StringRef what) {
    if (ctas < result.ctas) {
      result.ctas = ctas;
      result.limit = what;
    }
  };
  limitTo(gpu.threads / std::max(threads, 1u), "threads");
  // The system keeps one KiB of each CTA's.
  if (launch.sharedBytes != 0)
    limitTo(static_cast<unsigned>(uint64_t(gpu.shared) * 1024 / (launch.sharedBytes + 1024)),
            "shared memory");
  result.warps = result.ctas * ((threads + WarpThreads - 1) / WarpThreads);
  return result;
}

double Estimate::total() const {
  return std::max({seconds[seconds.bound()], memorySeconds, waitSeconds});
}

llvm::StringRef Estimate::bound() const {
  if (total() == waitSeconds)
    return "latency";
  return total() == memorySeconds ? "memory" : nameOf(seconds.bound());
}

// Of all CTAs of an SM, as many as fit at once.
static double waitSecondsOf(const Launch &launch, const Gpu &gpu, double scale, double busySeconds,
                            unsigned ctas) {
  if (launch.memoryRounds == 0 || ctas == 0)
    return 0;
  const double rounds = launch.memoryRounds * scale / gpu.multiprocessors;
  const double serial = launch.serialRounds / launch.memoryRounds;
  return (rounds * gpu.latency * 1e-9 + serial * busySeconds) / ctas;
}

// All that a multiprocessor does slows down with it where the tensor cores set its clock.
static Cost secondsOf(const Launch &launch, const Gpu &gpu, const Problem &problem) {
  Cost cost;
  const auto add = [&](Cost part, bool isOfResult) {
    for (double &cycles : part.cycles)
      cycles *= isOfResult ? problem.resultScale : problem.scale;
    cost += part;
  };
  for (const Accesses &row : launch.accesses)
    add(costOf(row, gpu), row.isStore && !row.isShared);
  for (const Arithmetic &row : launch.arithmetic)
    add(costOf(row, gpu), false);
  for (const Event &row : launch.events)
    add(costOf(row, gpu), row.what == "tma_store");
  const bool isTensorBound = cost.bound() == Resource::Tensor;
  const double clock = isTensorBound ? gpu.tensorClock : gpu.clock;
  for (double &cycles : cost.cycles)
    cycles /= gpu.multiprocessors * clock * 1e9;
  return cost;
}

Estimate estimate(const Launch &launch, const Gpu &gpu, const Problem &problem) {
  Estimate result;
  result.seconds = secondsOf(launch, gpu, problem);
  result.bytes = problem.tensorBytes;
  result.memorySeconds = problem.tensorBytes / (gpu.bandwidth * gpu.copiedShare * 1e9);
  for (const Arithmetic &row : launch.arithmetic)
    result.operations += static_cast<double>(row.operations) * (row.kind == "fma" ? 2 : 1);
  for (const Event &row : launch.events)
    if (isMultiplication(row))
      result.operations += static_cast<double>(row.bytes);
  result.operations *= problem.scale;
  result.occupancy = occupancyOf(launch, gpu);
  result.waitSeconds = waitSecondsOf(
      launch, gpu, problem.scale,
      result.seconds.cycles[static_cast<unsigned>(result.seconds.bound())], result.occupancy.ctas);
  return result;
}

} // namespace tsk::profile
