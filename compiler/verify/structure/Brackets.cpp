// Brackets: acquire … commit and wait … release, on every path through every task.
//
// How many stages a task holds of a resource is a number at each point of its text: branches that
// join agree on it, a loop's body ends with what it began with, a task ends with none. Works are
// called where their stage is held. What is lowered and what every later check reads off the text
// rests on this.
//
// One finding a resource and task: what follows the first is mostly its consequence.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/structure/Edits.h"
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

struct Words {
  llvm::StringRef take, giveBack, taken, both;
};
constexpr Words ProducerWords{"acquire", "commit", "acquired", "acquire and commit"};
constexpr Words ConsumerWords{"wait", "release", "waited for", "wait for and release"};
constexpr Words TurnWords{"enter", "leave", "entered", "enter and leave"};

struct Sides {
  Side producer, consumer;
};
using State = std::vector<Sides>; // by resource

class TaskChecker {
public:
  TaskChecker(const ir::Kernel &theKernel, const ir::Task &theTask, DiagnosticEngine &engine,
              const SourceManager *sourceManager)
      : kernel(theKernel), task(theTask), diags(engine), sources(sourceManager),
        state(theKernel.resources.size()), isBroken(theKernel.resources.size()) {}

  bool run() {
    walk(task.body);
    for (size_t r = 0; r < state.size(); ++r) {
      checkEnd(r, state[r].producer, wordsOf(r, true), "the task ends");
      checkEnd(r, state[r].consumer, wordsOf(r, false), "the task ends");
    }
    return llvm::none_of(isBroken, [](bool broken) { return broken; });
  }

private:
  const std::string &name(size_t resource) const {
    return kernel.resources[kernel.resources.idAt(resource)].name;
  }
  bool isOrder(size_t resource) const {
    return kernel.resources[kernel.resources.idAt(resource)].isOrder;
  }
  const Words &wordsOf(size_t resource, bool isProducer) const {
    return isOrder(resource) ? TurnWords : isProducer ? ProducerWords : ConsumerWords;
  }
  std::string statement(size_t resource, llvm::StringRef word) const {
    return fmt::format("{}.{}()", name(resource), word);
  }

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

