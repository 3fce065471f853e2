#include "compiler/ir/Text.h"
#include "compiler/plan/Text.h"
#include "compiler/plan/TextDefaults.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

namespace {

class Printer {
public:
  Printer(const Plan &printedPlan, const SourceManager *sourceManager, llvm::raw_ostream &stream)
      : plan(printedPlan), sources(sourceManager), os(stream) {
    for (const ir::Scalar &scalar : plan.scalars)
      names.scalars.push_back(scalar.name);
  }

  void run() {
    os << "plan " << plan.kernel << " {\n";
    printLimits();
    printNames();
    printMemory();
    for (size_t i = 0; i < plan.tasks.size(); ++i)
      printTask(plan.tasks.idAt(i));
    os << "}\n";
  }

private:
  // A line of the current block; `loc` becomes its trailing comment.
  template <typename... Args>
  void line(SourceRange loc, fmt::format_string<Args...> format, Args &&...args) {
    std::string text(size_t(2) * depth, ' ');
    text += fmt::format(format, std::forward<Args>(args)...);
    os << text;
    ir::printPlace(os, sources, loc);
    os << '\n';
  }

  void printLimits() {
    line({}, "target {};", plan.target);
    printCluster();
    line({}, "warps {};", plan.warps);
    if (plan.minCtasPerSm)
      line({}, "min_ctas {};", plan.minCtasPerSm);
    if (plan.sharedBytes)
      line({}, "shared {};", plan.sharedBytes);
    for (const Padding &padding : plan.padding)
      line({}, "padding warps {} .. {};", padding.firstWarp, padding.firstWarp + padding.warps);
    for (const Registers &item : plan.registers)
      line({}, "registers warps {} .. {} {} {};", item.firstWarp, item.firstWarp + item.warps,
           spelling(item.change), item.count);
  }

  void printCluster() {
    if (plan.cluster.size() == 1)
      return;
    const std::string start = plan.meetsAtStart ? " meets start" : "";
    const std::string end = plan.meetsAtEnd ? (start.empty() ? " meets end" : ", end") : "";
    line(plan.cluster.loc, "cluster {}{}{};", fmt::join(plan.cluster.extents, ", "), start, end);
  }

  void printNameList(llvm::StringRef keyword, const auto &table) {
    if (!table.empty())
      line({}, "{} {};", keyword, fmt::join(table, ", "));
  }

  void printNames() {
    os << '\n';
    for (const ir::Scalar &scalar : plan.scalars)
      line({}, "scalar {} : {}{};", scalar.name, ir::spelling(scalar.type),
           scalar.isDimension ? " dimension" : "");
    for (const ir::Signature &function : plan.tables.functions) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      ir::printSignature(stream, function);
      line({}, "function {};", text);
    }
    printNameList("param", plan.params);
    printNameList("field", plan.fields);
    printNameList("work", plan.works);
    for (ExprId assumption : plan.assumptions)
      line({}, "assume {};", text(assumption));
  }

  void printMemory() {
    os << '\n';
    for (const Allocation &allocation : plan.allocations)
      line({}, "smem {} stages {} bytes {} align {} at {};", plan.fields[allocation.field],
           allocation.stages, allocation.stageBytes, allocation.align, allocation.offset);
    for (const Barrier &barrier : plan.barriers)
      printBarrier(barrier);
    for (const TensorMap &map : plan.tensorMaps)
      line({}, "tensor_map {} : {} to {} box [{}] swizzle {};", map.name, plan.params[map.tensor],
           plan.fields[map.field], fmt::join(map.box, ", "), words::spelling(map.swizzle));
  }

  void printBarrier(const Barrier &barrier) {
    if (barrier.kind == Barrier::Kind::Named) {
      line(barrier.loc, "named {} id {} threads {};", barrier.name, barrier.namedId,
           barrier.arrivals);
      return;
    }
    line(barrier.loc, "mbarrier {} stages {} arrivals {}{} at {}{};", barrier.name, barrier.stages,
         barrier.arrivals, barrier.isOfCluster ? " of cluster" : "", barrier.offset,
         barrier.resource.empty() ? "" : " guards " + barrier.resource);
  }

