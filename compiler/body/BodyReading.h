// What Clang found in the bodies of a module: as accesses of works, as findings.
#pragma once

#include "compiler/body/BodyReply.h"
#include "compiler/ir/Module.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

#include <set>

namespace tsk::body {

struct Reading {
  Request request;
  Reply reply;

  // The facts of a work, one a task and list of `const` arguments.
  std::vector<const WorkFacts *> factsOf(const ir::Kernel &kernel, ir::WorkId work) const;
  // Whether the work's body was followed to its end, in all of them.
  bool isFollowed(const ir::Kernel &kernel, ir::WorkId work) const;
  bool isFollowed(const ir::Kernel &kernel) const; // all works
  // Whether a finding rests on bodies that were followed: the one that it stands in, or all.
  bool covers(const ir::Module &module, const Report &report) const;
};

// The works that all threads of a task call as one somewhere: not each its own call, in a `parallel
// for`.
std::set<std::pair<ir::TaskId, ir::WorkId>> calledTogether(const ir::Kernel &kernel);

// Puts the facts in the place of what the tokens let guess, for works that were followed.
void applyFacts(ir::Module &module, const Reading &reading);

// Findings about one kernel of the module. May change who issues a work, as checkIssuers does.
void checkFacts(ir::Kernel &kernel, const Reading &reading, const SourceManager &sources,
                DiagnosticEngine &diags);

// Whether all that consumers read of a stage has been written when it is committed; reports where
// that cannot be shown. For kernels whose brackets are right.
bool checkCoverage(const ir::Kernel &kernel, const Reading &reading, DiagnosticEngine &diags,
                   std::vector<std::string> &assumptions);

// Whether each first multiplication into an accumulator begins it, in each task; reports where that
// cannot be shown.
void checkFirstProducts(const ir::Kernel &kernel, const Reading &reading, DiagnosticEngine &diags);

// The facts as text, for --print-after=read-bodies.
void print(const ir::Module &module, const Reading &reading, llvm::raw_ostream &os);

SourceRange rangeOf(const CxxPlace &place, const SourceManager &sources);

} // namespace tsk::body