  static void offer(ReportBuilder &report, const std::optional<Edit> &edit, std::string title) {
    if (edit)
      report.fixit(edit->range, edit->text, std::move(title));
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
      return take(op, state[op.resource.index].producer, wordsOf(op.resource.index, true));
    case OpKind::Wait:
      return take(op, state[op.resource.index].consumer, wordsOf(op.resource.index, false));
    case OpKind::Commit:
      return giveBack(op, state[op.resource.index].producer, wordsOf(op.resource.index, true));
    case OpKind::Release:
      checkUsed(op);
      return giveBack(op, state[op.resource.index].consumer, wordsOf(op.resource.index, false));
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
      if (auto report = fail(resource, op.loc, HoldsTooMany, statement(resource, words.take),
                             side.held, name(resource), stages))
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
    std::string statementText = statement(resource, words.giveBack);
    if (side.givenBack) {
      if (auto report = fail(resource, op.loc, GivenBackTwice, statementText, words.take)) {
        report->note(side.givenBack->loc, "the first is here");
        offer(*report, removeStatement(sources, op.loc), "remove this one");
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
        fail(resource, side.taken->loc, NotGivenBack, statement(resource, words.take),
             words.giveBack, when);
    if (!report)
      return;
    if (side.last == side.taken)
      return; // whoever works on the stage does so elsewhere: giving it back here is no help
    offerGiveBack(*report, resource, *side.last, words);
  }

  void offerGiveBack(ReportBuilder &report, size_t resource, const Op &last,
                     const Words &words) const {
    const std::string missing = statement(resource, words.giveBack) + ";";
    offer(report, insertBehind(sources, last.loc, missing), fmt::format("insert `{}`", missing));
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
      checkLoop(op, r, state[r].producer, before[r].producer, wordsOf(r, true));
      checkLoop(op, r, state[r].consumer, before[r].consumer, wordsOf(r, false));
    }
  }

  void checkLoop(const Op &op, size_t resource, Side &after, const Side &before,
                 const Words &words) {
    if (after.held > before.held) {
      after.held -= before.held;
      checkEnd(resource, after, words, "the next iteration");
    } else if (after.held < before.held) {
      if (auto report = fail(resource, op.loc, LoopGivesBack, name(resource),
                             statement(resource, words.giveBack)))
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
      joinSide(op, r, state[r].producer, taken[r].producer, before[r].producer, wordsOf(r, true));
      joinSide(op, r, state[r].consumer, taken[r].consumer, before[r].consumer, wordsOf(r, false));
    }
  }

  void joinSide(const Op &op, size_t resource, Side &side, const Side &other, const Side &before,
                const Words &words) {
    if (side.held != other.held) {
      const Side &changed = other.taken != side.taken || other.givenBack ? other : side;
      const Side &fuller = side.held > other.held ? side : other;
      auto report = fail(resource, op.loc, BranchesDisagree, words.both, name(resource));
      if (report && changed.last)
        report->note(changed.last->loc, "one branch ends with this");
      // In the branch that keeps a stage, behind what it does with it.
      if (report && fuller.last != before.last && fuller.last != fuller.taken)
        offerGiveBack(*report, resource, *fuller.last, words);
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
                     workName(kernel.works[late->work]));
        offerMove(*report, op, *late);
      }
    }
  }

  // The call that was meant to read the stage that is released: before the next one is taken.
  const Op *nextReader(ir::ResourceId resource) const {
    for (const Op &op : following) {
      if (op.kind == OpKind::Wait && op.resource == resource)
        return nullptr;
      if (op.kind == OpKind::Call && isReader(kernel.works[op.work], resource))
        return &op;
    }
    return nullptr;
  }

  bool isReader(const ir::Work &work, ir::ResourceId resource) const {
    bool isOwn = work.resource == resource &&
                 (work.kind == ir::WorkKind::Consume || work.kind == ir::WorkKind::Update);
    return isOwn || llvm::any_of(work.accesses, [&](const ir::Access &access) {
             return access.field && kernel.fields[access.field].resource == resource;
           });
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

  std::string workName(const ir::Work &work) const {
    return kernel.resources[work.resource].name + "." + work.name;
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
            ? fail(resource, op.loc, WorkOnOtherSide, workName(work), words::spelling(work.kind),
                   produces ? ConsumerWords.taken : ProducerWords.taken)
            : fail(resource, op.loc, WorkOutsideBracket, workName(work),
                   produces ? "fills" : "reads", name(resource),
                   produces ? "acquire it" : "wait for it");
    if (report && wanted.givenBack) {
      report->note(wanted.givenBack->loc, "it was given back here");
      offerMove(*report, *wanted.givenBack, op);
    } else if (report && !opposite.held) {
      offerTake(*report, op, resource, produces);
    }
  }

  // The stage is given back too early: that goes behind the call, and what else uses the stage.
  void offerMove(ReportBuilder &report, const Op &giveBack, const Op &call) const {
    const ir::ResourceId resource = giveBack.resource;
    const Op *last = &call;
    for (const Op &op : following) {
      if ((op.kind == OpKind::Wait || op.kind == OpKind::Acquire) && op.resource == resource)
        break;
      if (op.kind == OpKind::Call &&
          (kernel.works[op.work].resource == resource || isReader(kernel.works[op.work], resource)))
        last = &op;
    }
    const Words &words = wordsOf(resource.index, giveBack.kind == OpKind::Commit);
    offer(report, moveBehind(sources, giveBack.loc, last->loc),
          fmt::format("move `{}` behind `{}`", statement(resource.index, words.giveBack),
                      workName(kernel.works[last->work])));
  }

  // The stage is given back behind the call, but never taken.
  void offerTake(ReportBuilder &report, const Op &call, size_t resource, bool isProducer) const {
    const auto isOf = [&](const Op &op, OpKind kind) {
      return op.kind == kind && op.resource.index == resource;
    };
    for (const Op &op : following) {
      if (isOf(op, isProducer ? OpKind::Acquire : OpKind::Wait))
        return;
      if (!isOf(op, isProducer ? OpKind::Commit : OpKind::Release))
        continue;
      const Words &words = wordsOf(resource, isProducer);
      const std::string missing = statement(resource, words.take) + ";";
      return offer(report, insertBefore(sources, call.loc, missing),
                   fmt::format("insert `{}`", missing));
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
    auto report = fail(resource.index, op.loc, WorkOutsideBracket, workName(work),
                       access.isWrite ? "writes" : "reads", name(resource.index), "wait for it");
    if (report && sides.consumer.givenBack) {
      report->note(sides.consumer.givenBack->loc, "it was given back here");
      offerMove(*report, *sides.consumer.givenBack, op);
    } else if (report) {
      offerTake(*report, op, resource.index, /*isProducer=*/false);
    }
  }

  const ir::Kernel &kernel;
  const ir::Task &task;
  DiagnosticEngine &diags;
  const SourceManager *sources;
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
