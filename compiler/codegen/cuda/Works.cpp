// The works of a task as functions: the body as the user wrote it, with what it may name as
// parameters.
#include "compiler/codegen/cuda/KernelContext.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::codegen {

using ir::WorkId;

namespace {

class WorkEmitter {
public:
  WorkEmitter(Writer &writer, const KernelContext &c, ir::TaskId t, WorkId id)
      : out(writer), context(c), kernel(c.kernel), work(kernel.works[id]),
        signature(signatureOf(kernel, work)),
        name(llvm::StringRef(c.workName(t, id)).rsplit("::").second.empty()
                 ? c.workName(t, id)
                 : llvm::StringRef(c.workName(t, id)).rsplit("::").second.str()) {}

  void emit() {
    out.blank();
    emitResultType();
    if (const std::string constants = templateParameters(); !constants.empty())
      out.line("template <{}>", constants);
    emitHead();
    emitForeignFields();
    emitUserText(out, work.body, bodyBegin(), context.sources, context.options);
    out.line("}");
  }

private:
  // On one line if it fits, else with the name on a line of its own.
  void emitHead() {
    const std::string type = "__device__ __forceinline__ " + resultType();
    const std::string call = fmt::format("{}({}) {{", name, llvm::join(parameters(), ", "));
    if (Writer::fits(type + " " + call))
      return out.line(llvm::StringRef(type + " " + call));
    out.line(llvm::StringRef(type));
    out.line(llvm::StringRef(call));
  }

  void emitResultType() {
    if (work.results.size() < 2)
      return;
    out.open("struct {}_results", name);
    for (const ir::WorkParam &result : work.results)
      out.line("{} {};", cppType(result.type), cppName(result.name));
    out.close(";");
  }

  std::string resultType() const {
    if (work.results.empty())
      return "void";
    return work.results.size() == 1 ? cppType(work.results[0].type) : name + "_results";
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
    TSK_CHECK(field.swizzle == ir::Swizzle::None, "a swizzled field reached the code generator");
    std::string dims;
    for (int64_t dim : field.dims)
      dims += ", " + std::to_string(dim);
    const std::string view = use.isTmaTarget ? "tma_tile" : "smem_tile";
    const std::string element = (use.isWritten ? "" : "const ") + cppType(field.element);
    return "tsk::" + view + "<" + element + dims + ">";
  }

  std::string fieldName(const WorkSignature::Field &use) const {
    const ir::Field &field = kernel.fields[use.field];
    return use.isForeign ? kernel.resources[field.resource].name + "_" + field.name
                         : cppName(field.name);
  }

  static std::string paramType(const ir::Param &param) {
    const bool isConst = param.direction == ir::Direction::In;
    const std::string element = (isConst ? "const " : "") + cppType(param.element);
    if (param.shape == ir::Param::Shape::Pointer)
      return element + " *";
    const std::string view = param.strides.empty() ? "tensor" : "strided_tensor";
    return fmt::format("tsk::{}<{}, {}> ", view, element, param.dims.size());
  }

  // `operands.a` in a body of another resource: a local of that name with the field as a member.
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
      out.line("  const struct {{ {}}} {}{{{}}};", members, cppName(kernel.resources[owner].name),
               values);
    }
  }

  // The location of the text, whether or not the recorded range includes the brace.
  SourceLoc bodyBegin() const {
    if (!work.bodyLoc.isValid())
      return {};
    const bool hasBrace = context.sources.text(work.bodyLoc).starts_with("{") &&
                          !llvm::StringRef(work.body).starts_with("{");
    return hasBrace ? work.bodyLoc.begin.advanced(1) : work.bodyLoc.begin;
  }

  Writer &out;
  const KernelContext &context;
  const ir::Kernel &kernel;
  const ir::Work &work;
  WorkSignature signature;
  std::string name;
};

} // namespace

std::string constantDeclaration(const ir::Constant &constant) {
  const std::string name = cppName(constant.name);
  if (constant.isType)
    return fmt::format("using {} = {};", name,
                       cppType(static_cast<ir::ScalarType>(constant.value)));
  const std::string type = cppType(constant.type);
  if (constant.type.isScalar() && ir::scalarClass(constant.type.scalar) == ir::ScalarClass::Float)
    return fmt::format("constexpr {} {} = {};", type, name, constant.real);
  if (constant.type.isScalar() && constant.type.scalar == ir::ScalarType::Bool)
    return fmt::format("constexpr bool {} = {};", name, constant.value ? "true" : "false");
  return fmt::format("constexpr {} {} = {};", type, name, constant.value);
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

// Works of a resource type's instance stand in a namespace with its compile-time parameters.
static void emitResourceNamespace(Writer &out, const KernelContext &context, ir::TaskId task,
                                  ir::ResourceId id, llvm::ArrayRef<WorkId> works) {
  const ir::Resource &resource = context.kernel.resources[id];
  std::set<std::string> named;
  for (WorkId work : works)
    named.merge(identifiersOf(context.kernel.works[work]));
  out.blank();
  out.line("namespace {} {{", cppName(resource.name));
  for (const ir::Constant &constant : resource.constants)
    if (named.count(constant.name))
      out.line("{}", constantDeclaration(constant));
  for (WorkId work : works)
    WorkEmitter(out, context, task, work).emit();
  out.line("}} // namespace {}", cppName(resource.name));
}

void emitWorks(Writer &out, const KernelContext &context, ir::TaskId task) {
  const plan::Task &item = context.plan.tasks[task];
  const std::string &space = context.names.tasks[task.index];
  out.line("// {}: warps {} .. {}", item.name, item.firstWarp, item.firstWarp + item.warps);
  out.line("namespace {} {{", space);
  out.line("TSK_TASK({}, {})", item.firstWarp, item.warps);
  std::map<ir::ResourceId, std::vector<WorkId>> ofTypes;
  for (WorkId id : context.uses.works.at(task)) {
    const ir::ResourceId resource = context.kernel.works[id].resource;
    if (context.kernel.resources[resource].constants.empty())
      WorkEmitter(out, context, task, id).emit();
    else
      ofTypes[resource].push_back(id);
  }
  for (const auto &[resource, works] : ofTypes)
    emitResourceNamespace(out, context, task, resource, works);
  out.line("}} // namespace {}", space);
  out.blank();
}

} // namespace tsk::codegen
