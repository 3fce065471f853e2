// What a finding about brackets says of a resource, and the fix-its that it offers.
#pragma once

#include "compiler/ir/Kernel.h"
#include "compiler/verify/structure/Edits.h"

namespace tsk::verify {

struct Words {
  llvm::StringRef take, giveBack, taken, both;
};
inline constexpr Words ProducerWords{"acquire", "commit", "acquired", "acquire and commit"};
inline constexpr Words ConsumerWords{"wait", "release", "waited for", "wait for and release"};
inline constexpr Words TurnWords{"enter", "leave", "entered", "enter and leave"};

class BracketEdits {
public:
  // What stands behind an operation, in its region.
  using Ops = llvm::ArrayRef<ir::Op>;

  BracketEdits(const ir::Kernel &theKernel, const SourceManager *sourceManager)
      : kernel(theKernel), sources(sourceManager) {}

  const std::string &name(size_t resource) const;
  const Words &wordsOf(size_t resource, bool isProducer) const;
  std::string statement(size_t resource, llvm::StringRef word) const; // `box.acquire()`
  std::string workName(const ir::Work &work) const;
  bool isReader(const ir::Work &work, ir::ResourceId resource) const;

  void offerRemoval(ReportBuilder &report, const ir::Op &op) const;
  void offerGiveBack(ReportBuilder &report, size_t resource, const ir::Op &last,
                     const Words &words) const;
  // The stage is given back too early: that goes behind the call, and what else uses the stage.
  void offerMove(ReportBuilder &report, const ir::Op &giveBack, const ir::Op &call,
                 Ops following) const;
  // The stage is given back behind the call, but never taken.
  void offerTake(ReportBuilder &report, const ir::Op &call, size_t resource, bool isProducer,
                 Ops following) const;

private:
  const ir::Kernel &kernel;
  const SourceManager *sources;
};

} // namespace tsk::verify
