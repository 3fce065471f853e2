// The works of a task as functions: the body as the user wrote it, with what it may name as
// parameters.
#include "compiler/codegen/cuda/Expressions.h"
#include "compiler/codegen/cuda/UserText.h"
#include "compiler/codegen/cuda/WorkText.h"
#include "compiler/plan/FieldLayout.h"
#include "compiler/plan/Participants.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::codegen {

using ir::WorkId;

namespace {

// On one line if it fits, else with the name on a line of its own.
void emitHead(Writer &out, const std::string &start, const std::string &name,
              llvm::ArrayRef<std::string> parameters) {
  const std::string call = fmt::format("{}({}) {{", name, llvm::join(parameters, ", "));
  if (Writer::fits(start + " " + call))
    return out.line(llvm::StringRef(start + " " + call));
  out.line(llvm::StringRef(start));
  out.line(llvm::StringRef(call));
}

class WorkEmitter {
public:
  WorkEmitter(Writer &writer, const WorkText &t)
      : out(writer), text(t), kernel(t.kernel), work(t.work), signature(t.signature), name(t.name) {
    nameFields();
  }

  void emit() {
    out.blank();
    emitResultType();
    if (const std::string constants = templateParameters(); !constants.empty())
      out.line("template <{}>", constants);
    emitHead(out, device() + resultType(), name, parameters());
    emitForeignFields();
    if (isInBlock())
      out.line("{");
    emitUserText(out, work.body, textBegin(work.body, work.bodyLoc, text.sources), text.sources,
                 text.options);
    out.line(isInBlock() ? "}}" : "}");
  }

private:
  // Clang checks only functions that are certain to be emitted for what they call.
  std::string device() const {
    return text.attribute + (isRead() ? "__device__ " : "__device__ __forceinline__ ");
  }

  void emitResultType() {
    if (work.results.size() < 2)
      return;
    // The reader of bodies tells it from structures of the user's.
    out.open("struct {}{}", isRead() ? "[[clang::annotate(\"tsk::results\")]] " : "",
             resultsName(name));
    for (const ir::WorkParam &result : work.results)
      out.line("{} {};", cppType(result.type), cppName(result.name));
    out.close(";");
  }

  std::string resultType() const {
    if (work.results.empty())
      return "void";
    return work.results.size() == 1 ? cppType(work.results[0].type) : resultsName(name);
  }

  std::string templateParameters() const {
    std::vector<std::string> list;
    for (const ir::WorkParam &param : work.params)
      if (param.isConst)
        list.push_back(cppType(param.type) + " " + cppName(param.name));
    return llvm::join(list, ", ");
  }

  // In the order in which Steps.cpp passes them.
  std::vector<std::string> parameters() const {
    std::vector<std::string> list;
    list.reserve(signature.fields.size() + signature.params.size() + work.params.size());
    for (const WorkSignature::Field &field : signature.fields)
      list.push_back(fieldType(field) + " " + fieldName(field));
    for (const WorkSignature::Param &param : signature.params)
      list.push_back(paramType(kernel.params[param.param]) + cppName(param.name));
    for (ir::ScalarId scalar : signature.scalars)
      list.push_back(cppType(kernel.scalars[scalar].type) + " " +
                     cppName(kernel.scalars[scalar].name));
    if (signature.usesStage)
      list.push_back("tsk::stage_info stage");
    for (const ir::WorkParam &param : work.params)
      if (!param.isConst)
        list.push_back(cppType(param.type) + " " + cppName(param.name));
    return list;
  }

  std::string fieldType(const WorkSignature::Field &use) const {
    const ir::Field &field = kernel.fields[use.field];
    if (isFragment(field))
      return (use.isWritten ? "" : "const ") + registersType(field) + " &";
    const std::string element = (use.isWritten ? "" : "const ") + cppType(field.element);
    const std::string dims = extents(field.dims);
    // To the reader a field is its shape; how it lies and is moved does not matter.
    if (isRead())
      return fmt::format("tsk::{}<{}{}>", use.isMoved ? "reading::field" : "smem_tile", element,
                         dims);
    const unsigned span = plan::swizzleSpan(field.swizzle);
    std::string view = span ? fmt::format("tsk::swizzled_tile<{}, {}{}>", element, span, dims)
                            : fmt::format("tsk::smem_tile<{}{}>", element, dims);
    if (!use.isMoved)
      return view;
    const unsigned slices = plan::countAlong(kernel.cluster, plan::multicastOf(kernel, field));
    const std::optional<std::vector<uint32_t>> box = plan::boxOf(field, slices);
    TSK_CHECK(box, "a field that TMA cannot move reached the code generator");
    if (slices > 1 && use.isWritten)
      return fmt::format("tsk::tma_multicast<{}, {}{}>", view, slices, extents(*box));
    return span || plan::boxesOf(field, *box) > 1
               ? fmt::format("tsk::tma_boxes<{}{}>", view, extents(*box))
               : fmt::format("tsk::tma_tile<{}{}>", element, dims);
  }

