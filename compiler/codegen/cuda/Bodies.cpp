// All bodies of a file as the reader gets them: the works of each task as the kernel will have
// them, those that nobody calls, and what the schedules pass to them.
#include "compiler/codegen/BodyText.h"
#include "compiler/codegen/cuda/KernelContext.h"
#include "compiler/codegen/cuda/Ranges.h"
#include "compiler/codegen/cuda/WorkText.h"
#include "compiler/ir/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::codegen {

namespace {

using body::Role;
using ir::WorkId;

class KernelBodies {
public:
  KernelBodies(Writer &writer, const ir::Module &module, const ir::Kernel &k,
               const SourceManager &s, const CudaOptions &o, body::Request &r)
      : out(writer), kernel(k), sources(s), options(o), request(r) {
    for (const ir::CppBlock &block : module.cpp)
      macroNames.merge(identifiersIn(block.text));
    nameAll(module);
  }

  void emit() {
    out.line("namespace {} {{", implNamespace);
    for (const ir::Constant &constant : kernel.constants)
      out.line("{}", constantDeclaration(constant));
    for (size_t i = 0; i < kernel.functions.size(); ++i)
      emitUserFunction(kernel.functions.idAt(i));
    std::set<WorkId> called;
    for (size_t i = 0; i < kernel.tasks.size(); ++i) {
      const ir::TaskId id = kernel.tasks.idAt(i);
      calls.clear();
      findCalls(kernel.tasks[id].body);
      std::vector<WorkId> works;
      for (const ir::Op *op : calls)
        if (called.insert(op->work); !llvm::is_contained(works, op->work))
          works.push_back(op->work);
      emitTask(taskNames[i], kernel.tasks[id].warps, id, works);
    }
    emitUncalled(called);
    out.line("}} // namespace {}", implNamespace);
  }

private:
  // Nothing around a body hides what it means by a name.
  void nameAll(const ir::Module &module) {
    NameScope scope;
    scope.reserveAll(ModuleNames(module, "kernels").spelled);
    implNamespace = scope.claim(kernel.name + "_impl");
    for (const ir::Signature &function : kernel.tables.functions)
      userNames.push_back(scope.claim(function.name));
    for (const ir::Task &task : kernel.tasks)
      taskNames.push_back(scope.claim(task.name));
    uncalled = scope.claim("uncalled");
    // Not the resource's own name: a body may say `box.data` of a resource `box`.
    for (const ir::Resource &resource : kernel.resources)
      spaceNames.push_back(scope.claim(resource.name + "_works"));
    for (const ir::Work &work : kernel.works)
      functionNames.push_back(scope.claim(kernel.resources[work.resource].name + "_" + work.name));
  }

  // What schedules call: its result is to be the same in all threads that give it the same.
  void emitUserFunction(ir::FunctionId id) {
    const ir::Function &function = kernel.functions[id];
    const ir::Signature &signature = kernel.tables.functions[id];
    std::vector<Role> roles;
    for (ir::ParamId param : function.usedParams) {
      const bool isTensor = kernel.params[param].shape == ir::Param::Shape::Tensor;
      roles.push_back({isTensor ? Role::Kind::Tensor : Role::Kind::Pointer, param.index, true,
                       kernel.params[param].name});
    }
    for (ir::ScalarId scalar : function.usedScalars)
      roles.push_back({Role::Kind::Scalar, scalar.index, true, kernel.scalars[scalar].name});
    for (size_t i = 0; i < signature.params.size(); ++i)
      roles.push_back({Role::Kind::Param, static_cast<uint32_t>(i), true, function.params[i]});
    FunctionText text = {kernel, id, userNames[id.index], sources, options, ""};
    text.attribute =
        fmt::format("[[clang::annotate(\"tsk::work\", {})]] ", request.functions.size());
    body::Function asked;
    asked.kernel = kernel.name;
    asked.userFunction = id;
    asked.name = signature.name;
    asked.nameInText = text.name;
    asked.roles = std::move(roles);
    asked.uniformResults = {true};
    asked.firstLine = out.nextLine();
    codegen::emitFunction(out, text);
    asked.lastLine = out.nextLine() - 1;
    request.functions.push_back(std::move(asked));
  }

