// The verifier: judges a task graph and the plan made from it.
//
//   structure/  rules on the task graph that need no run: brackets, roles, effects, routing,
//   contract checks/     rules on the plan that need no run: budgets, uniformity, lanes proof/ the
//   plan as a program of the engine: what is a trip count, what is a choice protocol/   the engine:
//   proves V1 to V6 for every trip count, tile, choice and interleaving report/     a run of the
//   engine in the plan's words: findings, timelines, the schedule table
//
// Each property is decided in one place. The engine decides V1 to V6 and nothing else does; what a
// finding or a table shows is a run of the engine itself.
#pragma once

#include "compiler/plan/Plan.h"
#include "compiler/support/Diagnostics.h"

#include <string>
#include <vector>

namespace tsk::verify {

struct VerifyOptions {
  // With it, fix-its know where statements end.
  const SourceManager *sources = nullptr;
  // The task graph that the plan was made from, which has passed checkStructure.
  const ir::Kernel *kernel = nullptr;
  bool showsTimelines = true;
  // Of the proof, operation by operation; more: the verdict is unknown.
  uint64_t maxSteps = 20000000;
  // Somebody has judged where in their stages the bodies' accesses are.
  bool judgesPlaces = false;
  // Off where a warp counts as one thread (an oracle that knows no lanes).
  bool checksLanes = true;
};

// V1 to V10.
struct Property {
  llvm::StringRef id;       // "V1"
  llvm::StringRef name;     // "liveness"
  llvm::StringRef sentence; // "every task reaches its end"
};
llvm::ArrayRef<Property> allProperties();

struct VerifyResult {
  enum class Verdict : uint8_t { Proved, Fault, Unknown };
  Verdict verdict = Verdict::Unknown;
  std::vector<const Property *> proved; // Proved: all that were asked
  std::vector<std::string> ranges;      // "`rows / 64` >= 1": of what it holds for
  std::vector<std::string> assumptions; // the `requires` it rests on, and what it takes for granted
  unsigned states = 0;                  // between work tiles
  uint64_t steps = 0;                   // of the proof
};

// The rules that the passes of compiler/plan rely on. False: an error was reported.
bool checkStructure(const ir::Kernel &kernel, DiagnosticEngine &diags,
                    const VerifyOptions &options = {});

// Proves a plan or reports why that is not possible, all findings of it. True: proved.
bool verify(const plan::Plan &plan, DiagnosticEngine &diags, const VerifyOptions &options,
            VerifyResult &result);

// The verdict in words, one sentence a line.
std::string describe(const VerifyResult &result);

} // namespace tsk::verify