  template <typename T> static std::string extents(const std::vector<T> &dims) {
    std::string list;
    for (T dim : dims)
      list += ", " + std::to_string(dim);
    return list;
  }

  const std::string &fieldName(const WorkSignature::Field &use) const {
    return fieldNames.at(use.field);
  }

  // A field of another resource comes by a name that nobody spells.
  void nameFields() {
    NameScope scope;
    scope.reserveAll(identifiersOf(work));
    for (const ir::WorkParam &param : work.params)
      scope.reserve(cppName(param.name));
    for (const ir::HoldParam &hold : work.holds)
      scope.reserve(cppName(hold.name));
    for (const WorkSignature::Field &use : signature.fields) {
      const ir::Field &field = kernel.fields[use.field];
      fieldNames[use.field] =
          use.isForeign ? scope.claim(kernel.resources[field.resource].name + "_" + field.name)
                        : cppName(field.name);
    }
  }

  // `operands.a` in a body of another resource, or `op.a` where `op` names the stage: a local of
  // that name with the field as a member.
  void emitForeignFields() {
    std::vector<ir::ResourceId> done;
    for (const WorkSignature::Field &first : signature.fields) {
      const ir::ResourceId owner = kernel.fields[first.field].resource;
      if (!first.isForeign || llvm::is_contained(done, owner))
        continue;
      done.push_back(owner);
      std::string members, values;
      for (const WorkSignature::Field &field : signature.fields) {
        if (kernel.fields[field.field].resource != owner)
          continue;
        members += fieldType(field) + " " + cppName(kernel.fields[field.field].name) + "; ";
        values += (values.empty() ? "" : ", ") + fieldName(field);
      }
      out.line("  const struct {{ {}}} {}{{{}}};", members, cppName(kernel.nameIn(work, owner)),
               values);
    }
  }

  bool isInBlock() const { return isRead() || signature.hidesNames; }
  bool isRead() const { return !text.attribute.empty(); }

  Writer &out;
  const WorkText &text;
  const ir::Kernel &kernel;
  const ir::Work &work;
  const WorkSignature &signature;
  const std::string &name;
  std::map<ir::FieldId, std::string> fieldNames;
};

} // namespace

bool isFragment(const ir::Field &field) {
  return field.per == ir::PerUnit::Warpgroup && field.dims.size() == 2 && field.dims[0] == 64 &&
         field.dims[1] % 8 == 0;
}

std::string registersType(const ir::Field &field) {
  return fmt::format("tsk::fragment<{}, {}, {}>", cppType(field.element), field.dims[0],
                     field.dims[1]);
}

void emitWork(Writer &out, const WorkText &text) { WorkEmitter(out, text).emit(); }

std::string resultsName(llvm::StringRef function) { return function.str() + "_results"; }

// The work as a function of the task's namespace, or of its resource's in there.
static void emitWork(Writer &out, const KernelContext &context, ir::TaskId task, WorkId id) {
  const llvm::StringRef qualified = context.workName(task, id);
  const size_t inner = qualified.rfind(':');
  const ir::Work &work = context.kernel.works[id];
  emitWork(out, {context.kernel, work,
                 qualified.drop_front(inner == llvm::StringRef::npos ? 0 : inner + 1).str(),
                 signatureOf(context.kernel, work), context.sources, context.options, ""});
}

std::string paramType(const ir::Param &param, bool isReadOnly) {
  const bool isConst = isReadOnly || param.direction == ir::Direction::In;
  const std::string element = (isConst ? "const " : "") + cppType(param.element);
  if (param.shape == ir::Param::Shape::Pointer)
    return element + " *";
  const std::string view = param.strides.empty() ? "tensor" : "strided_tensor";
  return fmt::format("tsk::{}<{}, {}> ", view, element, param.dims.size());
}

std::string constantDeclaration(const ir::Constant &constant, llvm::StringRef attribute) {
  const std::string name = cppName(constant.name) + attribute.str();
  if (constant.isType)
    return fmt::format("using {} = {};", name,
                       cppType(static_cast<ir::ScalarType>(constant.value)));
  return fmt::format("constexpr {} {} = {};", cppType(constant.type), name,
                     literal(constant.type.scalar, constant.value, constant.real));
}

