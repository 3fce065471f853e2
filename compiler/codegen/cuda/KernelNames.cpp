#include "compiler/codegen/cuda/KernelNames.h"

#include "compiler/body/BodyMacros.h"
#include "compiler/codegen/cuda/Expressions.h"
#include "compiler/codegen/cuda/Signature.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tsk::codegen {

// "box.data" -> "box_data"
static std::string joined(std::string name) {
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

template <typename TableT, typename Namer>
static std::vector<std::string> nameAll(NameScope &scope, const TableT &table, Namer name) {
  std::vector<std::string> names;
  for (const auto &item : table)
    names.push_back(scope.claim(name(item)));
  return names;
}

ModuleNames::ModuleNames(const ir::Module &module, std::string n)
    : nameSpace(std::move(n)), macros(body::macrosOfBlocks(module)) {
  for (const ir::CppBlock &block : module.cpp)
    spelled.merge(identifiersIn(block.text));
  for (const auto &kernel : module.kernels) {
    for (const ir::Work &work : kernel->works)
      spelled.merge(identifiersOf(work));
    for (const ir::Function &function : kernel->functions)
      spelled.merge(identifiersOf(function));
  }
}

static void nameNamespaceScope(KernelNames &names, const ir::Kernel &kernel,
                               const ModuleNames &module) {
  names.kernel = cppName(kernel.name);
  names.arguments = argumentsName(kernel.name);
  const std::string flat = llvm::join(llvm::split(module.nameSpace, "::"), "_");
  NameScope scope;
  for (const ir::Constant &constant : kernel.constants)
    names.constants.push_back(scope.keep(constant.name));
  scope.reserveAll(module.spelled);
  names.implNamespace = scope.claim(flat + "_" + kernel.name + "_impl");
  names.userFunctions = nameAll(scope, kernel.tables.functions, [](auto &f) { return f.name; });
  names.tasks = nameAll(scope, kernel.tasks, [](auto &t) { return t.name; });
  names.function = scope.claim(kernel.name + "_kernel");
}

// Names outside of a function that its text needs: a local one must not hide them.
static NameScope outerNames(const KernelNames &names, const plan::Plan &plan,
                            const ModuleNames &module) {
  NameScope scope;
  scope.reserveAll(module.macros);
  scope.reserveAll(names.constants);
  scope.reserveAll(names.tasks);
  scope.reserve(names.function);
  for (const ir::Value &value : plan.tables.values)
    scope.reserveAll(identifiersIn(value.type.cpp));
  return scope;
}

static void nameValue(ir::ValueId id, KernelNames &names, NameScope &scope,
                      const plan::Plan &plan) {
  if (id && names.values[id.index].empty())
    names.values[id.index] = scope.claim(plan.tables.values[id].name);
}

static void nameValuesIn(plan::RegionId id, KernelNames &names, NameScope &scope,
                         const plan::Plan &plan) {
  if (!id)
    return;
  for (const plan::Step &step : plan.regions[id].steps) {
    nameValue(step.loop.variable, names, scope, plan);
    for (ir::ValueId result : step.results)
      nameValue(result, names, scope, plan);
    nameValuesIn(step.body, names, scope, plan);
    nameValuesIn(step.elseBody, names, scope, plan);
  }
}

static void nameLoops(plan::RegionId id, KernelNames &names, NameScope &scope,
                      const plan::Plan &plan, const std::set<ir::ValueId> &counted) {
  if (!id)
    return;
  for (const plan::Step &step : plan.regions[id].steps) {
    if (const ir::Loop &loop = step.loop; loop.variable) {
      LoopNames &own = names.loops[loop.variable.index];
      const std::string &variable = names.values[loop.variable.index];
      const ir::ExprId begin = loop.isReversed ? loop.upper : loop.lower;
      const ir::ExprId end = loop.isReversed ? loop.lower : loop.upper;
      if (counted.count(loop.variable) && isKept(plan.tables, begin))
        own.begin = scope.claim(variable + "_begin");
      if (isKept(plan.tables, end))
        own.end = scope.claim(variable + "_end");
      if (isKept(plan.tables, loop.step))
        own.step = scope.claim(variable + "_step");
    }
    nameLoops(step.body, names, scope, plan, counted);
    nameLoops(step.elseBody, names, scope, plan, counted);
  }
}

// The variables whose distance from their loop's begin is asked for inside the loop.
static std::set<ir::ValueId> countedVariables(const plan::Plan &plan) {
  std::set<ir::ValueId> counted;
  for (const ir::Expr &expr : plan.tables.exprs)
    if (expr.op == ir::ExprOp::First || expr.op == ir::ExprOp::Every)
      counted.insert(plan.tables.exprs[expr.operands[0]].valueRef);
  return counted;
}

// Each task is a scope of its own, with the values of its schedule and its cursors.
static void nameTaskScopes(KernelNames &names, const NameScope &outer, const plan::Plan &plan) {
  names.stages.resize(plan.cursors.size());
  names.parities.resize(plan.cursors.size());
  names.loops.resize(plan.tables.values.size());
  const std::set<ir::ValueId> counted = countedVariables(plan);
  for (size_t t = 0; t < plan.tasks.size(); ++t) {
    NameScope scope = outer;
    for (const std::string &name : names.values)
      scope.reserve(name);
    nameLoops(plan.tasks[plan.tasks.idAt(t)].body, names, scope, plan, counted);
    for (size_t c = 0; c < plan.cursors.size(); ++c) {
      const plan::Cursor &cursor = plan.cursors[plan.cursors.idAt(c)];
      if (cursor.task != plan.tasks.idAt(t))
        continue;
      names.stages[c] = scope.claim(joined(cursor.name) + "_stage");
      names.parities[c] = scope.claim(joined(cursor.name) + "_parity");
    }
  }
}

static void nameValues(KernelNames &names, NameScope &scope, const plan::Plan &plan) {
  names.values.resize(plan.tables.values.size());
  const NameScope outer = scope;
  for (const plan::Task &task : plan.tasks) {
    NameScope inner = outer;
    nameValuesIn(task.body, names, inner, plan);
  }
  for (const std::string &name : names.values)
    scope.reserve(name); // what is generated gives way to all of them
}

static void nameFunctionScope(KernelNames &names, NameScope scope, const ir::Kernel &kernel,
                              const plan::Plan &plan) {
  names.scalars = nameAll(scope, kernel.scalars, [](auto &s) { return s.name; });
  for (const ir::Param &param : kernel.params) {
    const bool isScalar = param.shape == ir::Param::Shape::Scalar;
    names.views.push_back(isScalar ? "" : scope.claim(param.name));
  }
  nameValues(names, scope, plan);
  names.pointers = nameAll(scope, kernel.params, [](auto &p) { return p.name + "_ptr"; });
  names.maps = nameAll(scope, plan.tensorMaps, [](auto &m) { return joined(m.name); });
  names.smem = scope.claim("smem");
  names.warp = scope.claim("warp");
  names.leader = scope.claim("leader");
  names.warpLeader = scope.claim("warp_leader");
  names.results = scope.claim("results");
  names.allocations = nameAll(scope, plan.allocations, [](auto &a) { return joined(a.name); });
  for (size_t i = 0; i < kernel.fields.size(); ++i) {
    const ir::FieldId field = kernel.fields.idAt(i);
    const bool isInRegisters =
        kernel.resources[kernel.fields[field].resource].space == ir::SpaceKind::Regs;
    names.registers.push_back(isInRegisters ? scope.claim(joined(plan.fields[field])) : "");
  }
  names.barriers = nameAll(scope, plan.barriers, [](auto &b) { return joined(b.name); });
  nameTaskScopes(names, scope, plan);
}

static void nameLauncherScope(KernelNames &names, NameScope scope, const ir::Kernel &kernel,
                              const plan::Plan &plan) {
  names.launcherScalars = nameAll(scope, kernel.scalars, [](auto &s) { return s.name; });
  names.args = scope.claim("args");
  names.stream = scope.claim("stream");
  names.check = scope.claim("check");
  names.launch = scope.claim("launch");
  names.launcherMaps = nameAll(scope, plan.tensorMaps, [](auto &m) { return joined(m.name); });
  for (const ir::Value &value : plan.tables.values)
    names.launcherLets.push_back(value.kind == ir::Value::Kind::Let ? scope.claim(value.name) : "");
}

std::string argumentsName(llvm::StringRef kernel) { return cppName(kernel.str() + "_args"); }

KernelNames nameKernel(const ir::Kernel &kernel, const plan::Plan &plan,
                       const ModuleNames &module) {
  KernelNames names;
  nameNamespaceScope(names, kernel, module);
  nameFunctionScope(names, outerNames(names, plan, module), kernel, plan);
  nameLauncherScope(names, outerNames(names, plan, module), kernel, plan);
  return names;
}

} // namespace tsk::codegen
