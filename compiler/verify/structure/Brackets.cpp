// Brackets: acquire … commit and wait … release, on every path through every task.
//
// How many stages a task holds of a resource is a number at each point of its text: branches that
// join agree on it, a loop's body ends with what it began with, a task ends with none. Works are
// called where their stage is held. What is lowered and what every later check reads off the text
// rests on this.
//
// One finding a resource and task: what follows the first is mostly its consequence.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/structure/BracketEdits.h"
#include "compiler/verify/structure/Structure.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

using ir::Op;
using ir::OpKind;

constexpr Diagnostic<std::string, llvm::StringRef> GiveBackWithoutTake{
    kind::GiveBackWithoutTake, "`{}` without `{}`: no stage is held here"};
constexpr Diagnostic<std::string, llvm::StringRef> GivenBackTwice{kind::GivenBackTwice,
                                                                  "second `{}` for one `{}`"};
constexpr Diagnostic<std::string, llvm::StringRef, llvm::StringRef> NotGivenBack{
    kind::NotGivenBack, "`{}` is not followed by `{}` before {}"};
constexpr Diagnostic<std::string, std::string> LoopGivesBack{
    kind::LoopGivesBack,
    "each iteration of this loop gives back one more stage of `{}` than it takes: after the first, "
    "`{}` finds none"};
constexpr Diagnostic<llvm::StringRef, std::string> BranchesDisagree{
    kind::BranchesDisagree,
    "the branches of this `if` {} different numbers of stages of `{}`; where they join, what is "
    "held must be the same"};
constexpr Diagnostic<std::string, unsigned, std::string, unsigned> HoldsTooMany{
    kind::HoldsTooMany, "`{}` would be stage number {} that this task holds, and `{}` "
                        "has {}: it would wait for itself"};
constexpr Diagnostic<std::string, llvm::StringRef, std::string, llvm::StringRef> WorkOutsideBracket{
    kind::WorkOutsideBracket, "`{}` {} a stage of `{}` that this task does not hold; {} first"};
constexpr Diagnostic<std::string, llvm::StringRef, llvm::StringRef> WorkOnOtherSide{
    kind::WorkOnOtherSide, "`{}` is a `{}` work, but the stage held here is one that was {}"};
constexpr Diagnostic<std::string, std::string> WaitUnused{
    kind::WaitUnused, "task `{}` waits for `{}` and gives the stage back without consuming it"};

// One side of one resource in one task.
struct Side {
  unsigned held = 0;
  bool isUsed = false;           // the stages held have been read
  const Op *taken = nullptr;     // the newest acquire or wait
  const Op *last = nullptr;      // the newest operation or call on it, for fix-its
  const Op *givenBack = nullptr; // the newest commit or release since a take
};

struct Sides {
  Side producer, consumer;
};
using State = std::vector<Sides>; // by resource

class TaskChecker {
public:
  TaskChecker(const ir::Kernel &theKernel, const ir::Task &theTask, DiagnosticEngine &engine,
              const SourceManager *sourceManager)
      : kernel(theKernel), task(theTask), diags(engine), edits(theKernel, sourceManager),
        state(theKernel.resources.size()), isBroken(theKernel.resources.size()) {}

  bool run() {
    walk(task.body);
    for (size_t r = 0; r < state.size(); ++r) {
      checkEnd(r, state[r].producer, edits.wordsOf(r, true), "the task ends");
      checkEnd(r, state[r].consumer, edits.wordsOf(r, false), "the task ends");
    }
    return llvm::none_of(isBroken, [](bool broken) { return broken; });
  }

private:
  // Reports unless the resource has had its finding.
  template <typename... Args>
  std::optional<ReportBuilder> fail(size_t resource, SourceRange place,
                                    const Diagnostic<Args...> &diagnostic,
                                    const std::type_identity_t<Args> &...args) {
    if (isBroken[resource])
      return std::nullopt;
    isBroken[resource] = true;
    return diags.report(place, diagnostic, args...);
  }

  void walk(ir::RegionId region) {
    if (!region)
      return;
    llvm::ArrayRef<Op> ops = kernel.regions[region].ops;
    while (!ops.empty()) {
      const Op &op = ops.front();
      ops = ops.drop_front();
      following = ops;
      visit(op);
    }
  }

  void visit(const Op &op) {
    switch (op.kind) {
    case OpKind::Acquire:
      return take(op, state[op.resource.index].producer, edits.wordsOf(op.resource.index, true));
    case OpKind::Wait:
      return take(op, state[op.resource.index].consumer, edits.wordsOf(op.resource.index, false));
    case OpKind::Commit:
      return giveBack(op, state[op.resource.index].producer,
                      edits.wordsOf(op.resource.index, true));
    case OpKind::Release:
      checkUsed(op);
      return giveBack(op, state[op.resource.index].consumer,
                      edits.wordsOf(op.resource.index, false));
    case OpKind::Call:
      return call(op);
    case OpKind::For:
      return loop(op);
    case OpKind::If:
      return branch(op);
    default:
      return walk(op.body);
    }
  }