  void findCalls(ir::RegionId id) {
    if (!id)
      return;
    for (const ir::Op &op : kernel.regions[id].ops) {
      if (op.kind == ir::OpKind::Call)
        calls.push_back(&op);
      if (op.kind == ir::OpKind::Let)
        lets[op.results[0]] = op.args[0];
      if (op.kind == ir::OpKind::For || op.kind == ir::OpKind::ParallelFor)
        loops[op.loop.variable] = &op.loop;
      findCalls(op.body);
      findCalls(op.elseBody);
    }
  }

  void emitUncalled(const std::set<WorkId> &called) {
    std::vector<WorkId> works;
    for (size_t i = 0; i < kernel.works.size(); ++i)
      if (!called.count(kernel.works.idAt(i)))
        works.push_back(kernel.works.idAt(i));
    calls.clear();
    if (!works.empty())
      emitTask(uncalled, 4, {}, works);
  }

  void emitTask(const std::string &name, unsigned warps, ir::TaskId task,
                llvm::ArrayRef<WorkId> works) {
    out.line("namespace {} {{", name);
    out.line("TSK_TASK(0, {})", warps);
    if (llvm::any_of(works, [&](WorkId id) { return speaksOfTiles(kernel.works[id]); }))
      out.line("TSK_TASK_TILES");
    if (!task || kernel.tasks[task].instance)
      out.line("constexpr int inst = {};", task ? *kernel.tasks[task].instance : 0);
    for (size_t i = 0; i < kernel.resources.size(); ++i)
      emitResource(kernel.resources.idAt(i), task, works);
    emitInstances();
    emitArguments();
    out.line("}} // namespace {}", name);
  }

  void emitResource(ir::ResourceId id, ir::TaskId task, llvm::ArrayRef<WorkId> works) {
    const ir::Resource &resource = kernel.resources[id];
    if (llvm::none_of(works, [&](WorkId work) { return kernel.works[work].resource == id; }))
      return;
    out.line("namespace {} {{", spaceOf(id));
    for (const ir::Constant &constant : resource.constants)
      out.line("{}", constantDeclaration(constant));
    for (WorkId work : works)
      if (kernel.works[work].resource == id)
        emitFunction(work, task);
    out.line("}} // namespace {}", spaceOf(id));
  }

  const std::string &spaceOf(ir::ResourceId id) const { return spaceNames[id.index]; }

  void emitFunction(WorkId id, ir::TaskId task) {
    const ir::Work &work = kernel.works[id];
    WorkText text = {kernel, work, functionNames[id.index], everyName(work), sources, options, ""};
    text.attribute =
        fmt::format("[[clang::annotate(\"tsk::work\", {})]] ", request.functions.size());
    const unsigned threads = task ? kernel.tasks[task].warps * 32 : 0;
    const bool isOneLane = work.by == ir::IssueBy::Leader || work.by == ir::IssueBy::Warp;
    std::vector<bool> uniform;
    for (const ir::WorkParam &result : work.results)
      uniform.push_back(result.isUniform);
    // Before the function, whose head has no place in the .tsk file: what is wrong with a type is
    // found here.
    for (size_t i = 0; i < work.params.size(); ++i)
      emitType(paramType(work, i), work, work.params[i]);
    for (size_t i = 0; i < work.results.size(); ++i)
      emitType(resultType(work, i), work, work.results[i]);
    request.functions.push_back({kernel.name,
                                 id,
                                 {},
                                 task,
                                 threads,
                                 isOneLane,
                                 work.by == ir::IssueBy::Warp,
                                 ir::workName(kernel, id),
                                 text.name,
                                 rolesOf(id, text.signature),
                                 std::move(uniform),
                                 out.nextLine()});
    emitWork(out, text);
    request.functions.back().lastLine = out.nextLine() - 1;
  }

  void emitType(const std::string &name, const ir::Work &work, const ir::WorkParam &param) {
    out.line("{}using {} =", constantParameters(work), name);
    const std::string type = cppType(param.type);
    if (param.typeLoc.begin.isValid())
      emitUserText(out, type, param.typeLoc.begin, sources, options);
    else
      out.line("{}", type);
    out.line(";");
  }

  std::string constantParameters(const ir::Work &work) const {
    std::vector<std::string> list;
    for (const ir::WorkParam &param : work.params)
      if (param.isConst)
        list.push_back(cppType(param.type) + " " + cppName(param.name));
    return list.empty() ? "" : "template <" + llvm::join(list, ", ") + "> ";
  }

  static std::string paramType(const ir::Work &work, size_t i) {
    return fmt::format("{}_parameter_{}", work.name, i);
  }
  static std::string resultType(const ir::Work &work, size_t i) {
    return fmt::format("{}_result_{}", work.name, i);
  }

