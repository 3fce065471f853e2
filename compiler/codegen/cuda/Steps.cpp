// The steps of a task as statements, one for one.
#include "compiler/codegen/cuda/LoopHead.h"
#include "compiler/codegen/cuda/WorkText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

namespace tsk::codegen {

using plan::By;
using plan::Step;
using plan::StepKind;

namespace {

std::string clusterType(const ir::Cluster &cluster) {
  return fmt::format("tsk::cluster<{}>", fmt::join(cluster.extents, ", "));
}

class StepEmitter {
public:
  StepEmitter(Writer &writer, const KernelContext &c, ir::TaskId id)
      : out(writer), context(c), names(c.names), plan(c.plan), task(c.plan.tasks[id]), taskId(id) {}

  void emit() {
    for (const Step &step : plan.regions[task.body].steps)
      countReaders(step, readers);
    emitCursors();
    emitLeaders();
    emitRegisters();
    region(task.body);
  }

private:
  // ---- Before the first step ----

  void emitCursors() {
    for (size_t i = 0; i < plan.cursors.size(); ++i) {
      const plan::Cursor &cursor = plan.cursors[plan.cursors.idAt(i)];
      if (cursor.task != taskId)
        continue;
      if (cursor.stages > 1)
        out.line("int {} = 0;", names.stages[i]);
      out.line("unsigned {} = {};", names.parities[i], cursor.startParity);
    }
  }

  void emitLeaders() {
    if (task.isSingleLane)
      return;
    if (contains(task.body, By::Leader)) {
      const std::string isFirst =
          task.warps == 1 ? "" : fmt::format("tsk::warp_index() == {} && ", task.firstWarp);
      out.line("const bool {} = {}tsk::elect_one();", names.leader, isFirst);
    }
    if (contains(task.body, By::WarpLeader))
      out.line("const bool {} = tsk::elect_one();", names.warpLeader);
  }

  void emitRegisters() {
    std::set<ir::FieldId> fields;
    findRegisters(task.body, fields);
    for (ir::FieldId field : fields)
      out.line("{} {};", registersType(context.kernel.fields[field]), names.registers[field.index]);
  }

  void findRegisters(plan::RegionId id, std::set<ir::FieldId> &fields) const {
    if (!id)
      return;
    for (const Step &step : plan.regions[id].steps) {
      for (const plan::Access &access : step.accesses)
        if (access.field && !names.registers[access.field.index].empty())
          fields.insert(access.field);
      findRegisters(step.body, fields);
      findRegisters(step.elseBody, fields);
    }
  }

  bool contains(plan::RegionId id, By by) const {
    return id && llvm::any_of(plan.regions[id].steps, [&](const Step &step) {
             return issuerOf(step) == by || contains(step.body, by) || contains(step.elseBody, by);
           });
  }

  // ---- Regions: runs of steps with the same issuer share one `if` ----

  void region(plan::RegionId id) {
    llvm::ArrayRef<Step> steps = plan.regions[id].steps;
    while (!steps.empty()) {
      const By by = issuerOf(steps.front());
      const auto isSame = [&](const Step &step) { return issuerOf(step) == by; };
      const llvm::ArrayRef<Step> run = steps.take_while(isSame);
      if (by != By::All) {
        declareResults(run);
        out.open("if ({})", by == By::Leader ? names.leader : names.warpLeader);
      }
      for (const Step &step : run)
        statement(step);
      if (by != By::All)
        out.close();
      steps = steps.drop_front(run.size());
    }
  }

  // For whom the statement is emitted. A warp's arrivals at several CTAs are shared among its
  // lanes.
  By issuerOf(const Step &step) const {
    const bool isShared = step.peers && step.by == By::WarpLeader;
    return task.isSingleLane || isShared ? By::All : step.by;
  }

