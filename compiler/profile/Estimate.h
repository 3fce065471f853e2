// How long a large launch of a kernel would take on a GPU, from a small one that was counted.
//
// What is written to tensors grows with their size. Every other counter grows with the number of
// multiply-adds, which is taken to grow with the product of the kernel's dimensions: right for what
// its innermost loop does, too much for what happens once an element of the result. The slowest
// resource binds; device memory moves each tensor once.
//
// A CTA lasts at least as long as its rounds of loads from device memory, one after the other;
// where nothing else of it can happen meanwhile, also as long as all that it does. Only other CTAs
// of the same SM can work meanwhile.
#pragma once

#include "compiler/profile/Model.h"

namespace tsk::profile {

struct Problem {
  double scale = 1;       // times as much work as in the launch that was counted
  double resultScale = 1; // times as many bytes in the tensors that it writes
  double tensorBytes = 0; // of all tensors together
};

// CTAs that an SM holds at once. Registers are not known before ptxas has run.
struct Occupancy {
  unsigned ctas = 0, warps = 0, mostWarps = 0;
  llvm::StringRef limit; // "threads", "shared memory", "CTAs"
};
Occupancy occupancyOf(const Launch &launch, const Gpu &gpu);

struct Estimate {
  Cost seconds;             // of each resource of the SMs, all of them at work
  double memorySeconds = 0; // of device memory
  double waitSeconds = 0;   // for what it brings, where too few CTAs are there to do something else
  double operations = 0;    // FLOP: two a multiply-add, tensor cores included
  double bytes = 0;         // of all tensors
  Occupancy occupancy;

  double total() const;
  llvm::StringRef bound() const;
  double gflops() const { return operations / total() * 1e-9; }
  double gigabytes() const { return bytes / total() * 1e-9; } // a second
};
Estimate estimate(const Launch &launch, const Gpu &gpu, const Problem &problem);

} // namespace tsk::profile