  // Every name of the kernel that the body spells, itself or through a macro of a `cpp` block. What
  // others lead to, the reader says, and is then asked again.
  WorkSignature everyName(const ir::Work &work) const {
    std::set<std::string> names = identifiersIn(work.body);
    names.insert(macroNames.begin(), macroNames.end());
    names.insert(work.hiddenNames.begin(), work.hiddenNames.end());
    for (const ir::WorkParam &own : work.params)
      names.erase(own.name);
    WorkSignature signature;
    for (size_t i = 0; i < kernel.fields.size(); ++i) {
      const ir::FieldId id = kernel.fields.idAt(i);
      const ir::Field &field = kernel.fields[id];
      const bool isForeign = field.resource != work.resource;
      const std::string &spelled = isForeign ? kernel.nameIn(work, field.resource) : field.name;
      if (names.count(spelled))
        signature.fields.push_back(
            {id, !isForeign && mayWrite(work), !field.tensors.empty(), isForeign});
    }
    for (const ir::ParamAlias &alias : kernel.resources[work.resource].aliases)
      if (names.erase(alias.name))
        signature.params.push_back({alias.param, alias.name});
    for (size_t i = 0; i < kernel.params.size(); ++i)
      if (const ir::Param &param = kernel.params[kernel.params.idAt(i)];
          param.shape != ir::Param::Shape::Scalar && names.count(param.name))
        signature.params.push_back({kernel.params.idAt(i), param.name});
    for (size_t i = 0; i < kernel.scalars.size(); ++i)
      if (names.count(kernel.scalars[kernel.scalars.idAt(i)].name))
        signature.scalars.push_back(kernel.scalars.idAt(i));
    signature.usesStage = names.count("stage") != 0;
    return signature;
  }

  static bool mayWrite(const ir::Work &work) {
    return work.kind == ir::WorkKind::Produce || work.kind == ir::WorkKind::Update;
  }

  // In the order in which emitWork lists the parameters.
  std::vector<Role> rolesOf(WorkId id, const WorkSignature &signature) const {
    const ir::Work &work = kernel.works[id];
    std::vector<Role> roles;
    for (const WorkSignature::Field &field : signature.fields)
      roles.push_back({Role::Kind::Field, field.field.index, true,
                       ir::fieldName(kernel, field.field), bytesOf(field.field)});
    for (const WorkSignature::Param &param : signature.params) {
      const bool isTensor = kernel.params[param.param].shape == ir::Param::Shape::Tensor;
      roles.push_back({isTensor ? Role::Kind::Tensor : Role::Kind::Pointer, param.param.index, true,
                       kernel.params[param.param].name});
    }
    for (ir::ScalarId scalar : signature.scalars)
      roles.push_back({Role::Kind::Scalar, scalar.index, true, kernel.scalars[scalar].name});
    if (signature.usesStage)
      roles.push_back({Role::Kind::Stage, 0, true, "stage"});
    for (size_t i = 0; i < work.params.size(); ++i)
      if (!work.params[i].isConst)
        roles.push_back(parameterRole(id, i));
    return roles;
  }

  Role parameterRole(WorkId id, size_t i) const {
    const ir::WorkParam &param = kernel.works[id].params[i];
    Role role = {Role::Kind::Param, static_cast<uint32_t>(i), isUniform(id, i), param.name};
    if (!param.type.isScalar() || !ir::isInteger(param.type.scalar))
      return role;
    const Range most = {INT64_MIN, INT64_MAX}, type = rangeOf(param.type.scalar);
    std::optional<Range> all;
    Ranges ranges(kernel, kernel.tables, lets, &loops);
    for (const ir::Op *op : calls) {
      if (op->work != id || i >= op->args.size())
        continue;
      if (!isIntegerType(kernel.tables, op->args[i]))
        return role;
      const Range one = ranges.valueOf(op->args[i]);
      all = all ? Range{std::min(all->low, one.low), std::max(all->high, one.high)} : one;
    }
    if (!all || !all->isWithin(type) || !all->isWithin(most))
      return role;
    role.low = static_cast<int64_t>(all->low);
    role.high = static_cast<int64_t>(all->high);
    return role;
  }

  // Registers are each thread's own.
  int64_t bytesOf(ir::FieldId id) const {
    const ir::Field &field = kernel.fields[id];
    const bool isShared = kernel.resources[field.resource].space == ir::SpaceKind::Smem;
    return isShared ? field.stageBytes() : 0;
  }