  void take(const Op &op, Side &side, const Words &words) {
    size_t resource = op.resource.index;
    unsigned stages =
        kernel.resources[op.resource].pipeline ? kernel.resources[op.resource].pipeline->stages : 1;
    if (++side.held > stages)
      if (auto report = fail(resource, op.loc, HoldsTooMany, edits.statement(resource, words.take),
                             side.held, edits.name(resource), stages))
        report->note(side.taken->loc, "the one before is taken here");
    side.taken = side.last = &op;
    side.givenBack = nullptr;
    side.isUsed &= side.held > 1; // of several, one that is read will do
  }

  void giveBack(const Op &op, Side &side, const Words &words) {
    size_t resource = op.resource.index;
    side.last = &op;
    if (side.held > 0) {
      --side.held;
      side.givenBack = &op;
      return;
    }
    std::string statementText = edits.statement(resource, words.giveBack);
    if (side.givenBack) {
      if (auto report = fail(resource, op.loc, GivenBackTwice, statementText, words.take)) {
        report->note(side.givenBack->loc, "the first is here");
        edits.offerRemoval(*report, op);
      }
    } else {
      fail(resource, op.loc, GiveBackWithoutTake, statementText, words.take);
    }
  }

  // The end of a task or of a loop's body, where the stages taken in it must have been given back.
  void checkEnd(size_t resource, Side &side, const Words &words, llvm::StringRef when) {
    if (side.held == 0)
      return;
    side.held = 0;
    std::optional<ReportBuilder> report =
        fail(resource, side.taken->loc, NotGivenBack, edits.statement(resource, words.take),
             words.giveBack, when);
    if (!report)
      return;
    if (side.last == side.taken)
      return; // whoever works on the stage does so elsewhere: giving it back here is no help
    edits.offerGiveBack(*report, resource, *side.last, words);
  }

  // Of tiles that two tasks share, the task's own: in the other's it only passes stages by.
  ir::RegionId bodyOf(const Op &loop) const {
    llvm::ArrayRef<Op> ops = kernel.regions[loop.body].ops;
    const bool isShared = ops.size() == 1 && ops[0].kind == OpKind::If && loop.loc.isValid() &&
                          ops[0].loc == loop.loc;
    return isShared ? ops[0].body : loop.body;
  }

  void loop(const Op &op) {
    State before = state;
    walk(bodyOf(op));
    for (size_t r = 0; r < state.size(); ++r) {
      checkLoop(op, r, state[r].producer, before[r].producer, edits.wordsOf(r, true));
      checkLoop(op, r, state[r].consumer, before[r].consumer, edits.wordsOf(r, false));
    }
  }

  void checkLoop(const Op &op, size_t resource, Side &after, const Side &before,
                 const Words &words) {
    if (after.held > before.held) {
      after.held -= before.held;
      checkEnd(resource, after, words, "the next iteration");
    } else if (after.held < before.held) {
      if (auto report = fail(resource, op.loc, LoopGivesBack, edits.name(resource),
                             edits.statement(resource, words.giveBack)))
        report->note(after.givenBack->loc, "it is given back here");
    }
    after.held = before.held;
  }

  void branch(const Op &op) {
    const State before = state;
    walk(op.body);
    State taken = std::exchange(state, before);
    walk(op.elseBody);
    for (size_t r = 0; r < state.size(); ++r) {
      joinSide(op, r, state[r].producer, taken[r].producer, before[r].producer,
               edits.wordsOf(r, true));
      joinSide(op, r, state[r].consumer, taken[r].consumer, before[r].consumer,
               edits.wordsOf(r, false));
    }
  }

  void joinSide(const Op &op, size_t resource, Side &side, const Side &other, const Side &before,
                const Words &words) {
    if (side.held != other.held) {
      const Side &changed = other.taken != side.taken || other.givenBack ? other : side;
      const Side &fuller = side.held > other.held ? side : other;
      auto report = fail(resource, op.loc, BranchesDisagree, words.both, edits.name(resource));
      if (report && changed.last)
        report->note(changed.last->loc, "one branch ends with this");
      // In the branch that keeps a stage, behind what it does with it.
      if (report && fuller.last != before.last && fuller.last != fuller.taken)
        edits.offerGiveBack(*report, resource, *fuller.last, words);
    }
    side.held = std::max(side.held, other.held);
    side.isUsed |= other.isUsed;
    if (!side.taken)
      side.taken = other.taken;
    if (!side.last)
      side.last = other.last;
  }

