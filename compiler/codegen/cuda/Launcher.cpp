// The host side of a kernel: checks what it is given, describes tensors to the copy engine,
// launches.
#include "compiler/codegen/cuda/Arithmetic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::codegen {

namespace {

void openLauncher(Writer &out, const KernelNames &names, const std::string &launcher,
                  const std::string &arguments) {
  out.open("tsk::status {}(const {} &{}, tsk::stream {})", launcher, arguments, names.args,
           names.stream);
}

class LauncherEmitter {
public:
  LauncherEmitter(Writer &writer, const KernelContext &c)
      : out(writer), context(c), kernel(c.kernel), plan(c.plan), names(c.names) {}

  // All that stands in the function.
  void emitBody(llvm::ArrayRef<const KernelContext *> variants) {
    scalars();
    out.blank();
    out.line("tsk::launch_checks {}(\"{}\");", names.check, kernel.name);
    dimensions();
    for (const KernelContext *variant : variants)
      choose(*variant);
    for (const ir::Requirement &clause : kernel.requirements)
      requirement(clause);
    memory();
    out.blank();
    configuration();
    out.blank();
    launch();
  }

  // Only the choice: the declaration has no instance of its own name.
  void emitDispatcher(const std::string &name, llvm::ArrayRef<const KernelContext *> variants) {
    openLauncher(out, names, cppName(name), argumentsName(name));
    scalars();
    out.blank();
    out.line("tsk::launch_checks {}(\"{}\");", names.check, name);
    dimensions();
    for (const KernelContext *variant : variants)
      choose(*variant);
    out.line(
        "return tsk::status::invalid_argument(\"{}: no instance is made for these arguments\");",
        name);
    out.close();
  }

private:
  // ---- Values ----

  void scalars() {
    std::vector<std::string> list;
    for (size_t i = 0; i < kernel.scalars.size(); ++i) {
      const ir::Scalar &scalar = kernel.scalars[kernel.scalars.idAt(i)];
      if (ir::isInteger(scalar.type))
        list.push_back(names.launcherScalars[i] + " = " + argument(scalar.name));
    }
    if (!list.empty())
      out.line("const tsk::integer {};", llvm::join(list, ", "));
  }

  std::string argument(llvm::StringRef name) const { return names.args + "." + cppName(name); }
  std::string host(ir::ExprId id) const { return hostExpr(context, kernel.tables, id); }

  void returnIfDecided() {
    out.line("if ({}.is_decided())", names.check);
    out.line("  return {}.result();", names.check);
  }

  // ---- Checks of the arguments ----

  void dimensions() {
    bool any = false;
    for (const ir::Scalar &scalar : kernel.scalars) {
      if (!scalar.isDimension)
        continue;
      out.line("{}.dimension(\"{}\", {});", names.check, scalar.name, argument(scalar.name));
      any = true;
    }
    if (any)
      returnIfDecided();
  }

  void choose(const KernelContext &variant) {
    out.line("if ({})", hostCondition(context, variant));
    out.line("  return ::{}::{}({}, {});", context.options.nameSpace, variant.names.kernel,
             names.args, names.stream);
  }

  void requirement(const ir::Requirement &clause) {
    std::vector<std::string> values;
    listNames(clause.condition, values);
    out.line("{}.requirement({}, {}, {{{}}});", names.check, host(clause.condition),
             quoted(clause.text), llvm::join(values, ", "));
  }

  // The named integers of a condition, for the message: {"cols", cols}.
  void listNames(ir::ExprId id, std::vector<std::string> &values) const {
    const ir::Expr &expr = kernel.tables.exprs[id];
    std::string entry;
    if (expr.constantRef) {
      const ir::Constant &constant = kernel.constants[expr.constantRef];
      if (constant.type.isScalar() && ir::isInteger(constant.type.scalar))
        entry =
            fmt::format("{{\"{}\", {}}}", constant.name, names.constants[expr.constantRef.index]);
    } else if (expr.op == ir::ExprOp::Scalar) {
      const ir::Scalar &scalar = kernel.scalars[expr.scalarRef];
      if (ir::isInteger(scalar.type))
        entry =
            fmt::format("{{\"{}\", {}}}", scalar.name, names.launcherScalars[expr.scalarRef.index]);
    }
    if (!entry.empty() && !llvm::is_contained(values, entry))
      values.push_back(entry);
    for (ir::ExprId operand : expr.operands)
      listNames(operand, values);
  }

