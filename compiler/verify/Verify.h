// The verifier: judges a task graph and the plan made from it.
//
//   structure/   rules on the task graph that need no run: brackets, roles, effects, routing,
//   contract checks/      rules on the plan that need no run: budgets, uniformity model/       the
//   plan as a machine, its coordinates (trip counts, branches), one run's operations run/ the
//   canonical run: one run judged for all interleavings report/      findings as diagnostics,
//   timelines
//
// This version tries the trip counts around the number of stages, and says which. A proof for all
// of them would stand beside run/ (a search for periods on the same runs); its verdict is an
// `unknown` here that becomes a `proved` there.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h"

#include <string>
#include <vector>

namespace tsk::verify {

struct VerifyOptions {
  // With it, fix-its know where statements end.
  const SourceManager *sources = nullptr;
  size_t maxRuns = 256;
  size_t maxStepsPerRun = 100000;
  size_t maxSteps = 1000000; // of all runs
  bool showsTimelines = true;
  // Off where a warp counts as one thread (an oracle that knows no lanes).
  bool checksLanes = true;
};

// What was tried of one coordinate.
struct CheckedCoordinate {
  std::string text;                // "rows / 64"
  std::vector<std::string> values; // "0", "1", "5"; "never", "always"
};

struct VerifyResult {
  enum class Verdict : uint8_t { Clean, Fault, Unknown };
  Verdict verdict = Verdict::Clean;
  unsigned runs = 0;
  size_t steps = 0;
  std::vector<CheckedCoordinate> coordinates;
  std::vector<std::string> assumptions; // the `requires` it rests on
  std::vector<std::string> limits;      // what was left out, in words
};

// The rules that the passes of compiler/plan rely on. False: an error was reported.
bool checkStructure(const ir::Kernel &kernel, DiagnosticEngine &diags,
                    const VerifyOptions &options = {});

// Everything: the structure of the kernel, then the plan. True: no fault was found.
bool verify(const ir::Kernel &kernel, const plan::Plan &plan, DiagnosticEngine &diags,
            const VerifyOptions &options, VerifyResult &result);

// The plan alone, as it may be read from a text.
bool verify(const plan::Plan &plan, DiagnosticEngine &diags, const VerifyOptions &options,
            VerifyResult &result);

// The verdict in words, one sentence a line.
std::string describe(const VerifyResult &result);

} // namespace tsk::verify
