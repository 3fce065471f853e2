// What the consumers of a stage read, its producers have written: all bytes of it, in all threads'
// calls between `acquire` and `commit`.
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyReading.h"

#include "compiler/ir/Text.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace tsk::body {

using ir::FieldId;
using ir::ResourceId;

constexpr Diagnostic<std::string, std::string, int64_t, int64_t, std::string> StageNotFilled{
    kind::StageNotFilled,
    "not proved: that this stage of `{}` is full: `{}` is read at bytes {} .. {}, which no call "
    "since `acquire` certainly writes; write them in any case, or let the work that does declare "
    "its effects, which are then trusted: `writes({})`"};

namespace {

// The bytes of each field that a stage holds.
using Stage = std::map<FieldId, llvm::BitVector>;

class Coverage {
public:
  Coverage(const ir::Kernel &k, const Reading &r, DiagnosticEngine &d)
      : kernel(k), reading(r), diags(d) {
    for (size_t i = 0; i < kernel.works.size(); ++i)
      addReads(kernel.works.idAt(i));
    for (size_t i = 0; i < kernel.regions.size(); ++i)
      for (const ir::Op &op : kernel.regions[kernel.regions.idAt(i)].ops)
        if (op.kind == ir::OpKind::ParallelFor)
          addSpread(op.body);
  }

  void check() {
    for (size_t i = 0; i < kernel.tasks.size(); ++i) {
      task = kernel.tasks.idAt(i);
      held.clear();
      visit(kernel.tasks[task].body);
    }
    for (size_t i = 0; i < kernel.fields.size(); ++i)
      checkKept(kernel.fields.idAt(i));
  }

  // Which bytes are there though nobody has seen who writes them.
  const std::set<std::string> &assumptions() const { return assumed; }

private:
  llvm::BitVector bytesOf(FieldId field, bool isSet = false) const {
    return llvm::BitVector(static_cast<unsigned>(kernel.fields[field].stageBytes()), isSet);
  }

  // Of one work, in one task or all, each field and what is known of its bytes.
  void eachCover(const WorkFacts &facts, bool isWrite,
                 llvm::function_ref<void(FieldId, const llvm::BitVector &)> found) const {
    const Function &function = reading.request.functions[facts.function];
    for (const CoverFact &fact : facts.covers) {
      const Role &role = function.roles[fact.role];
      if (fact.isWrite != isWrite || role.kind != Role::Kind::Field)
        continue;
      llvm::BitVector bytes = bytesOf(FieldId{role.id});
      for (const auto &[first, end] : fact.ranges)
        bytes.set(static_cast<unsigned>(first),
                  static_cast<unsigned>(std::min<int64_t>(end, bytes.size())));
      found(FieldId{role.id}, bytes);
    }
  }

  void addReads(ir::WorkId id) {
    const ir::Work &work = kernel.works[id];
    auto add = [&](FieldId field, const llvm::BitVector &bytes) {
      auto [known, isNew] = needed.try_emplace(field, bytes);
      if (!isNew)
        known->second |= bytes;
    };
    for (const WorkFacts *facts : reading.factsOf(kernel, id))
      if (work.kind != ir::WorkKind::Produce && reading.request.functions[facts->function].task)
        eachCover(*facts, false, add);
    for (const ir::Access &access : work.declared)
      if (access.field && !access.isWrite)
        add(access.field, bytesOf(access.field, true));
  }

  // What stands in a `parallel for` is called by some threads.
  void addSpread(ir::RegionId id) {
    if (!id)
      return;
    for (const ir::Op &op : kernel.regions[id].ops) {
      if (op.kind == ir::OpKind::Call)
        spread.insert(op.work);
      addSpread(op.body);
      addSpread(op.elseBody);
    }
  }

  // ---- Along a task ----

  void visit(ir::RegionId id) {
    if (!id)
      return;
    for (const ir::Op &op : kernel.regions[id].ops)
      visit(op);
  }

  void visit(const ir::Op &op) {
    switch (op.kind) {
    case ir::OpKind::Acquire:
      held[op.resource].emplace_back();
      return;
    case ir::OpKind::Commit:
      return commit(op);
    case ir::OpKind::Call:
      return call(op);
    case ir::OpKind::If: {
      const auto before = held;
      visit(op.body);
      const auto taken = std::exchange(held, before);
      visit(op.elseBody);
      return meet(taken);
    }
    case ir::OpKind::For:
    case ir::OpKind::ParallelFor: {
      const auto before = held;
      visit(op.body);
      const std::optional<int64_t> low = ir::constantValue(kernel.tables, op.loop.lower);
      const std::optional<int64_t> high = ir::constantValue(kernel.tables, op.loop.upper);
      if (op.kind == ir::OpKind::ParallelFor || !low || !high || *low >= *high)
        meet(before); // perhaps no round
      return;
    }
    default:
      return;
    }
  }

  void commit(const ir::Op &op) {
    std::vector<Stage> &stages = held[op.resource];
    if (stages.empty())
      return;
    Stage stage = std::move(stages.front());
    stages.erase(stages.begin());
    const ir::Resource &resource = kernel.resources[op.resource];
    if (!resource.pipeline || resource.pipeline->isExchange)
      return;
    for (FieldId field : resource.fields) {
      const auto read = needed.find(field);
      if (kernel.fields[field].init || kernel.fields[field].viewOf || read == needed.end())
        continue;
      llvm::BitVector missing = read->second;
      if (const auto written = stage.find(field); written != stage.end())
        missing.reset(written->second);
      const int first = missing.find_first();
      if (first < 0 || hasView(field))
        continue;
      missing.flip();
      const int end = missing.find_next(static_cast<unsigned>(first));
      diags.report(op.loc, StageNotFilled, resource.name, ir::fieldName(kernel, field), first,
                   (end < 0 ? static_cast<int64_t>(missing.size()) : end) - 1,
                   ir::fieldName(kernel, field));
    }
  }