  // Where there is nothing to write, pointers that are only read may be anything.
  void memory() {
    for (const ir::Param &param : kernel.params)
      if (param.shape == ir::Param::Shape::Tensor)
        tensor(param);
      else if (param.shape == ir::Param::Shape::Pointer && param.direction != ir::Direction::In)
        pointer(param);
    returnIfDecided();
    for (const ir::Param &param : kernel.params)
      if (param.shape == ir::Param::Shape::Pointer && param.direction == ir::Direction::In)
        pointer(param);
  }

  std::string accessOf(const ir::Param &param) const {
    return names.check + (param.direction == ir::Direction::In ? ".reads" : ".writes");
  }

  void pointer(const ir::Param &param) {
    out.line("{}.pointer(\"{}\", {}, {}, alignof({}));", names.check, param.name,
             argument(param.name), accessOf(param), cppType(param.element));
  }

  void tensor(const ir::Param &param) {
    const std::string strides = param.strides.empty() ? "" : list(param.strides) + ", ";
    out.line("{}.tensor(\"{}\", {}, {}, {}, {}, {}sizeof({}));", names.check, param.name,
             argument(param.name), accessOf(param), alignment(param), list(param.dims), strides,
             cppType(param.element));
  }

  std::string list(const std::vector<ir::ExprId> &values) const {
    return "{" +
           llvm::join(llvm::map_range(values, [&](ir::ExprId id) { return host(id); }), ", ") + "}";
  }

  std::string factor(ir::ExprId id) const { return hostFactor(context, kernel.tables, id); }

  // 16 bytes for the copy engine and for vectors; a vector of fewer bytes would need less, but
  // which one a body uses is the body's business.
  std::string alignment(const ir::Param &param) const {
    return needsAlignment(context, param) ? "16" : "alignof(" + cppType(param.element) + ")";
  }

  // ---- Configuration ----

  void configuration() {
    out.line("tsk::launch_config {};", names.launch);
    out.line("{}.threads = {};", names.launch, context.threads());
    if (plan.sharedBytes)
      out.line("{}.shared_bytes = {};", names.launch, plan.sharedBytes);
    if (plan.minCtasPerSm > 1)
      out.line("{}.min_ctas = {};", names.launch, plan.minCtasPerSm);
    const ir::Cluster &cluster = kernel.cluster;
    for (size_t i = 0; i < cluster.extents.size(); ++i)
      if (cluster.extents[i] > 1)
        out.line("{}.cluster_{} = {};", names.launch, "xyz"[i], cluster.extents[i]);
    for (size_t i = 0; i < kernel.grid.extents.size(); ++i)
      out.line("{0}.grid_{1} = {2}.grid('{1}', {3}{4});", names.launch, "xyz"[i], names.check,
               host(kernel.grid.extents[i]),
               cluster.extents[i] > 1 ? fmt::format(", {}", cluster.extents[i]) : "");
    arithmetic = arithmeticChecks(context);
    statements(arithmetic.always);
    if (!kernel.grid.isPersistent) // whose size is known only after the device was asked
      statements(arithmetic.ofGrid);
    returnIfDecided();
  }

  void statements(llvm::ArrayRef<LauncherStatement> list) {
    for (const LauncherStatement &statement : list) {
      if (!statement.condition.empty())
        out.line("if ({})", statement.condition);
      out.line("{}{}", statement.condition.empty() ? "" : "  ", statement.text);
    }
  }

  // ---- The device and the launch ----

  void launch() {
    require("tsk::check_device({})", targetTriple());
    if (plan.sharedBytes)
      require("tsk::allow_shared_memory({}, {}.shared_bytes)", names.function, names.launch);
    if (kernel.grid.isPersistent) {
      for (size_t i = 1; i < kernel.cluster.extents.size(); ++i)
        if (kernel.cluster.extents[i] > 1)
          out.line("{}.grid_{} = {};", names.launch, "xyz"[i], kernel.cluster.extents[i]);
      require("tsk::persistent_grid({0}.grid_x, {1}, {0}, {2})", names.launch, names.function,
              kernel.grid.ctasPerSm);
      statements(arithmetic.ofGrid);
      if (!arithmetic.ofGrid.empty())
        returnIfDecided();
    }
    for (size_t i = 0; i < plan.tensorMaps.size(); ++i)
      tensorMap(names.launcherMaps[i], plan.tensorMaps[plan.tensorMaps.idAt(i)]);
    out.line("{}.require(tsk::launch({}));", names.check, llvm::join(launchArguments(), ", "));
    out.line("return {}.result();", names.check);
  }