  void checkUsed(const Op &op) {
    Side &side = state[op.resource.index].consumer;
    const ir::Resource &resource = kernel.resources[op.resource];
    // A pipeline without fields passes tokens: there is nothing to consume.
    if (side.held == 0 || side.isUsed || resource.fields.empty())
      return;
    if (auto report =
            fail(op.resource.index, side.taken->loc, WaitUnused, task.name, resource.name)) {
      report->note(op.loc, "it is released here");
      if (const Op *late = nextReader(op.resource)) {
        report->note(late->loc, "`{}` reads it only here: release it after that",
                     edits.workName(kernel.works[late->work]));
        edits.offerMove(*report, op, *late, following);
      }
    }
  }

  // The call that was meant to read the stage that is released: before the next one is taken.
  const Op *nextReader(ir::ResourceId resource) const {
    for (const Op &op : following) {
      if (op.kind == OpKind::Wait && op.resource == resource)
        return nullptr;
      if (op.kind == OpKind::Call && edits.isReader(kernel.works[op.work], resource))
        return &op;
    }
    return nullptr;
  }

  // ---- Calls ----

  void call(const Op &op) {
    const ir::Work &work = kernel.works[op.work];
    const ir::Resource &own = kernel.resources[work.resource];
    if (own.pipeline && work.kind != ir::WorkKind::Setup)
      checkOwn(op, work);
    for (const ir::Access &access : work.accesses) {
      if (!access.field)
        continue;
      ir::ResourceId resource = kernel.fields[access.field].resource;
      if (resource == work.resource || !kernel.resources[resource].pipeline)
        continue;
      checkForeign(op, work, resource, access);
    }
  }

  void checkOwn(const Op &op, const ir::Work &work) {
    size_t resource = work.resource.index;
    Sides &sides = state[resource];
    bool produces = work.kind == ir::WorkKind::Produce;
    Side &wanted = produces || (work.kind == ir::WorkKind::Update && !sides.consumer.held)
                       ? sides.producer
                       : sides.consumer;
    const Side &opposite = &wanted == &sides.producer ? sides.consumer : sides.producer;
    if (wanted.held > op.stagesBehind(work.resource)) {
      wanted.last = &op;
      wanted.isUsed = true;
      return;
    }
    std::optional<ReportBuilder> report =
        opposite.held
            ? fail(resource, op.loc, WorkOnOtherSide, edits.workName(work),
                   words::spelling(work.kind), produces ? ConsumerWords.taken : ProducerWords.taken)
            : fail(resource, op.loc, WorkOutsideBracket, edits.workName(work),
                   produces ? "fills" : "reads", edits.name(resource),
                   produces ? "acquire it" : "wait for it");
    if (report && wanted.givenBack) {
      report->note(wanted.givenBack->loc, "it was given back here");
      edits.offerMove(*report, *wanted.givenBack, op, following);
    } else if (report && !opposite.held) {
      edits.offerTake(*report, op, resource, produces, following);
    }
  }

  // A body may read what its task holds, of any resource.
  void checkForeign(const Op &op, const ir::Work &work, ir::ResourceId resource,
                    const ir::Access &access) {
    Sides &sides = state[resource.index];
    Side &side = sides.consumer.held ? sides.consumer : sides.producer;
    if (side.held > op.stagesBehind(resource)) {
      side.isUsed = true;
      side.last = &op;
      return;
    }
    auto report =
        fail(resource.index, op.loc, WorkOutsideBracket, edits.workName(work),
             access.isWrite ? "writes" : "reads", edits.name(resource.index), "wait for it");
    if (report && sides.consumer.givenBack) {
      report->note(sides.consumer.givenBack->loc, "it was given back here");
      edits.offerMove(*report, *sides.consumer.givenBack, op, following);
    } else if (report) {
      edits.offerTake(*report, op, resource.index, /*isProducer=*/false, following);
    }
  }

  const ir::Kernel &kernel;
  const ir::Task &task;
  DiagnosticEngine &diags;
  BracketEdits edits;
  State state;
  llvm::ArrayRef<Op> following; // what is being visited, in its region
  std::vector<bool> isBroken;   // by resource
};

} // namespace

bool checkBrackets(const ir::Kernel &kernel, DiagnosticEngine &diags,
                   const SourceManager *sources) {
  bool isGood = true;
  for (const ir::Task &task : kernel.tasks)
    isGood &= TaskChecker(kernel, task, diags, sources).run();
  return isGood;
}

} // namespace tsk::verify