  // Of a field that no pipeline hands over: each work that writes it should write all that is read.
  void checkKept(FieldId id) {
    const ir::Field &field = kernel.fields[id];
    const auto read = needed.find(id);
    const ir::Resource &resource = kernel.resources[field.resource];
    if (resource.pipeline || resource.space != ir::SpaceKind::Smem || field.init ||
        read == needed.end())
      return;
    for (size_t i = 0; i < kernel.works.size(); ++i) {
      const ir::WorkId work = kernel.works.idAt(i);
      if (llvm::any_of(kernel.works[work].declared,
                       [&](const ir::Access &access) { return access.field == id; }))
        continue;
      for (const WorkFacts *facts : reading.factsOf(kernel, work))
        if (reading.request.functions[facts->function].task)
          eachCover(*facts, true, [&](FieldId written, const llvm::BitVector &bytes) {
            llvm::BitVector missing = read->second;
            if (written == id && (spread.count(work) || missing.reset(bytes).any()))
              assumed.insert(fmt::format(
                  "that what is read of `{}`, which is written in parts, has been written",
                  ir::fieldName(kernel, id)));
          });
    }
  }

  // Views of columns are other fields with the same bytes.
  bool hasView(FieldId field) const {
    return llvm::any_of(kernel.fields,
                        [&](const ir::Field &other) { return other.viewOf == field; });
  }

  void call(const ir::Op &op) {
    const ir::Work &work = kernel.works[op.work];
    const auto stages = held.find(work.resource);
    const unsigned behind = op.stagesBehind(work.resource);
    if (stages == held.end() || behind >= stages->second.size())
      return;
    Stage &stage = stages->second[stages->second.size() - 1 - behind];
    auto add = [&](FieldId field, const llvm::BitVector &bytes) {
      auto [known, isNew] = stage.try_emplace(field, bytes);
      if (!isNew)
        known->second |= bytes;
    };
    for (const ir::Access &access : work.declared)
      if (access.field && access.isWrite)
        add(access.field, bytesOf(access.field, true));
    // What all instances of the work write, whichever this call is of.
    std::optional<Stage> all;
    for (const WorkFacts *facts : reading.factsOf(kernel, op.work)) {
      if (reading.request.functions[facts->function].task != task)
        continue;
      Stage one;
      eachCover(*facts, true,
                [&](FieldId field, const llvm::BitVector &bytes) { one[field] = bytes; });
      all = all ? common(*all, one) : one;
    }
    for (const auto &[field, bytes] : all.value_or(Stage()))
      add(field, bytes);
  }

  static Stage common(const Stage &a, const Stage &b) {
    Stage result;
    for (const auto &[field, bytes] : a)
      if (const auto other = b.find(field); other != b.end()) {
        result[field] = bytes;
        result[field] &= other->second;
      }
    return result;
  }

  void meet(const std::map<ResourceId, std::vector<Stage>> &other) {
    for (auto &[resource, stages] : held) {
      const auto known = other.find(resource);
      for (size_t i = 0; i < stages.size(); ++i)
        stages[i] = known != other.end() && i < known->second.size()
                        ? common(stages[i], known->second[i])
                        : Stage();
    }
  }

  const ir::Kernel &kernel;
  const Reading &reading;
  DiagnosticEngine &diags;
  ir::TaskId task;
  std::map<FieldId, llvm::BitVector> needed;
  std::set<ir::WorkId> spread;                   // works with a call in a `parallel for`
  std::map<ResourceId, std::vector<Stage>> held; // oldest first
  std::set<std::string> assumed;
};

// Threads of one call that may meet in a tensor, as far as the reader can tell.
std::set<std::string> meetingsInTensors(const ir::Kernel &kernel, const Reading &reading) {
  std::set<std::string> assumed;
  const auto together = calledTogether(kernel);
  for (const WorkFacts &facts : reading.reply.works) {
    const Function &function = reading.request.functions[facts.function];
    if (function.kernel != kernel.name || !together.count({function.task, function.work}) ||
        !kernel.works[function.work].declared.empty())
      continue;
    for (const EventFact &fact : facts.events)
      if (fact.kind == EventFact::Kind::Meet &&
          function.roles[*fact.role].kind == Role::Kind::Tensor)
        assumed.insert(
            fmt::format("that the threads of one call of `{}` have elements of their own of `{}`",
                        function.name, function.roles[*fact.role].name));
  }
  return assumed;
}

} // namespace

bool checkCoverage(const ir::Kernel &kernel, const Reading &reading, DiagnosticEngine &diags,
                   std::vector<std::string> &assumptions) {
  const unsigned errors = diags.errorCount();
  llvm::append_range(assumptions, meetingsInTensors(kernel, reading));
  if (reading.isFollowed(kernel)) {
    Coverage coverage(kernel, reading, diags);
    coverage.check();
    llvm::append_range(assumptions, coverage.assumptions());
    checkFirstProducts(kernel, reading, diags);
  }
  return diags.errorCount() == errors;
}

} // namespace tsk::body