  // What a leader finds may be read behind its `if`. Of the other lanes nobody does.
  void declareResults(llvm::ArrayRef<Step> run) {
    std::map<ir::ValueId, unsigned> inRun;
    for (const Step &step : run)
      countReaders(step, inRun);
    for (const Step &step : run)
      if (llvm::any_of(step.results, [&](ir::ValueId id) { return readers[id] > inRun[id]; }))
        for (ir::ValueId id : step.results) {
          out.line("{} {}{{}};", cppType(plan.tables.values[id].type), value(id));
          declared.insert(id);
        }
  }

  void countReaders(const Step &step, std::map<ir::ValueId, unsigned> &counts) const {
    for (ir::ExprId arg : step.args)
      countReaders(arg, counts);
    if (step.loop.variable)
      for (ir::ExprId bound : {step.loop.lower, step.loop.upper, step.loop.step})
        countReaders(bound, counts);
    for (plan::RegionId inner : {step.body, step.elseBody})
      if (inner)
        for (const Step &nested : plan.regions[inner].steps)
          countReaders(nested, counts);
  }
  void countReaders(ir::ExprId id, std::map<ir::ValueId, unsigned> &counts) const {
    const ir::Expr &expr = plan.tables.exprs[id];
    if (expr.op == ir::ExprOp::Value)
      ++counts[expr.valueRef];
    for (ir::ExprId operand : expr.operands)
      countReaders(operand, counts);
  }

  void statement(const Step &step) {
    switch (step.kind) {
    case StepKind::Wait:
      return line(step, fmt::format("tsk::mbarrier_wait{}({}, {});",
                                    plan.barriers[step.barrier].isOfCluster ? "_cluster" : "",
                                    barrier(step), parity(step.at)));
    case StepKind::TryWait:
      return line(step,
                  fmt::format("tsk::mbarrier_try_wait({}, {});", barrier(step), parity(step.at)));
    case StepKind::Arrive:
      return line(step, fmt::format("{};", arrival(step)));
    case StepKind::ArriveExpect:
      return line(
          step, fmt::format("tsk::mbarrier_arrive_expect_tx({}, {});", barrier(step), step.bytes));
    case StepKind::Expect:
      return line(step, fmt::format("tsk::mbarrier_expect_tx({}, {});", barrier(step), step.bytes));
    case StepKind::Advance:
      return line(step, advance(step.cursor));
    case StepKind::Sync:
      return line(step, sync(step));
    case StepKind::Fence:
      return line(step, step.fence == plan::FenceKind::Wgmma ? "tsk::wgmma_fence();"
                                                             : "tsk::fence_proxy_async();");
    case StepKind::CommitGroup:
      return line(step, step.queue == plan::Queue::Wgmma ? "tsk::wgmma_commit();"
                                                         : "tsk::bulk_commit();");
    case StepKind::WaitGroup:
      return line(step, waitGroup(step));
    case StepKind::Call:
      if (!step.results.empty() && declared.count(step.results[0]))
        return assignResults(step);
      return line(step, results(step) + call(step) + ";");
    case StepKind::Let:
    case StepKind::Var:
      return line(step, definition(step));
    case StepKind::Assign:
      return line(step, fmt::format("{} = {};", value(step.results[0]), arg(step.args[0])));
    case StepKind::For:
    case StepKind::ParallelFor:
      return loop(step);
    case StepKind::If:
      return branch(step);
    }
    TSK_UNREACHABLE("step kind outside its enumeration");
  }

  // The statement of the schedule behind its first line, so that both can be read side by side.
  void line(const Step &step, const std::string &text) {
    if (step.loc.isValid())
      out.mark(step.loc.begin);
    const bool isNew = step.loc.isValid() && step.loc != shown;
    shown = step.loc;
    const llvm::StringRef source = isNew ? context.sources.text(step.loc) : "";
    if (!isProtocol(step.kind) || source.empty() || source.contains('\n') || source.size() > 30)
      return out.line(llvm::StringRef(text));
    out.line("{} // {}", text, source.rtrim("; "));
  }

  // Steps whose text is far from what the schedule says.
  static bool isProtocol(StepKind kind) {
    return kind != StepKind::Call && kind != StepKind::Let && kind != StepKind::Var &&
           kind != StepKind::Assign;
  }