  void printTask(TaskId id) {
    const Task &task = plan.tasks[id];
    os << '\n';
    line(task.loc, "task {} warps {} .. {}{} {{", task.name, task.firstWarp,
         task.firstWarp + task.warps, task.isSingleLane ? " single_lane" : "");
    ++depth;
    for (const Cursor &cursor : plan.cursors)
      if (cursor.task == id)
        line({}, "cursor {} stages {} parity {};", cursor.name, cursor.stages, cursor.startParity);
    printSteps(task.body);
    closeBlock();
  }

  void closeBlock() {
    --depth;
    line({}, "}}");
  }

  void printSteps(RegionId region) {
    if (region)
      for (const Step &step : plan.regions[region].steps)
        printStep(step);
  }

  void printStep(const Step &step) {
    switch (step.kind) {
    case StepKind::Wait:
    case StepKind::TryWait:
    case StepKind::Arrive:
    case StepKind::ArriveExpect:
    case StepKind::Expect:
      return printBarrierStep(step);
    case StepKind::Advance:
      return line(step.loc, "advance {};", plan.cursors[step.cursor].name);
    case StepKind::Sync:
      return line(step.loc, "sync {};",
                  step.barrier ? plan.barriers[step.barrier].name : ir::spelling(step.scope).str());
    case StepKind::Fence:
      return line(step.loc, "fence {};", spelling(step.fence));
    case StepKind::CommitGroup:
      return line(step.loc, "commit_group {}{};", spelling(step.queue), by(step.by));
    case StepKind::WaitGroup:
      return printWaitGroup(step);
    case StepKind::Call:
      return printCall(step);
    case StepKind::Let:
      return line(step.loc, "let {} = {};",
                  declaration(step.results[0], plan.tables.exprs[step.args[0]].uniformity),
                  text(step.args[0]));
    case StepKind::Var:
      return line(step.loc, "var {} = {};", declaration(step.results[0], VarUniformity),
                  text(step.args[0]));
    case StepKind::Assign:
      return line(step.loc, "{} = {};", plan.tables.values[step.results[0]].name,
                  text(step.args[0]));
    case StepKind::For:
    case StepKind::ParallelFor:
      return printLoop(step);
    case StepKind::If:
      return printIf(step);
    }
  }

  void printBarrierStep(const Step &step) {
    bool hasParity = step.kind == StepKind::Wait || step.kind == StepKind::TryWait;
    bool hasBytes = step.kind == StepKind::ArriveExpect || step.kind == StepKind::Expect;
    std::string parity;
    if (hasParity && !step.at.cursor)
      parity = fmt::format(" parity {}", step.at.parity);
    const Barrier &barrier = plan.barriers[step.barrier];
    line(step.loc, "{} {}{}{}{}{}{};", mnemonic(step.kind), barrier.name,
         barrier.kind == Barrier::Kind::Named ? "" : at(step.at), parity,
         hasBytes ? fmt::format(" bytes {}", step.bytes) : "",
         step.peers ? " along " + spelling(step.peers) : peer(step), by(step.by));
  }

  void printWaitGroup(const Step &step) {
    std::string fields;
    for (FieldId field : step.defines)
      fields += (fields.empty() ? " defines " : ", ") + plan.fields[field];
    line(step.loc, "wait_group {} {}{}{}{};", spelling(step.queue), step.pending,
         step.isRead ? " read" : "", by(step.by), fields);
  }

  void printCall(const Step &step) {
    std::string results;
    if (step.results.size() == 1) {
      results = "let " + declaration(step.results[0], ResultUniformity) + " = ";
    } else if (!step.results.empty()) {
      for (ValueId value : step.results)
        results += (results.empty() ? "let (" : ", ") + declaration(value, ResultUniformity);
      results += ") = ";
    }
    std::string accesses;
    for (const Access &access : step.accesses)
      accesses += accessText(access);
    line(step.loc, "{}call {}({}){}{}{};", results, plan.works[step.work], list(step.args),
         peer(step), by(step.by), accesses);
  }