void emitConstants(Writer &out, const KernelContext &context) {
  bool any = false;
  for (size_t i = 0; i < context.kernel.constants.size(); ++i) {
    const ir::ConstantId id = context.kernel.constants.idAt(i);
    if (!context.uses.constants.count(id) && !context.uses.launcherConstants.count(id))
      continue;
    out.line("{}", constantDeclaration(context.kernel.constants[id]));
    any = true;
  }
  if (any)
    out.blank();
}

void emitFunction(Writer &out, const FunctionText &text) {
  const ir::Kernel &kernel = text.kernel;
  const ir::Function &function = kernel.functions[text.function];
  const ir::Signature &signature = kernel.tables.functions[text.function];
  const bool isRead = !text.attribute.empty();
  std::vector<std::string> parameters;
  for (ir::ParamId param : function.usedParams)
    parameters.push_back(paramType(kernel.params[param], /*isReadOnly=*/true) +
                         cppName(kernel.params[param].name));
  for (ir::ScalarId scalar : function.usedScalars)
    parameters.push_back(cppType(kernel.scalars[scalar].type) + " " +
                         cppName(kernel.scalars[scalar].name));
  for (size_t i = 0; i < signature.params.size(); ++i)
    parameters.push_back(cppType(signature.params[i]) + " " + cppName(function.params[i]));
  emitHead(out,
           text.attribute + (isRead ? "__device__ " : "__device__ __forceinline__ ") +
               cppType(signature.result),
           text.name, parameters);
  const std::set<std::string> named = identifiersOf(function);
  for (const ir::Constant &constant : function.constants)
    if (isRead || named.count(constant.name))
      out.line("  {}", constantDeclaration(constant));
  if (isRead)
    out.line("{");
  emitUserText(out, function.body, textBegin(function.body, function.bodyLoc, text.sources),
               text.sources, text.options);
  out.line(isRead ? "}}" : "}");
  out.blank();
}

void emitFunctions(Writer &out, const KernelContext &context) {
  for (ir::FunctionId id : context.uses.functions)
    emitFunction(out, {context.kernel, id, context.names.userFunctions[id.index], context.sources,
                       context.options, ""});
}

// Works of a resource type's instance stand in a namespace with its compile-time parameters.
static void emitResourceNamespace(Writer &out, const KernelContext &context, ir::TaskId task,
                                  ir::ResourceId id, llvm::ArrayRef<WorkId> works) {
  const ir::Resource &resource = context.kernel.resources[id];
  const std::string &name = context.resourceName(task, id);
  std::set<std::string> named;
  for (WorkId work : works)
    named.merge(identifiersOf(context.kernel.works[work]));
  out.blank();
  out.line("namespace {} {{", name);
  for (const ir::Constant &constant : resource.constants)
    if (named.count(constant.name))
      out.line("{}", constantDeclaration(constant));
  for (WorkId work : works)
    emitWork(out, context, task, work);
  out.line("}} // namespace {}", name);
}

bool speaksOfTiles(const ir::Work &work) {
  return llvm::StringRef(work.body).contains("tsk::tile::");
}

void emitWorks(Writer &out, const KernelContext &context, ir::TaskId task) {
  const plan::Task &item = context.plan.tasks[task];
  const std::string &space = context.names.tasks[task.index];
  out.line("// {}: warps {} .. {}", item.name, item.firstWarp, item.firstWarp + item.warps);
  out.line("namespace {} {{", space);
  out.line("TSK_TASK({}, {})", item.firstWarp, item.warps);
  if (llvm::any_of(context.uses.works.at(task),
                   [&](WorkId id) { return speaksOfTiles(context.kernel.works[id]); }))
    out.line("TSK_TASK_TILES");
  if (const auto instance = context.kernel.tasks[task].instance)
    out.line("[[maybe_unused]] constexpr int inst = {};", *instance);
  std::map<ir::ResourceId, std::vector<WorkId>> ofTypes;
  for (WorkId id : context.uses.works.at(task)) {
    const ir::ResourceId resource = context.kernel.works[id].resource;
    if (context.kernel.resources[resource].constants.empty())
      emitWork(out, context, task, id);
    else
      ofTypes[resource].push_back(id);
  }
  for (const auto &[resource, works] : ofTypes)
    emitResourceNamespace(out, context, task, resource, works);
  out.line("}} // namespace {}", space);
  out.blank();
}

} // namespace tsk::codegen