  // ---- Barriers ----

  std::string element(const std::string &array, unsigned stages, const plan::At &at,
                      unsigned scale = 1) const {
    if (stages == 1 || (!at.cursor && at.stage == 0))
      return array;
    const std::string times = scale == 1 ? "" : " * " + std::to_string(scale);
    return at.cursor ? array + " + " + names.stages[at.cursor.index] + times
                     : array + " + " + std::to_string(at.stage * scale);
  }

  std::string barrierAt(plan::BarrierId id, const plan::At &at) const {
    return element(names.barriers[id.index], plan.barriers[id].stages, at);
  }
  std::string barrier(const Step &step) const { return barrierAt(step.barrier, step.at); }

  std::string arrival(const Step &step) const {
    if (step.peer)
      return fmt::format("tsk::mbarrier_arrive_cluster({}, {})", barrier(step), arg(step.peer));
    if (!step.peers)
      return fmt::format("tsk::mbarrier_arrive({})", barrier(step));
    TSK_CHECK(task.isSingleLane || step.by != By::All, "each thread arrives at its peers");
    return fmt::format("tsk::mbarrier_arrive_{}({}, {}::peers<{}>())",
                       step.by == By::WarpLeader && !task.isSingleLane ? "at" : "at_each",
                       barrier(step), clusterType(context.plan.cluster), step.peers.bits);
  }

  std::string parity(const plan::At &at) const {
    return at.cursor ? names.parities[at.cursor.index] : std::to_string(at.parity);
  }

  std::string advance(plan::CursorId id) const {
    const std::string &stage = names.stages[id.index], &parity = names.parities[id.index];
    const unsigned stages = plan.cursors[id].stages;
    if (stages == 1)
      return parity + " ^= 1;";
    return fmt::format("if (++{0} == {1}) {{ {0} = 0; {2} ^= 1; }}", stage, stages, parity);
  }

  std::string sync(const Step &step) const {
    if (step.barrier) {
      const plan::Barrier &named = plan.barriers[step.barrier];
      return fmt::format("tsk::named_barrier_sync({}, {});", named.namedId, named.arrivals);
    }
    if (step.scope == ir::SyncScope::Warp)
      return "tsk::warp_sync();";
    TSK_CHECK(step.scope == ir::SyncScope::Cta && task.warps == plan.warps,
              "a barrier that the plan gave no hardware to");
    return "tsk::cta_sync();";
  }

  // Registers are named, so that the C++ compiler takes no use of them before the wait.
  std::string waitGroup(const Step &step) const {
    if (step.queue == plan::Queue::Bulk)
      return fmt::format("tsk::bulk_wait{}<{}>();", step.isRead ? "_read" : "", step.pending);
    std::vector<std::string> defined;
    for (ir::FieldId field : step.defines)
      defined.push_back(names.registers[field.index]);
    return fmt::format("tsk::wgmma_wait<{}>({});", step.pending, llvm::join(defined, ", "));
  }

  // ---- Work ----

  std::string value(ir::ValueId id) const { return names.values[id.index]; }
  std::string arg(ir::ExprId id) const { return deviceExpr(context, id); }

  bool isUsed(ir::ValueId id) const { return context.uses.values.count(id) != 0; }

  std::string results(const Step &step) const {
    if (llvm::none_of(step.results, [&](ir::ValueId id) { return isUsed(id); }))
      return "";
    std::vector<std::string> list;
    for (ir::ValueId result : step.results)
      list.push_back(value(result));
    const bool areAllUsed = llvm::all_of(step.results, [&](ir::ValueId id) { return isUsed(id); });
    return (areAllUsed ? "" : "[[maybe_unused]] ") + std::string("const auto ") +
           (list.size() == 1 ? list[0] : "[" + llvm::join(list, ", ") + "]") + " = ";
  }