  std::string accessText(const Access &access) {
    std::string result = access.isWrite ? " writes " : " reads ";
    if (access.field)
      result += plan.fields[access.field] + (isAllocated(access.field) ? at(access.at) : "") +
                (access.isAtPeer ? " at peer" : "");
    else
      result += "param " + plan.params[access.tensor];
    if (access.mechanism != ir::Mechanism::Async)
      result += " by " + words::spelling(access.mechanism).str();
    if (access.completes)
      result += fmt::format(" completes {}{} bytes {}", plan.barriers[access.completes].name,
                            at(access.completesAt), access.bytes);
    if (access.multicast)
      result += " multicast " + spelling(access.multicast);
    return result;
  }

  bool isAllocated(FieldId field) {
    return llvm::any_of(plan.allocations, [&](const Allocation &a) { return a.field == field; });
  }

  void printLoop(const Step &step) {
    const ir::Loop &loop = step.loop;
    std::string head =
        fmt::format("{} {} in {}{} .. {}", step.kind == StepKind::For ? "for" : "parallel for",
                    declaration(loop.variable, loopUniformity(plan.tables, step)),
                    loop.isReversed ? "reversed " : "", text(loop.lower), text(loop.upper));
    if (ir::constantValue(plan.tables, loop.step) != 1)
      head += " step " + text(loop.step);
    if (step.kind == StepKind::ParallelFor)
      head += fmt::format(" across {}", words::spelling(step.across));
    if (loop.unroll)
      head += fmt::format(" unroll {}", loop.unroll);
    line(step.loc, "{} {{", head);
    ++depth;
    printSteps(step.body);
    closeBlock();
  }

  void printIf(const Step &step) {
    line(step.loc, "if ({}) {{", text(step.args[0]));
    ++depth;
    printSteps(step.body);
    if (step.elseBody) {
      --depth;
      line({}, "}} else {{");
      ++depth;
      printSteps(step.elseBody);
    }
    closeBlock();
  }

  // `name`, with its uniformity unless that is the usual one and its type unless that is i32.
  std::string declaration(ValueId id, ir::Uniformity fallback) {
    const ir::Value &value = plan.tables.values[id];
    std::string result = value.name;
    if (value.uniformity != fallback)
      result += fmt::format(" uniform {}", ir::spelling(value.uniformity));
    if (value.type != ir::Type::ofScalar(ir::ScalarType::I32)) {
      llvm::raw_string_ostream stream(result);
      stream << " : ";
      ir::printType(stream, value.type);
    }
    return result;
  }

  std::string at(const At &place) {
    return place.cursor ? fmt::format("[{}]", plan.cursors[place.cursor].name)
                        : fmt::format("[{}]", place.stage);
  }

  std::string peer(const Step &step) {
    return step.peer ? fmt::format(" at ({})", text(step.peer)) : "";
  }

  static std::string by(By issuer) {
    return issuer == By::All ? "" : fmt::format(" by {}", spelling(issuer));
  }

  std::string text(ExprId expr) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    ir::printExpr(stream, plan.tables, names, expr);
    return result;
  }

  std::string list(llvm::ArrayRef<ExprId> exprs) {
    std::string result;
    llvm::raw_string_ostream stream(result);
    ir::printExprs(stream, plan.tables, names, exprs);
    return result;
  }

  const Plan &plan;
  const SourceManager *sources;
  llvm::raw_ostream &os;
  ir::ExprNames names;
  unsigned depth = 1;
};

} // namespace

void print(const Plan &plan, const SourceManager *sources, llvm::raw_ostream &os) {
  Printer(plan, sources, os).run();
}

} // namespace tsk::plan
