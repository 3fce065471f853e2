#include "compiler/verify/Findings.h"
#include "compiler/verify/Confirm.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/report/Explain.h"
#include "compiler/verify/report/Meeting.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace tsk::verify {

namespace {

using protocol::FaultKind;
using protocol::Judgement;

constexpr Diagnostic<std::string, std::string> NotProved{
    kind::NotProved, "the verifier cannot decide whether `{}` is right: {}"};

llvm::StringRef wayOut(llvm::StringRef reason) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Ways[] = {
#define TSK_WAY_OUT(Reason, Sentence) {Reason, Sentence},
#include "compiler/verify/WaysOut.def"
  };
  for (auto [part, sentence] : Ways)
    if (reason.contains(part))
      return sentence;
  return {};
}

// Of a fault that was found in no launch and has both sides in one task.
constexpr llvm::StringLiteral OneTasksWayOut =
    "put between the two what orders them (`task.sync();`, `cta.sync();`, `await` of the work), or "
    "say with `requires` how large the values are with which they do not meet";

// Which barriers and fields belong together: those of one resource, those that a task walks over
// with one cursor, and a load's field and barrier.
class Subjects {
public:
  explicit Subjects(const plan::Plan &plan)
      : barriers(plan.cursors.size()), fields(barriers + plan.barriers.size()),
        parent(fields + plan.fields.size()) {
    for (size_t i = 0; i < parent.size(); ++i)
      parent[i] = static_cast<int>(i);
    std::map<std::string, int> owners;
    for (size_t i = 0; i < plan.barriers.size(); ++i) {
      plan::BarrierId id = plan.barriers.idAt(i);
      if (const std::string &owner = plan.barriers[id].resource; !owner.empty())
        join(nodeOf(id), owners.try_emplace(owner, nodeOf(id)).first->second);
    }
    for (const plan::Region &region : plan.regions)
      for (const plan::Step &step : region.steps)
        add(step);
  }

  int ofBarrier(plan::BarrierId id) { return find(nodeOf(id)); }
  int ofField(plan::FieldId id) { return find(nodeOf(id)); }

private:
  int nodeOf(plan::CursorId id) const { return static_cast<int>(id.index); }
  int nodeOf(plan::BarrierId id) const { return static_cast<int>(barriers + id.index); }
  int nodeOf(plan::FieldId id) const { return static_cast<int>(fields + id.index); }
  int find(int node) {
    while (parent[node] != node)
      node = parent[node] = parent[parent[node]];
    return node;
  }
  void join(int a, int b) { parent[find(a)] = find(b); }

  void add(const plan::Step &step) {
    if (step.barrier && step.at.cursor)
      join(nodeOf(step.barrier), nodeOf(step.at.cursor));
    for (const plan::Access &access : step.accesses) {
      if (!access.field)
        continue;
      if (access.at.cursor)
        join(nodeOf(access.field), nodeOf(access.at.cursor));
      if (access.completes)
        join(nodeOf(access.field), nodeOf(access.completes));
    }
  }

  size_t barriers, fields; // where their nodes begin
  std::vector<int> parent;
};

// A fault as the plan's steps say it.
struct Shown {
  Shown(const plan::Plan &plan, const proof::Translation &translation,
        const protocol::Verdict &verdict)
      : model(protocol::buildModel(translation.program)),
        trace(plan, translation, model, verdict.scenario), scenario(verdict.scenario) {
    TSK_CHECK(trace.fault, "a scenario that shows no fault");
    finding = findingOf(trace);
  }

  protocol::Model model;
  Trace trace;
  const protocol::Scenario &scenario;
  Finding finding;
};

class Search {
public:
  Search(const plan::Plan &judged, proof::Translation &from, DiagnosticEngine &engine,
         const VerifyOptions &theOptions, VerifyResult &theResult)
      : plan(judged), translation(from), diags(engine), options(theOptions), result(theResult),
        subjects(judged), stepsOfTrials(theOptions.maxSteps),
        confirmer(judged, theOptions.kernel, [this](proof::Translation &launch) {
          for (const Removal &removal : removals)
            takeOut(launch, removal);
          return tryOne(launch.program);
        }) {}

  void run() {
    while (findOne()) {
    }
  }

private:
  // False: there is no more to be found.
  bool findOne() {
    protocol::Verdict verdict = judge(translation.program, options.maxSteps);
    std::optional<protocol::Verdict> impossible; // a fault, but of no launch
    if (verdict.judgement == Judgement::Fault) {
      const std::optional<bool> goesOn = onFault(verdict);
      if (goesOn)
        return *goesOn;
      impossible = verdict;
      verdict = judgeCases(verdict);
    }
    if (verdict.judgement != Judgement::Proved && verdict.fault)
      if (std::optional<Confirmed> other = confirmer.findAny())
        return report(Shown(plan, *other->translation, other->verdict), *other);
    if (!reported.empty())
      return false;
    if (verdict.judgement == Judgement::Proved && !doubt.empty()) {
      verdict.judgement = Judgement::Unknown;
      verdict.reason = doubt;
    }
    conclude(verdict, impossible);
    return false;
  }