  void assignResults(const Step &step) {
    if (step.results.size() == 1)
      return line(step, value(step.results[0]) + " = " + call(step) + ";");
    out.line("{");
    out.indent();
    line(step, fmt::format("const auto {} = {};", names.results, call(step)));
    const ir::Work &work = context.kernel.works[step.work];
    for (size_t i = 0; i < step.results.size(); ++i)
      out.line("{} = {}.{};", value(step.results[i]), names.results, cppName(work.results[i].name));
    out.close();
  }

  std::string definition(const Step &step) const {
    const ir::Value &defined = plan.tables.values[step.results[0]];
    return fmt::format("{}{}{} {} = {};", isUsed(step.results[0]) ? "" : "[[maybe_unused]] ",
                       step.kind == StepKind::Let ? "const " : "", cppType(defined.type),
                       value(step.results[0]), arg(step.args[0]));
  }

  // As Works.cpp declares it.
  std::string call(const Step &step) const {
    const ir::Work &work = context.kernel.works[step.work];
    const WorkSignature signature = signatureOf(context.kernel, work);
    std::vector<std::string> list, constants;
    for (const WorkSignature::Field &field : signature.fields)
      list.push_back(view(step, field));
    for (const WorkSignature::Param &param : signature.params)
      list.push_back(names.views[param.param.index]);
    for (ir::ScalarId scalar : signature.scalars)
      list.push_back(names.scalars[scalar.index]);
    if (signature.usesStage)
      list.push_back(stageInfo(step));
    for (size_t i = 0; i < step.args.size(); ++i)
      (work.params[i].isConst ? constants : list).push_back(arg(step.args[i]));
    const std::string instance = constants.empty() ? "" : "<" + llvm::join(constants, ", ") + ">";
    return names.tasks[taskId.index] + "::" + context.workName(taskId, step.work) + instance + "(" +
           llvm::join(list, ", ") + ")";
  }

  const plan::Access &accessOf(const Step &step, ir::FieldId field) const {
    const auto found =
        llvm::find_if(step.accesses, [&](const auto &access) { return access.field == field; });
    TSK_CHECK(found != step.accesses.end(), "a call without the place of a field that it touches");
    return *found;
  }

  // One stage of a field: `{box_data + box_stage * 8192}`, with map and barrier where TMA fills it.
  std::string view(const Step &step, const WorkSignature::Field &use) const {
    if (const std::string &registers = names.registers[use.field.index]; !registers.empty())
      return registers;
    const plan::Access &access = accessOf(step, use.field);
    std::string data = stageOf(use.field, access.at);
    if (access.isAtPeer)
      data = fmt::format("tsk::at_peer({}, {})", data, arg(step.peer));
    if (!use.isMoved)
      return "{" + data + "}";
    const std::string full =
        access.completes ? barrierAt(access.completes, access.at) : std::string("nullptr");
    std::string slice;
    if (access.multicast) {
      const std::string cluster = clusterType(plan.cluster);
      const unsigned axis = llvm::countr_zero(access.multicast.bits);
      slice = fmt::format(", {0}::place<{1}>(), {0}::peers<{2}>()", cluster, axis,
                          access.multicast.bits);
    }
    return "{" + data + ", &" + mapOf(use.field) + ", " + full + slice + "}";
  }

  std::string stageOf(ir::FieldId field, const plan::At &at) const {
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      const plan::Allocation &allocation = plan.allocations[plan.allocations.idAt(i)];
      if (allocation.field != field)
        continue;
      const unsigned bits = ir::bitWidth(context.kernel.fields[field].element);
      TSK_CHECK(allocation.stageBytes * 8 % bits == 0, "a stage of broken elements");
      return element(names.allocations[i], allocation.stages, at, allocation.stageBytes * 8 / bits);
    }
    TSK_UNREACHABLE("a field without memory");
  }

  std::string mapOf(ir::FieldId field) const {
    for (size_t i = 0; i < plan.tensorMaps.size(); ++i)
      if (plan.tensorMaps[plan.tensorMaps.idAt(i)].field == field)
        return names.maps[i];
    TSK_UNREACHABLE("a field that TMA fills without a tensor map");
  }

