// A body is followed once with its loops as they stand: that is quick, and tells what it does.
// Which bytes each thread touches may then be open, since an index that divides a loop's counter is
// no sum of rounds, and all that a template's expansion touches counts as one. It is followed again
// as nvcc would unroll it, and what is known then of bytes takes the place of the first.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

namespace {

bool isAboutBytes(const EventFact &fact) {
  using Kind = EventFact::Kind;
  return fact.kind == Kind::Outside || fact.kind == Kind::NotShownInside || fact.kind == Kind::Meet;
}

void adopt(WorkFacts &facts, WorkFacts closer) {
  llvm::erase_if(facts.events, isAboutBytes);
  llvm::copy_if(closer.events, std::back_inserter(facts.events), isAboutBytes);
  facts.covers = std::move(closer.covers);
  for (AccessFact &fact : facts.accesses)
    for (const AccessFact &same : closer.accesses)
      if (same.role == fact.role && same.isWrite == fact.isWrite &&
          same.mechanism == fact.mechanism && same.place == fact.place && same.via == fact.via)
        fact.elements.mayMeet = same.elements.mayMeet;
}

} // namespace

WorkFacts readBody(const tree::Tree &tree, const Function &function, const tree::Tree::Root &root) {
  Interpreter quick(tree, function);
  WorkFacts facts = quick.run(root);
  if (!facts.notFollowed.empty() || !quick.mayTellMore())
    return facts;
  WorkFacts closer = Interpreter(tree, function, Interpreter::Way::Closely).run(root);
  if (closer.notFollowed.empty())
    adopt(facts, std::move(closer));
  return facts;
}

} // namespace tsk::body