  // Without a finding.
  void conclude(const protocol::Verdict &verdict,
                const std::optional<protocol::Verdict> &impossible) {
    if (verdict.judgement == Judgement::Proved) {
      result.verdict = VerifyResult::Verdict::Proved;
      return;
    }
    result.verdict = VerifyResult::Verdict::Unknown;
    std::optional<Shown> shown;
    if (impossible && doubt.empty())
      shown.emplace(plan, translation, *impossible);
    ReportBuilder report = diags.report(shown ? loopOf(shown->trace, shown->finding)
                                              : placeOf(plan, translation, verdict.reason),
                                        NotProved, plan.kernel, verdict.reason);
    if (shown)
      noteUnconfirmed(report, shown->trace, shown->finding);
    if (shown && noteLoops(report, shown->trace, shown->finding, options.sources))
      return;
    const bool isOneTasks = shown && shown->finding.other.step &&
                            shown->trace.taskOf(shown->finding.place.agent) ==
                                shown->trace.taskOf(shown->finding.other.agent);
    if (llvm::StringRef help =
            isOneTasks ? llvm::StringRef(OneTasksWayOut) : wayOut(verdict.reason);
        !help.empty())
      report.note({}, "{}", help);
  }

  protocol::Verdict judge(const protocol::Program &program, uint64_t maxSteps) {
    protocol::Budget budget;
    budget.maxSteps = maxSteps;
    protocol::Verdict verdict = protocol::judge(protocol::buildModel(program), budget);
    result.states += verdict.nodes;
    result.steps += verdict.steps;
    return verdict;
  }

  // One launch or one case of many, which all together have one budget.
  protocol::Verdict tryOne(const protocol::Program &program) {
    protocol::Verdict verdict = judge(program, stepsOfTrials);
    stepsOfTrials -= std::min(stepsOfTrials, verdict.steps);
    return verdict;
  }

  static std::string caseText(const std::string &values) {
    return values.empty() ? "a fault" : "a fault for " + values;
  }

  // Each case of the conditions that can be, by itself.
  protocol::Verdict judgeCases(const protocol::Verdict &impossible) {
    constexpr size_t MaxConditions = 6;
    std::set<int> conditions;
    for (const proof::Meaning &meaning : translation.meanings)
      if (translation.program.symbols[meaning.symbol].isCondition)
        conditions.insert(meaning.symbol);
    protocol::Verdict whole;
    whole.judgement = Judgement::Unknown;
    whole.fault = impossible.fault;
    whole.reason = fmt::format("what it found, {}, happens in no launch that was tried{}",
                               caseText(describeCase(translation.program, impossible.scenario)),
                               stepsOfTrials ? "" : ", and trying more takes too many steps");
    if (conditions.empty() || conditions.size() > MaxConditions)
      return whole;
    for (unsigned mask = 0; mask < (1u << conditions.size()); ++mask)
      if (!isCaseProved(conditions, mask))
        return whole;
    whole.judgement = Judgement::Proved;
    return whole;
  }

  bool isCaseProved(const std::set<int> &conditions, unsigned mask) {
    protocol::Program program = translation.program;
    std::map<int, int> values;
    for (int symbol : conditions) {
      int value = static_cast<int>(mask >> values.size() & 1);
      program.symbols[symbol].min = program.symbols[symbol].max = value;
      values[symbol] = value;
    }
    return !proof::isPossible(plan, translation, values) ||
           tryOne(program).judgement == Judgement::Proved;
  }

  // Nothing: it is not known to be a run of the kernel.
  std::optional<bool> onFault(const protocol::Verdict &verdict) {
    const Shown shown(plan, translation, verdict);
    std::optional<Confirmed> confirmed = confirmer.confirm(translation, verdict.scenario);
    if (!confirmed)
      return std::nullopt;
    const Shown same(plan, *confirmed->translation, confirmed->verdict);
    const bool isSame = same.finding.kind == shown.finding.kind &&
                        same.finding.place.step == shown.finding.place.step;
    if (!isSame && !isDecided(translation))
      return report(same, *confirmed);
    confirmed->launch.clear(); // the symbols say it better
    return report(shown, *confirmed);
  }

  // Whether a scenario says all of a launch that matters: the launch's run is then the scenario's.
  static bool isDecided(const proof::Translation &from) {
    std::set<int> known;
    for (const proof::Meaning &meaning : from.meanings)
      known.insert(meaning.symbol);
    for (size_t i = 0; i < from.program.symbols.size(); ++i)
      if (!known.count(static_cast<int>(i)))
        return false;
    return true;
  }

