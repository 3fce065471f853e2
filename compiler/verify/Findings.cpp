#include "compiler/verify/Findings.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/report/Explain.h"

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

class Search {
public:
  Search(const plan::Plan &judged, proof::Translation &from, DiagnosticEngine &engine,
         const VerifyOptions &theOptions, VerifyResult &theResult)
      : plan(judged), translation(from), diags(engine), options(theOptions), result(theResult),
        subjects(judged) {}

  void run() {
    while (judge()) {
    }
  }

private:
  // False: there is no more to be found.
  bool judge() {
    protocol::Model model = protocol::buildModel(translation.program);
    protocol::Verdict verdict = judge(model);
    if (verdict.judgement == Judgement::Fault && !isPossible(verdict.scenario))
      verdict = judgeCases(verdict);
    if (verdict.judgement == Judgement::Fault) {
      result.verdict = VerifyResult::Verdict::Fault;
      return onFault(model, verdict);
    }
    if (!reported.empty())
      return false;
    if (verdict.judgement == Judgement::Proved) {
      result.verdict = VerifyResult::Verdict::Proved;
      return false;
    }
    result.verdict = VerifyResult::Verdict::Unknown;
    ReportBuilder report = diags.report({}, NotProved, plan.kernel, verdict.reason);
    if (llvm::StringRef help = wayOut(verdict.reason); !help.empty())
      report.note({}, "{}", help);
    return false;
  }

  protocol::Verdict judge(const protocol::Model &model) {
    protocol::Budget budget;
    budget.maxSteps = options.maxSteps;
    protocol::Verdict verdict = protocol::judge(model, budget);
    result.states += verdict.nodes;
    result.steps += verdict.steps;
    return verdict;
  }

  // The engine relates less than C++ does: what it found need not be a case of the kernel.
  bool isPossible(const protocol::Scenario &scenario) const {
    std::map<int, int> values;
    for (const proof::Meaning &meaning : translation.meanings)
      values[meaning.symbol] = scenario.values[meaning.symbol];
    return proof::isPossible(plan, translation, values);
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
    whole.reason = fmt::format(
        "what it found, {}, cannot be, and it knows too little of these values to go on",
        describeCase(translation.program, impossible.scenario));
    if (conditions.empty() || conditions.size() > MaxConditions)
      return whole;
    bool isProved = true;
    for (unsigned mask = 0; mask < (1u << conditions.size()); ++mask) {
      protocol::Program program = translation.program;
      std::map<int, int> values;
      for (int symbol : conditions) {
        int value = static_cast<int>(mask >> values.size() & 1);
        program.symbols[symbol].min = program.symbols[symbol].max = value;
        values[symbol] = value;
      }
      if (!proof::isPossible(plan, translation, values))
        continue;
      protocol::Verdict one = judge(protocol::buildModel(program));
      if (one.judgement == Judgement::Fault && isPossible(one.scenario))
        return one;
      isProved &= one.judgement == Judgement::Proved;
    }
    if (isProved)
      whole.judgement = Judgement::Proved;
    return whole;
  }

  bool onFault(const protocol::Model &model, const protocol::Verdict &verdict) {
    Trace trace(plan, translation, model, verdict.scenario);
    TSK_CHECK(trace.fault, "a scenario that shows no fault");
    Finding finding = findingOf(trace);
    if (reported.insert(subjectOf(trace, finding)).second)
      explain(trace, finding, verdict.scenario, {options.showsTimelines}, diags);
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

  bool takeOut(const Trace &trace, const Finding &finding) {
    if (finding.cell < 0)
      return false;
    int array = arrayOf(trace, finding);
    // One reading is enough where one is at fault; without a writing the others would be, too.
    const plan::Step *reader = nullptr;
    if (!finding.isWrite)
      reader = finding.place.step;
    else if (finding.kind == FaultKind::Race && !finding.isOtherWrite)
      reader = finding.other.step;
    bool isRemoved = false;
    for (protocol::Task &task : translation.program.tasks)
      isRemoved |= remove(task.body, array, reader);
    return isRemoved;
  }

  bool remove(protocol::Region &region, int array, const plan::Step *reader) {
    bool isRemoved = false;
    for (protocol::Node &node : region) {
      isRemoved |= remove(node.body, array, reader) | remove(node.elseBody, array, reader);
      if (node.kind != protocol::NodeKind::Op)
        continue;
      const plan::Step *step = translation.origins[node.op.provenance].step;
      size_t before = node.op.cells.size();
      llvm::erase_if(node.op.cells, [&](const protocol::CellRef &cell) {
        return sharesBytes(cell.array, array) && (!reader || (step == reader && !cell.isWrite));
      });
      isRemoved |= node.op.cells.size() != before;
    }
    return isRemoved;
  }

  bool sharesBytes(int a, int b) const {
    const protocol::CellArray &x = translation.program.cells[a], &y = translation.program.cells[b];
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
};

} // namespace

void findAll(const plan::Plan &plan, proof::Translation &translation, DiagnosticEngine &diags,
             const VerifyOptions &options, VerifyResult &result) {
  Search(plan, translation, diags, options, result).run();
}

} // namespace tsk::verify