  // Whether all calls of the current task give all its threads one value.
  bool isUniform(WorkId id, size_t param) const {
    return llvm::all_of(calls, [&](const ir::Op *op) {
      return op->work != id || param >= op->args.size() ||
             kernel.tables.exprs[op->args[param]].uniformity < ir::Uniformity::Thread;
    });
  }

  // ---- What the schedule passes ----

  // `<3, true>` of a call of a work with compile-time parameters; nothing without.
  std::string constantsOf(const ir::Op &op) const {
    std::vector<std::string> list;
    const ir::Work &work = kernel.works[op.work];
    for (size_t i = 0; i < work.params.size() && i < op.args.size(); ++i)
      if (work.params[i].isConst)
        list.push_back(constantText(op.args[i], work.params[i].type));
    return list.empty() ? "" : "<" + llvm::join(list, ", ") + ">";
  }

  std::string constantText(ir::ExprId id, const ir::Type &type) const {
    if (std::optional<int64_t> value = ir::constantValue(kernel.tables, id))
      return fmt::format("{}({})", cppType(type), *value);
    return fmt::format("{}({})", cppType(type), kernel.tables.exprs[id].real);
  }

  std::string qualified(WorkId id, llvm::StringRef name) const {
    return spaceOf(kernel.works[id].resource) + "::" + name.str();
  }

  // Bodies with `const` parameters, as the calls make them.
  void emitInstances() {
    std::set<std::string> done;
    for (const ir::Op *op : calls) {
      const std::string constants = constantsOf(*op);
      if (constants.empty())
        continue;
      const std::string name = qualified(op->work, functionNames[op->work.index]);
      if (done.insert(name + constants).second)
        out.line("__device__ inline auto instance_{}() {{ return &{}{}; }}", done.size(), name,
                 constants);
    }
  }

  void emitArguments() {
    findResultTypes();
    for (const ir::Op *op : calls) {
      const ir::Work &work = kernel.works[op->work];
      for (size_t i = 0; i < work.params.size() && i < op->args.size(); ++i)
        if (!work.params[i].isConst)
          emitArgument(*op, i);
    }
  }

  void findResultTypes() {
    resultTypes.clear();
    for (const ir::Op *op : calls)
      for (size_t i = 0; i < op->results.size(); ++i)
        resultTypes[op->results[i]] =
            qualified(op->work, resultType(kernel.works[op->work], i)) + constantsOf(*op);
  }

  // Sema judges what it knows, which are the language's own scalars.
  void emitArgument(const ir::Op &op, size_t i) {
    const ir::Work &work = kernel.works[op.work];
    const ir::Expr &given = kernel.tables.exprs[op.args[i]];
    if (work.params[i].type.isScalar() && given.type.isScalar())
      return;
    std::string type = cppType(given.type);
    if (given.op == ir::ExprOp::Value)
      if (auto known = resultTypes.find(given.valueRef); known != resultTypes.end())
        type = known->second;
    const size_t number = request.arguments.size();
    request.arguments.push_back({kernel.name, op.work, i, op.loc});
    out.line("using argument_{}_given = {};", number, type);
    out.line("using argument_{}_wanted = {}{};", number, qualified(op.work, paramType(work, i)),
             constantsOf(op));
    out.line("[[clang::annotate(\"tsk::argument\", {0})]] __device__ constexpr bool argument_{0} = "
             "__is_convertible(argument_{0}_given, argument_{0}_wanted);",
             number);
  }

  Writer &out;
  const ir::Kernel &kernel;
  const SourceManager &sources;
  const CudaOptions &options;
  body::Request &request;
  std::set<std::string> macroNames;
  std::string implNamespace, uncalled;
  std::vector<std::string> userNames, taskNames, spaceNames, functionNames; // by id
  std::vector<const ir::Op *> calls;                                        // of the current task
  Ranges::Lets lets;
  Ranges::Loops loops;
  std::map<ir::ValueId, std::string> resultTypes;
};

} // namespace

void emitBodyText(const ir::Module &module, const SourceManager &sources, body::Request &request) {
  CudaOptions options;
  options.sourceName = BodyTextName.str();
  options.keepColumns = true;
  Writer out;
  emitCppBlocks(out, module, sources, options);
  for (const auto &kernel : module.kernels)
    KernelBodies(out, module, *kernel, sources, options, request).emit();
  request.text = out.take();
}

} // namespace tsk::codegen
