// The integers that the kernel computes and the launcher can compute too. The launcher counts in 64
// bits and sees every overflow, the kernel in the types of the language: where both could differ,
// the launcher checks that they do not.
#pragma once

#include "compiler/codegen/cuda/Expressions.h"

namespace tsk::codegen {

// Statements for the launcher: `check.computes<int>("rows * cols", rows * cols);` for arithmetic,
// `check.loop<int>("i", n, 8);` for loops that could run past their type. Only what may go wrong is
// checked, and only what nothing inside the kernel (a loop's variable, a work's result) has a part
// in. A CTA's index stands for all of them, as a tsk::range.
struct LauncherStatement {
  std::string condition; // under which it is executed; empty: always
  std::string text;
};
struct ArithmeticChecks {
  std::vector<LauncherStatement> always;
  std::vector<LauncherStatement> ofGrid; // mention the grid, which a persistent kernel learns late
};

ArithmeticChecks arithmeticChecks(const KernelContext &context);

} // namespace tsk::codegen