  // {index, count, barrier} of the stage of the work's own resource.
  std::string stageInfo(const Step &step) const {
    const ir::ResourceId own = context.kernel.works[step.work].resource;
    for (const plan::Access &access : step.accesses) {
      if (!access.field || context.kernel.fields[access.field].resource != own || !access.at.cursor)
        continue;
      const plan::Cursor &cursor = plan.cursors[access.at.cursor];
      const std::string index = cursor.stages > 1 ? names.stages[access.at.cursor.index] : "0";
      const std::string full =
          access.completes ? barrierAt(access.completes, access.at) : std::string("nullptr");
      return fmt::format("{{{}, {}, {}}}", index, cursor.stages, full);
    }
    return "{0, 1, nullptr}";
  }

  // ---- Control ----

  // A loop that counts stages by, of another task: the cursors pass all of them at once.
  bool passStages(const Step &step) {
    const ir::Loop &head = step.loop;
    const auto isPassed = [&](const Step &inner) {
      return inner.kind == StepKind::Advance && plan.cursors[inner.cursor].stages > 1;
    };
    if (step.kind != StepKind::For || head.isReversed || !llvm::all_of(stepsOf(step), isPassed) ||
        stepsOf(step).empty() || ir::constantValue(plan.tables, head.step) != 1 ||
        plan.tables.values[head.variable].type.scalar != ir::ScalarType::I32)
      return false;
    for (const Step &inner : stepsOf(step))
      line(inner,
           fmt::format("tsk::pass_stages<{}>({}, {}, {}, {});", plan.cursors[inner.cursor].stages,
                       names.stages[inner.cursor.index], names.parities[inner.cursor.index],
                       arg(head.lower), arg(head.upper)));
    return true;
  }
  llvm::ArrayRef<Step> stepsOf(const Step &step) const { return plan.regions[step.body].steps; }

  void loop(const Step &step) {
    if (passStages(step))
      return;
    if (step.loop.unroll)
      out.line("#pragma unroll {}", step.loop.unroll);
    const LoopHead head = step.kind == StepKind::For ? loopHead(context, step.loop)
                                                     : parallelLoopHead(context, task, step);
    out.line(llvm::StringRef(head.line));
    out.indent();
    if (!head.first.empty())
      out.line(llvm::StringRef(head.first));
    region(step.body);
    out.close();
  }

  void branch(const Step &first) {
    out.open("if ({})", arg(first.args[0]));
    const Step *last = &first;
    region(last->body);
    while (const Step *next = chained(*last)) {
      last = next;
      otherwise(fmt::format("else if ({})", arg(last->args[0])));
      region(last->body);
    }
    if (last->elseBody && !plan.regions[last->elseBody].steps.empty()) {
      otherwise("else");
      region(last->elseBody);
    }
    out.close();
  }

  // The `if` that is all that stands behind `else`.
  const Step *chained(const Step &branch) const {
    if (!branch.elseBody || plan.regions[branch.elseBody].steps.size() != 1)
      return nullptr;
    const Step &only = plan.regions[branch.elseBody].steps.front();
    const bool isByAll = task.isSingleLane || only.by == By::All;
    return only.kind == StepKind::If && isByAll ? &only : nullptr;
  }

  void otherwise(llvm::StringRef word) {
    out.dedent();
    out.line("}} {} {{", word);
    out.indent();
  }

  Writer &out;
  const KernelContext &context;
  const KernelNames &names;
  const plan::Plan &plan;
  const plan::Task &task;
  ir::TaskId taskId;
  SourceRange shown;
  std::map<ir::ValueId, unsigned> readers; // how often the task reads each
  std::set<ir::ValueId> declared;          // before the call that results in them
};

} // namespace

void emitTaskBody(Writer &out, const KernelContext &context, ir::TaskId task) {
  StepEmitter(out, context, task).emit();
}

} // namespace tsk::codegen
