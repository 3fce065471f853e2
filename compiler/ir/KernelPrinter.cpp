#include "compiler/ir/Text.h"

namespace tsk::ir {

ExprNames exprNames(const Kernel &kernel) {
  ExprNames names;
  for (const Scalar &scalar : kernel.scalars)
    names.scalars.push_back(scalar.name);
  for (const Constant &constant : kernel.constants)
    names.constants.push_back(constant.name);
  return names;
}

std::string fieldName(const Kernel &kernel, FieldId field) {
  const Field &f = kernel.fields[field];
  return kernel.resources[f.resource].name + "." + f.name;
}

std::string workName(const Kernel &kernel, WorkId work) {
  const Work &w = kernel.works[work];
  return kernel.resources[w.resource].name + "." + w.name;
}

void printPlace(llvm::raw_ostream &os, const SourceManager *sources, SourceRange range) {
  if (!sources || !range.isValid())
    return;
  PresumedLoc place = sources->presumed(range.begin);
  os << "  // " << place.file << ':' << place.line << ':' << place.column;
}

namespace {

class KernelPrinter {
public:
  KernelPrinter(const Kernel &k, const SourceManager *sourceManager, llvm::raw_ostream &stream)
      : kernel(k), sources(sourceManager), os(stream), names(exprNames(k)) {}

  void print();

private:
  void printHead();
  void printConstant(const Constant &constant);
  void printParam(const Param &param);
  void printResource(const Resource &resource);
  void printField(const Field &field);
  void printPipeline(const Pipeline &pipeline);
  void printWork(const Work &work);
  void printParams(llvm::ArrayRef<WorkParam> params);
  void printHolds(llvm::ArrayRef<HoldParam> holds);
  void printEffects(const Work &work);
  void printUses(llvm::ArrayRef<ParamId> params, llvm::ArrayRef<ScalarId> scalars);
  void printFunction(FunctionId id);
  void printTask(const Task &task);
  void printRegion(RegionId id);
  void printOp(const Op &op);
  void printPeer(const Op &op);
  void printCall(const Op &op);
  void printLoop(const Op &op);
  void printIf(const Op &op);

  llvm::raw_ostream &line() { return os.indent(depth * 2); }
  void end(SourceRange place) {
    printPlace(os, sources, place);
    os << '\n';
  }
  void open(SourceRange place) {
    os << " {";
    end(place);
    ++depth;
  }
  void close() {
    --depth;
    line() << "}\n";
  }
  void expr(ExprId id) { printExpr(os, kernel.tables, names, id); }
  void exprs(llvm::ArrayRef<ExprId> ids) { printExprs(os, kernel.tables, names, ids); }
  const std::string &valueName(ValueId id) { return kernel.tables.values[id].name; }

