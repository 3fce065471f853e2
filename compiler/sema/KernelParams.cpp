// Compile-time parameters, and the parameters that a launch passes: tensors with their dimensions,
// pointers, scalars.
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TypeResolver.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> MissingDirection{
    kind::MissingDirection, "tensor `{}` needs a direction: `in`, `out` or `inout`"};
constexpr Diagnostic<llvm::StringRef> DirectionOfScalar{
    kind::DirectionOfScalar, "scalar `{}` has no direction; it is passed by value"};
constexpr Diagnostic<llvm::StringRef, Count, Count> StrideCount{kind::StrideCount,
                                                                "`{}` has {}, but {}"};

void declareCompileTimeParams(KernelState &state) {
  for (size_t i = 0; i < state.decl.compileTimeParams.size(); ++i) {
    const ast::CompileTimeParam &param = state.decl.compileTimeParams[i];
    const CompileTimeValue &value = state.instance.values[i];
    Symbol *symbol = declare(state.context, state.scope, param.name,
                             value.isType ? Symbol::Kind::TypeConstant : Symbol::Kind::Constant);
    if (!symbol)
      continue;
    symbol->type = value.type;
    symbol->constant = value.constant;
    ir::Constant constant;
    constant.name = symbol->name;
    constant.loc = symbol->loc;
    constant.isType = value.isType;
    constant.type = ir::Type::ofScalar(value.constant.type);
    constant.value = value.isType ? static_cast<int64_t>(value.type) : value.constant.value;
    constant.real = value.constant.real;
    symbol->constantId = state.kernel->constants.add(std::move(constant));
  }
}

namespace {

class ParamBuilder {
public:
  explicit ParamBuilder(KernelState &kernelState)
      : state(kernelState), kernel(*kernelState.kernel) {}

  void build() {
    // Names first: a dimension may be an expression of dimensions that stand further right.
    for (const ast::KernelParam &param : state.decl.params)
      for (const ast::Expr *dim : param.dims)
        bindName(dim, ir::ScalarType::I32);
    for (const ast::KernelParam &param : state.decl.params)
      for (const ast::Expr *stride : param.strides)
        bindName(stride, ir::ScalarType::I64);
    for (const ast::KernelParam &param : state.decl.params)
      buildParam(param);
  }

private:
  void bindName(const ast::Expr *expr, ir::ScalarType type);
  void buildParam(const ast::KernelParam &param);
  void buildScalar(const ast::KernelParam &param);
  std::vector<ir::ExprId> extents(ast::List<const ast::Expr *> exprs, ir::ScalarType type,
                                  llvm::StringRef what);
  ir::ScalarId addScalar(Symbol &symbol, ir::ScalarType type, bool isDimension);

  KernelState &state;
  ir::Kernel &kernel;
};

} // namespace

ir::ScalarId ParamBuilder::addScalar(Symbol &symbol, ir::ScalarType type, bool isDimension) {
  ir::Scalar scalar;
  scalar.name = symbol.name;
  scalar.type = type;
  scalar.isDimension = isDimension;
  scalar.loc = symbol.loc;
  symbol.type = type;
  symbol.scalar = kernel.scalars.add(std::move(scalar));
  return symbol.scalar;
}

// A lone name that nothing else has is a new dimension or stride.
void ParamBuilder::bindName(const ast::Expr *expr, ir::ScalarType type) {
  const auto *name = llvm::dyn_cast<ast::NameExpr>(expr);
  if (!name || name->parts.size() != 1 || state.scope.find(name->parts[0].text))
    return;
  if (Symbol *symbol = declare(state.context, state.scope, name->parts[0], Symbol::Kind::Scalar))
    addScalar(*symbol, type, type == ir::ScalarType::I32);
}

std::vector<ir::ExprId> ParamBuilder::extents(ast::List<const ast::Expr *> exprs,
                                              ir::ScalarType type, llvm::StringRef what) {
  std::vector<ir::ExprId> result;
  ExprResolver resolver = state.resolver();
  for (const ast::Expr *expr : exprs) {
    ir::ExprId id = resolver.resolveInteger(expr, what);
    bool isKnown = id && isKnownAtLaunch(kernel.tables, id);
    if (id && !isKnown)
      state.context.report(expr->range, NotKnownAtLaunch, what, state.context.text(expr->range));
    else if (id && resolver.constantOf(id) && resolver.constantOf(id)->value < 1)
      resolver.constantInteger(expr, what, 1, INT32_MAX); // reports
    else if (id && resolver.convertTo(id, ir::Type::ofScalar(type), expr->range, what))
      result.push_back(id);
  }
  return result;
}

void ParamBuilder::buildScalar(const ast::KernelParam &param) {
  TypeResolver types(state, state.scope);
  std::optional<ir::ScalarType> type =
      types.scalar(param.type, fmt::format("scalar parameters like `{}`", param.name.text));
  if (param.direction != ast::Direction::None)
    state.context.report(param.range, DirectionOfScalar, param.name.text);
  Symbol *symbol = declare(state.context, state.scope, param.name,
                           type ? Symbol::Kind::Scalar : Symbol::Kind::Broken);
  if (!symbol || !type)
    return;
  ir::Param built;
  built.name = symbol->name;
  built.shape = ir::Param::Shape::Scalar;
  built.direction = ast::Direction::None;
  built.element = *type;
  built.scalar = addScalar(*symbol, *type, false);
  built.loc = param.range;
  kernel.params.add(std::move(built));
}

void ParamBuilder::buildParam(const ast::KernelParam &param) {
  if (param.shape == ast::KernelParam::Shape::Scalar)
    return buildScalar(param);
  bool isTensor = param.shape == ast::KernelParam::Shape::Tensor;
  TypeResolver types(state, state.scope);
  std::optional<ir::ScalarType> element =
      types.element(param.type, fmt::format("elements of `{}`", param.name.text));
  ir::Param built;
  built.shape = isTensor ? ir::Param::Shape::Tensor : ir::Param::Shape::Pointer;
  built.direction = param.direction;
  built.fromHost = param.fromHost;
  built.loc = param.range;
  if (isTensor && param.direction == ast::Direction::None)
    state.context.report(param.name.range, MissingDirection, param.name.text)
        .fixit({param.range.begin, param.range.begin}, "in ", "make it an input");
  built.dims =
      extents(param.dims, ir::ScalarType::I32, fmt::format("a dimension of `{}`", param.name.text));
  built.strides =
      extents(param.strides, ir::ScalarType::I64, fmt::format("a stride of `{}`", param.name.text));
  if (!param.strides.empty() && param.strides.size() != param.dims.size())
    state.context.report(param.range, StrideCount, param.name.text,
                         Count{param.dims.size(), "dimension"},
                         Count{param.strides.size(), "stride"});
  bool ok = element && built.dims.size() == param.dims.size() &&
            built.strides.size() == param.strides.size();
  Symbol *symbol = declare(state.context, state.scope, param.name,
                           !ok        ? Symbol::Kind::Broken
                           : isTensor ? Symbol::Kind::Tensor
                                      : Symbol::Kind::Pointer);
  if (!symbol || !ok)
    return;
  built.name = symbol->name;
  built.element = *element;
  symbol->type = *element;
  symbol->param = kernel.params.add(std::move(built));
}

void buildKernelParams(KernelState &state) { ParamBuilder(state).build(); }

} // namespace tsk::sema