  // The runtime is not asked for more once it has refused something.
  template <typename... Args>
  void require(fmt::format_string<const Args &...> call, const Args &...args) {
    out.line("if (!{}.require({}))", names.check, fmt::format(call, args...));
    out.line("  return {}.result();", names.check);
  }

  // "sm_90a" -> {9, 0, true}
  std::string targetTriple() const {
    llvm::StringRef digits = plan.target;
    digits.consume_front("sm_");
    const bool isExact = digits.consume_back("a");
    unsigned number = 0;
    TSK_CHECK(!digits.getAsInteger(10, number), "a target that is not sm_ and a number");
    return fmt::format("{{{}, {}, {}}}", number / 10, number % 10, isExact);
  }

  void tensorMap(const std::string &name, const plan::TensorMap &map) {
    const ir::Param &param = kernel.params[map.tensor];
    std::vector<std::string> dims, strides, box;
    for (ir::ExprId dim : param.dims)
      dims.push_back(host(dim));
    for (size_t i = 0; i < param.dims.size(); ++i)
      strides.push_back(param.strides.empty() ? packedStride(param, i) : host(param.strides[i]));
    for (uint32_t extent : map.box)
      box.push_back(std::to_string(extent));
    static constexpr const char *Swizzles[] = {"", ", tsk::swizzle::b32", ", tsk::swizzle::b64",
                                               ", tsk::swizzle::b128"};
    out.line("tsk::tensor_map {};", name);
    require("tsk::make_tensor_map({}, \"{}\", {}, {{{}}}, {{{}}}, {{{}}}{})", name, param.name,
            argument(param.name), llvm::join(dims, ", "), llvm::join(strides, ", "),
            llvm::join(box, ", "), Swizzles[static_cast<size_t>(map.swizzle)]);
  }

  std::string packedStride(const ir::Param &param, size_t dimension) const {
    std::string text;
    for (size_t i = dimension + 1; i < param.dims.size(); ++i)
      text += (text.empty() ? "" : " * ") + factor(param.dims[i]);
    return text.empty() ? "1" : text;
  }

  // In the order of the function's parameters (Device.cpp).
  std::vector<std::string> launchArguments() const {
    std::vector<std::string> list = {names.function, names.launch, names.stream};
    list.insert(list.end(), names.launcherMaps.begin(), names.launcherMaps.end());
    for (ir::ParamId id : context.uses.params)
      list.push_back(argument(kernel.params[id].name));
    for (ir::ScalarId id : context.uses.scalars)
      list.push_back(argument(kernel.scalars[id].name));
    return list;
  }

  Writer &out;
  const KernelContext &context;
  const ir::Kernel &kernel;
  const plan::Plan &plan;
  const KernelNames &names;
  ArithmeticChecks arithmetic;
};

} // namespace

bool needsAlignment(const KernelContext &context, const ir::Param &param) {
  const auto isThis = [&](ir::ParamId id) { return &context.kernel.params[id] == &param; };
  if (llvm::any_of(context.plan.tensorMaps,
                   [&](const plan::TensorMap &map) { return isThis(map.tensor); }))
    return true;
  for (const auto &[task, works] : context.uses.works)
    for (ir::WorkId id : works) {
      const ir::Work &work = context.kernel.works[id];
      const std::set<std::string> identifiers = identifiersOf(work);
      const bool usesVectors = identifiers.count("vec") || identifiers.count("flat_vec");
      const WorkSignature signature = signatureOf(context.kernel, work);
      if (usesVectors &&
          llvm::any_of(signature.params, [&](const auto &use) { return isThis(use.param); }))
        return true;
    }
  return false;
}

void emitLauncher(Writer &out, const KernelContext &context,
                  llvm::ArrayRef<const KernelContext *> variants) {
  const KernelNames &names = context.names;
  Writer body;
  body.indent();
  LauncherEmitter(body, context).emitBody(variants);
  const std::string text = body.take();
  openLauncher(out, names, names.kernel, names.arguments);
  // One by one: a constant may have the name of a kernel.
  const std::set<std::string> mentioned = identifiersIn(text);
  std::vector<std::string> list = {names.implNamespace + "::" + names.function};
  for (const std::string &constant : names.constants)
    if (mentioned.count(constant))
      list.push_back(names.implNamespace + "::" + constant);
  out.line("using {};", llvm::join(list, ", "));
  out.raw(text);
  out.close();
}

void emitDispatcher(Writer &out, llvm::StringRef name,
                    llvm::ArrayRef<const KernelContext *> variants) {
  LauncherEmitter(out, *variants.front()).emitDispatcher(name.str(), variants);
}

} // namespace tsk::codegen