  const Kernel &kernel;
  const SourceManager *sources;
  llvm::raw_ostream &os;
  ExprNames names;
  unsigned depth = 0;
};

void KernelPrinter::print() {
  os << "kernel " << kernel.name;
  if (kernel.templateName != kernel.name)
    os << " of " << kernel.templateName;
  if (kernel.isTestOnly)
    os << " for test";
  open(kernel.loc);
  printHead();
  for (const Resource &resource : kernel.resources)
    printResource(resource);
  for (const Task &task : kernel.tasks)
    printTask(task);
  if (kernel.depends) {
    line() << "depends";
    open(kernel.dependsLoc);
    for (const Edge &edge : *kernel.depends) {
      line() << kernel.resources[edge.downstream].name << " <- "
             << kernel.resources[edge.upstream].name << ';';
      end(edge.loc);
    }
    close();
  }
  close();
}

void KernelPrinter::printHead() {
  if (!kernel.targets.empty()) {
    line() << "target ";
    for (size_t i = 0; i < kernel.targets.size(); ++i)
      os << (i ? ", " : "") << kernel.targets[i];
    os << ";\n";
  }
  for (const Constant &constant : kernel.constants)
    printConstant(constant);
  for (const Scalar &scalar : kernel.scalars)
    line() << "scalar " << scalar.name << " : " << spelling(scalar.type)
           << (scalar.isDimension ? " dimension;\n" : ";\n");
  for (const Param &param : kernel.params)
    printParam(param);
  for (size_t i = 0; i < kernel.functions.size(); ++i)
    printFunction(kernel.functions.idAt(i));
  for (const Requirement &requirement : kernel.requirements) {
    line() << "requires ";
    expr(requirement.condition);
    os << ' ';
    printString(os, requirement.text);
    os << ';';
    end(requirement.loc);
  }
  if (kernel.instanceCondition) {
    line() << "when ";
    expr(kernel.instanceCondition);
    os << ";\n";
  }
  line() << "grid ";
  if (kernel.grid.isPersistent) {
    os << "persistent(" << kernel.grid.ctasPerSm << ");";
  } else {
    os << '(';
    exprs(kernel.grid.extents);
    os << ");";
  }
  end(kernel.grid.loc);
  if (kernel.cluster.size() > 1) {
    line() << "cluster (";
    for (size_t axis = 0; axis < kernel.cluster.extents.size(); ++axis)
      os << (axis ? ", " : "") << kernel.cluster.extents[axis];
    os << ");";
    end(kernel.cluster.loc);
  }
}

void KernelPrinter::printConstant(const Constant &constant) {
  if (constant.isType) {
    line() << "type " << constant.name << " = " << spelling(static_cast<ScalarType>(constant.value))
           << ";\n";
    return;
  }
  line() << "const " << constant.name << " = ";
  ir::printConstant(os, {constant.type.scalar, constant.value, constant.real});
  os << ";\n";
}

static llvm::StringRef directionWord(Direction direction) {
  switch (direction) {
  case Direction::None:
    return "";
  case Direction::In:
    return "in ";
  case Direction::Out:
    return "out ";
  case Direction::InOut:
    return "inout ";
  }
  TSK_UNREACHABLE("direction outside its enumeration");
}

void KernelPrinter::printParam(const Param &param) {
  line() << "param " << directionWord(param.direction) << param.name << " : ";
  switch (param.shape) {
  case Param::Shape::Tensor:
    os << "tensor<" << spelling(param.element) << ">[";
    exprs(param.dims);
    os << ']';
    if (!param.strides.empty()) {
      os << " strides [";
      exprs(param.strides);
      os << ']';
    }
    break;
  case Param::Shape::Pointer:
    os << "ptr<" << spelling(param.element) << '>';
    break;
  case Param::Shape::Scalar:
    os << spelling(kernel.scalars[param.scalar].type);
    break;
  }
  os << (param.fromHost ? " from host;" : ";");
  end(param.loc);
}

// ---- Resources --------------------------------------------------------------------------------

void KernelPrinter::printResource(const Resource &resource) {
  line() << "resource " << resource.name << " : " << words::spelling(resource.space);
  if (resource.tensor)
    os << " of " << kernel.params[resource.tensor].name;
  if (resource.isOrder)
    os << " order";
  open(resource.loc);
  for (const Constant &constant : resource.constants)
    printConstant(constant);
  for (const ParamAlias &alias : resource.aliases)
    line() << "alias " << alias.name << " = " << kernel.params[alias.param].name << ";\n";
  for (FieldId field : resource.fields)
    printField(kernel.fields[field]);
  if (resource.pipeline)
    printPipeline(*resource.pipeline);
  for (WorkId work : resource.works)
    printWork(kernel.works[work]);
  close();
}

void KernelPrinter::printField(const Field &field) {
  line() << "field " << field.name << " : " << spelling(field.element);
  for (int64_t extent : field.dims)
    os << '[' << extent << ']';
  if (field.align)
    os << " align " << field.align;
  if (field.swizzle != Swizzle::None)
    os << " swizzle " << words::spelling(field.swizzle);
  for (size_t i = 0; i < field.tensors.size(); ++i)
    os << (i ? ", " : " of ") << kernel.params[field.tensors[i]].name;
  if (field.multicast)
    os << " multicast " << *field.multicast;
  if (field.per)
    os << " per " << words::spelling(*field.per);
  if (field.viewOf)
    os << " view of " << kernel.fields[field.viewOf].name << " at column " << field.viewColumn;
  if (field.init) {
    os << " = ";
    expr(field.init);
  }
  os << ';';
  end(field.loc);
}

static void printMechanisms(llvm::raw_ostream &os, llvm::ArrayRef<Mechanism> mechanisms) {
  for (size_t i = 0; i < mechanisms.size(); ++i)
    os << (i ? " + " : "") << words::spelling(mechanisms[i]);
}

void KernelPrinter::printPipeline(const Pipeline &pipeline) {
  line() << "pipeline ";
  printMechanisms(os, pipeline.producers);
  os << (pipeline.isExchange ? " <-> " : " -> ");
  printMechanisms(os, pipeline.consumers);
  os << " stages " << pipeline.stages;
  if (pipeline.assertedBytes)
    os << " bytes " << *pipeline.assertedBytes;
  os << ';';
  end(pipeline.loc);
}

void KernelPrinter::printParams(llvm::ArrayRef<WorkParam> params) {
  os << '(';
  for (size_t i = 0; i < params.size(); ++i) {
    os << (i ? ", " : "") << (params[i].isConst ? "const " : "")
       << (params[i].isUniform ? "uniform " : "") << params[i].name << " : ";
    printType(os, params[i].type);
  }
  os << ')';
}

void KernelPrinter::printHolds(llvm::ArrayRef<HoldParam> holds) {
  if (holds.empty())
    return;
  os << " holds(";
  for (size_t i = 0; i < holds.size(); ++i)
    os << (i ? ", " : "") << holds[i].name << " : " << kernel.resources[holds[i].resource].name
       << " at " << holds[i].position;
  os << ')';
}

void KernelPrinter::printEffects(const Work &work) {
  if (!work.accesses.empty()) {
    os << " touches(";
    for (size_t i = 0; i < work.accesses.size(); ++i) {
      const Access &access = work.accesses[i];
      os << (i ? ", " : "") << (access.isWrite ? "write " : "read ")
         << (access.field ? fieldName(kernel, access.field) : kernel.params[access.tensor].name);
      if (access.mechanism != Mechanism::Async)
        os << " by " << words::spelling(access.mechanism);
      os << (access.isStore ? " store" : "");
    }
    os << ')';
  }
  printUses(work.usedParams, work.usedScalars);
}

void KernelPrinter::printUses(llvm::ArrayRef<ParamId> params, llvm::ArrayRef<ScalarId> scalars) {
  if (params.empty() && scalars.empty())
    return;
  os << " uses(";
  llvm::StringRef separator = "";
  for (ParamId param : params) {
    os << separator << kernel.params[param].name;
    separator = ", ";
  }
  for (ScalarId scalar : scalars) {
    os << separator << "scalar " << kernel.scalars[scalar].name;
    separator = ", ";
  }
  os << ')';
}

void KernelPrinter::printFunction(FunctionId id) {
  const Function &function = kernel.functions[id];
  const Signature &signature = kernel.tables.functions[id];
  line() << "function " << signature.name << '(';
  for (size_t i = 0; i < function.params.size(); ++i) {
    os << (i ? ", " : "") << function.params[i] << " : ";
    printType(os, signature.params[i]);
  }
  os << ") -> (";
  printType(os, signature.result);
  os << ')';
  if (!signature.changesBy.empty())
    os << " changes_by " << signature.changesBy;
  for (size_t i = 0; i < function.constants.size(); ++i) {
    const Constant &constant = function.constants[i];
    os << (i ? ", " : " where(") << constant.name << " = ";
    ir::printConstant(os, {constant.type.scalar, constant.value, constant.real});
  }
  os << (function.constants.empty() ? "" : ")");
  printUses(function.usedParams, function.usedScalars);
  os << " {" << function.body << '}';
  end(function.loc);
}

void KernelPrinter::printWork(const Work &work) {
  line() << words::spelling(work.kind) << ' ' << work.name;
  printParams(work.params);
  printHolds(work.holds);
  if (!work.results.empty()) {
    os << " -> ";
    printParams(work.results);
  }
  if (work.by != IssueBy::Unsaid)
    os << " by " << words::spelling(work.by);
  printEffects(work);
  os << " {" << work.body << '}';
  end(work.loc);
}

// ---- Tasks ------------------------------------------------------------------------------------

void KernelPrinter::printTask(const Task &task) {
  line() << "task " << task.name << " on warps " << task.firstWarp << " .. "
         << task.firstWarp + task.warps;
  if (task.instance)
    os << " instance " << *task.instance;
  if (task.regs)
    os << " regs " << *task.regs;
  os << " runs " << task.schedule;
  open(task.loc);
  printRegion(task.body);
  close();
}

void KernelPrinter::printRegion(RegionId id) {
  for (const Op &op : kernel.regions[id].ops)
    printOp(op);
}

void KernelPrinter::printOp(const Op &op) {
  switch (op.kind) {
  case OpKind::Acquire:
  case OpKind::Commit:
  case OpKind::Wait:
  case OpKind::Release:
  case OpKind::TryAcquire:
  case OpKind::TryWait:
  case OpKind::Skip:
    line() << mnemonic(op.kind) << ' ' << kernel.resources[op.resource].name;
    printPeer(op);
    os << ';';
    return end(op.loc);
  case OpKind::Call:
    return printCall(op);
  case OpKind::Let:
    line() << "let " << valueName(op.results[0]) << " = ";
    break;
  case OpKind::Var: {
    const Value &value = kernel.tables.values[op.results[0]];
    line() << "var " << spelling(value.uniformity) << ' ' << value.name << " : ";
    printType(os, value.type);
    os << " = ";
    break;
  }
  case OpKind::Assign:
    line() << valueName(op.results[0]) << " = ";
    break;
  case OpKind::For:
  case OpKind::ParallelFor:
    return printLoop(op);
  case OpKind::If:
    return printIf(op);
  case OpKind::Sync:
    line() << "sync " << spelling(op.scope) << ';';
    return end(op.loc);
  case OpKind::Await:
    line() << "await " << workName(kernel, op.work);
    if (op.pending)
      os << " but " << op.pending;
    os << (op.isRead ? " read;" : ";");
    return end(op.loc);
  }
  expr(op.args[0]);
  os << ';';
  end(op.loc);
}

void KernelPrinter::printPeer(const Op &op) {
  if (!op.peer)
    return;
  os << " at (";
  expr(op.peer);
  os << ')';
}

void KernelPrinter::printCall(const Op &op) {
  line();
  if (!op.results.empty()) {
    bool isTuple = op.results.size() > 1;
    os << "let " << (isTuple ? "(" : "");
    for (size_t i = 0; i < op.results.size(); ++i)
      os << (i ? ", " : "") << valueName(op.results[i]);
    os << (isTuple ? ") = " : " = ");
  }
  os << "call " << workName(kernel, op.work) << '(';
  exprs(op.args);
  os << ')';
  const ResourceId own = kernel.works[op.work].resource;
  for (const Op::Behind &each : op.behind) {
    if (each.resource != own)
      os << " with " << kernel.resources[each.resource].name;
    os << " behind " << each.stages;
  }
  printPeer(op);
  os << ';';
  end(op.loc);
}

void KernelPrinter::printLoop(const Op &op) {
  const Value &variable = kernel.tables.values[op.loop.variable];
  line() << (op.kind == OpKind::ParallelFor ? "parallel for " : "for ") << variable.name;
  if (variable.type != Type::ofScalar(ScalarType::I32)) {
    os << " : ";
    printType(os, variable.type);
  }
  os << " in " << (op.loop.isReversed ? "reversed " : "");
  expr(op.loop.lower);
  os << " .. ";
  expr(op.loop.upper);
  if (constantValue(kernel.tables, op.loop.step) != 1) {
    os << " step ";
    expr(op.loop.step);
  }
  if (op.kind == OpKind::ParallelFor)
    os << " across " << words::spelling(op.across);
  if (op.loop.unroll)
    os << " unroll " << op.loop.unroll;
  open(op.loc);
  printRegion(op.body);
  close();
}

void KernelPrinter::printIf(const Op &op) {
  line() << "if (";
  expr(op.args[0]);
  os << ')';
  open(op.loc);
  printRegion(op.body);
  if (op.elseBody) {
    --depth;
    line() << "} else {\n";
    ++depth;
    printRegion(op.elseBody);
  }
  close();
}

} // namespace

void print(const Kernel &kernel, const SourceManager *sources, llvm::raw_ostream &os) {
  KernelPrinter(kernel, sources, os).print();
}

} // namespace tsk::ir