  // True: there may be more to be found.
  bool report(const Shown &shown, const Confirmed &confirmed) {
    const Trace &trace = shown.trace;
    const Finding &finding = shown.finding;
    if (finding.cell >= 0 && !doMeet(trace, finding, fieldOf(trace, finding), confirmed.values)) {
      if (doubt.empty())
        doubt = fmt::format("it cannot tell whether warps of task `{}` meet in `{}`",
                            trace.taskName(finding.place.agent), trace.cellName(finding.cell));
      return takeOut(trace, finding);
    }
    result.verdict = VerifyResult::Verdict::Fault;
    if (reported.insert(subjectOf(trace, finding)).second)
      explain(trace, finding, shown.scenario,
              {options.showsTimelines, options.sources, confirmed.launch}, diags);
    return finding.isAboutData() && takeOut(trace, finding);
  }

  // What a finding is about: a pipeline's barriers and fields are one thing.
  int subjectOf(const Trace &trace, const Finding &finding) {
    if (finding.cell >= 0)
      return subjects.ofField(fieldOf(trace, finding));
    if (finding.element >= 0)
      return subjects.ofBarrier(barrierOf(trace.model.elements[finding.element].array));
    const Moment &place = finding.place;
    return place.agent >= 0 && place.step->barrier ? subjects.ofBarrier(place.step->barrier) : -1;
  }

  // The mbarriers of the program are those of the plan, in their order.
  plan::BarrierId barrierOf(int array) const {
    for (size_t i = 0; i < plan.barriers.size(); ++i)
      if (plan.barriers[plan.barriers.idAt(i)].kind == plan::Barrier::Kind::Mbarrier &&
          array-- == 0)
        return plan.barriers.idAt(i);
    TSK_UNREACHABLE("an array without a barrier");
  }

  plan::FieldId fieldOf(const Trace &trace, const Finding &finding) const {
    const std::string &name = translation.program.cells[arrayOf(trace, finding)].name;
    for (size_t i = 0; i < plan.fields.size(); ++i)
      if (plan.fields[plan.fields.idAt(i)] == name)
        return plan.fields.idAt(i);
    TSK_UNREACHABLE("a cell without a field");
  }

  static int arrayOf(const Trace &trace, const Finding &finding) {
    const std::vector<int> &bases = trace.model.cellBase;
    return static_cast<int>(llvm::upper_bound(bases, finding.cell) - bases.begin() - 1);
  }

  // ---- taking out what is at fault

  // Accesses to a field: the readings of one step, or all.
  struct Removal {
    int array = -1;
    const plan::Step *reader = nullptr;
  };

  bool takeOut(const Trace &trace, const Finding &finding) {
    if (finding.cell < 0)
      return false;
    Removal removal{arrayOf(trace, finding)};
    // One reading is enough where one is at fault; without a writing the others would be, too.
    if (!finding.isWrite)
      removal.reader = finding.place.step;
    else if (finding.kind == FaultKind::Race && !finding.isOtherWrite)
      removal.reader = finding.other.step;
    removals.push_back(removal);
    return takeOut(translation, removal);
  }

  static bool takeOut(proof::Translation &from, const Removal &removal) {
    bool isRemoved = false;
    for (protocol::Task &task : from.program.tasks)
      isRemoved |= remove(from, task.body, removal);
    return isRemoved;
  }

  static bool remove(const proof::Translation &from, protocol::Region &region,
                     const Removal &removal) {
    bool isRemoved = false;
    for (protocol::Node &node : region) {
      isRemoved |= remove(from, node.body, removal) | remove(from, node.elseBody, removal);
      if (node.kind != protocol::NodeKind::Op)
        continue;
      const plan::Step *step = from.origins[node.op.provenance].step;
      size_t before = node.op.cells.size();
      llvm::erase_if(node.op.cells, [&](const protocol::CellRef &cell) {
        return sharesBytes(from.program, cell.array, removal.array) &&
               (!removal.reader || (step == removal.reader && !cell.isWrite));
      });
      isRemoved |= node.op.cells.size() != before;
    }
    return isRemoved;
  }

  static bool sharesBytes(const protocol::Program &program, int a, int b) {
    const protocol::CellArray &x = program.cells[a], &y = program.cells[b];
    auto end = [](const protocol::CellArray &cell) { return cell.stageAt(cell.stages); };
    return a == b || (x.hasAddress && y.hasAddress && x.address < end(y) && y.address < end(x));
  }

  const plan::Plan &plan;
  proof::Translation &translation;
  DiagnosticEngine &diags;
  const VerifyOptions &options;
  VerifyResult &result;
  Subjects subjects;
  std::set<int> reported;
  std::string doubt;             // the first one: why nothing is proved
  std::vector<Removal> removals; // so far
  uint64_t stepsOfTrials;        // that are left
  Confirmer confirmer;
};

} // namespace

void findAll(const plan::Plan &plan, proof::Translation &translation, DiagnosticEngine &diags,
             const VerifyOptions &options, VerifyResult &result) {
  Search(plan, translation, diags, options, result).run();
}

} // namespace tsk::verify
