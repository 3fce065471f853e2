#include "compiler/sema/ResourceBuilder.h"
#include "compiler/sema/Elements.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/body/BodyScan.h"
#include "compiler/ir/CppText.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, Count, size_t> ResourceArguments{
    kind::ResourceArguments, "resource type `{}` takes {}, found {}"};
constexpr Diagnostic<llvm::StringRef, Count> ResourceTypeArguments{
    kind::ResourceTypeArguments, "resource type `{}` takes at most {}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> TensorElement{
    kind::TensorElement, "`{}` has elements of `{}`, expected `{}`"};

// ---- Bodies of resources ----------------------------------------------------------------------

std::optional<ir::ResourceId> ResourceBuilder::build(const ast::Name &name, const ast::Space &space,
                                                     ast::List<ast::ResourceMember> list) {
  ir::Resource built;
  built.name = name.text.str();
  built.loc = name.range;
  if (!setSpace(built, space))
    return std::nullopt;
  id = kernel.resources.add(std::move(built));
  flatten(list);
  // Fields first: works may stand before the fields that they name.
  for (const ast::ResourceMember &member : flat)
    if (member.field)
      addField(*member.field);
  for (const ast::ResourceMember &member : flat)
    if (member.pipeline)
      addPipeline(*member.pipeline);
  for (const ast::ResourceMember &member : flat)
    if (member.work)
      addWork(*member.work);
  return id;
}

void ResourceBuilder::flatten(ast::List<ast::ResourceMember> list) {
  for (const ast::ResourceMember &member : list) {
    if (!member.staticIf) {
      flat.push_back(member);
      continue;
    }
    if (auto taken = state.resolver(scope).takenBranch(member.staticIf->branches,
                                                       member.staticIf->elseMembers))
      flatten(*taken);
  }
}

bool ResourceBuilder::setSpace(ir::Resource &built, const ast::Space &space) {
  built.space = space.kind;
  if (space.kind == ast::SpaceKind::Tmem) {
    state.context.notYetCompiled(Construct::Tmem, space.range);
    return false;
  }
  if (!space.tensor)
    return true;
  const Symbol *symbol = lookUp(state.context, scope, space.tensor);
  if (!symbol)
    return true;
  if (symbol->kind == Symbol::Kind::Tensor)
    built.tensor = symbol->param;
  else
    reportWrongKind(state.context, space.tensor.range, *symbol, "a tensor");
  return true;
}

// ---- Instances of resource types --------------------------------------------------------------

namespace {

class TypeInstantiator {
public:
  TypeInstantiator(KernelState &kernelState, const ast::ResourceDecl &resourceDecl,
                   const ast::Name &resourceName, const Symbol &typeSymbol)
      : state(kernelState), decl(resourceDecl), ownName(resourceName), symbol(typeSymbol),
        type(*typeSymbol.resourceType), outer(symbol.home ? symbol.home->visible : state.scope) {}

  std::optional<ir::ResourceId> build();

private:
  bool bindCompileTime(Scope &names);
  bool bindTensors(Scope &names);
  bool bindTensor(Scope &names, const ast::KernelParam &param, const ast::Arg &arg);
  void addFileConstants();
  void addConstant(const Symbol &constant);

  KernelState &state;
  const ast::ResourceDecl &decl;
  const ast::Name &ownName; // the declaration's, or an element's
  const Symbol &symbol;
  const ast::ResourceTypeDecl &type;
  const Scope &outer;
  std::vector<ir::Constant> constants;
  std::vector<ir::ParamAlias> aliases;
};

} // namespace

std::optional<ir::ResourceId> TypeInstantiator::build() {
  Trail trail(state.context, decl.range,
              fmt::format("`{}` is made from `{}` here", decl.name.text, type.name.text));
  Scope names(&outer);
  if (!bindCompileTime(names) || !bindTensors(names))
    return std::nullopt;
  addFileConstants();
  ResourceBuilder builder(state, names);
  std::optional<ir::ResourceId> id = builder.build(ownName, type.space, type.members);
  if (!id)
    return std::nullopt;
  state.kernel->resources[*id].constants = std::move(constants);
  state.kernel->resources[*id].aliases = std::move(aliases);
  state.resourceTypes[*id] = &type;
  return id;
}

void TypeInstantiator::addConstant(const Symbol &known) {
  ir::Constant constant;
  constant.name = known.name;
  constant.loc = known.loc;
  constant.isType = known.kind == Symbol::Kind::TypeConstant;
  constant.type = ir::Type::ofScalar(known.constant.type);
  constant.value = constant.isType ? static_cast<int64_t>(known.type) : known.constant.value;
  constant.real = known.constant.real;
  constants.push_back(std::move(constant));
}

bool TypeInstantiator::bindCompileTime(Scope &names) {
  ast::List<ast::TypeArg> args = decl.instantiated->args;
  if (args.size() > type.compileTimeParams.size()) {
    state.context.report(decl.instantiated->range, ResourceTypeArguments, type.name.text,
                         Count{type.compileTimeParams.size(), "compile-time argument"});
    return false;
  }
  CompileTimeBinder binder(state.context, outer);
  for (size_t i = 0; i < type.compileTimeParams.size(); ++i) {
    const ast::CompileTimeParam &param = type.compileTimeParams[i];
    ast::NameExpr asName; // a lone name is read as a type; what it is, its meaning decides
    const ast::Expr *written = nullptr;
    if (i < args.size() && args[i].type) {
      asName.parts = args[i].type->name;
      asName.range = args[i].type->range;
      written = &asName;
    } else if (i < args.size()) {
      written = args[i].expr;
    } else if (!param.defaultValue) {
      state.context.report(decl.instantiated->range, MissingCompileTimeArgument, param.name.text,
                           type.name.text);
      return false;
    }
    auto value = binder.bind(param, written, state.scope, nullptr);
    if (!value)
      return false;
    Symbol *bound = declare(state.context, names, param.name,
                            value->isType ? Symbol::Kind::TypeConstant : Symbol::Kind::Constant);
    if (!bound)
      return false;
    bound->type = value->type;
    bound->constant = value->constant;
    addConstant(*bound);
  }
  return true;
}

bool TypeInstantiator::bindTensors(Scope &names) {
  if (decl.args.size() != type.params.size()) {
    state.context.report(decl.range, ResourceArguments, type.name.text,
                         Count{type.params.size(), "tensor"}, decl.args.size());
    return false;
  }
  bool ok = true;
  for (size_t i = 0; i < type.params.size(); ++i)
    ok &= bindTensor(names, type.params[i], decl.args[i]);
  return ok;
}

bool TypeInstantiator::bindTensor(Scope &names, const ast::KernelParam &param,
                                  const ast::Arg &arg) {
  if (param.shape != ast::KernelParam::Shape::Tensor || !param.dims.empty()) {
    state.context.notYetCompiled(Construct::TensorAlias, param.range);
    return false;
  }
  const auto *name = llvm::dyn_cast<ast::NameExpr>(arg.value);
  const Symbol *tensor = name ? lookUpQualified(state.context, state.scope, name->parts) : nullptr;
  if (!tensor)
    return false;
  if (tensor->kind != Symbol::Kind::Tensor) {
    reportWrongKind(state.context, arg.value->range, *tensor, "a tensor");
    return false;
  }
  TypeResolver types(state, names);
  auto element = types.scalar(param.type, fmt::format("elements of `{}`", param.name.text));
  if (!element)
    return false;
  if (*element != tensor->type) {
    state.context
        .report(arg.value->range, TensorElement, tensor->name, ir::spelling(tensor->type),
                ir::spelling(*element))
        .note(param.range, "`{}` is declared here", param.name.text);
    return false;
  }
  Symbol *bound = declare(state.context, names, param.name, Symbol::Kind::Tensor);
  if (!bound)
    return false;
  bound->type = tensor->type;
  bound->param = tensor->param;
  aliases.push_back({bound->name, tensor->param});
  return true;
}

// Constants of the type's file that its bodies name and the kernel does not have.
void TypeInstantiator::addFileConstants() {
  if (!symbol.home)
    return;
  for (const Symbol *known :
       reachableConstants(state, state.context.text(type.range), symbol.home->visible)) {
    const Symbol *ours = state.global.find(known->name);
    if (!ours || ours->loc != known->loc || !ours->constantId)
      addConstant(*known);
  }
}

static std::optional<ir::ResourceId>
buildResource(KernelState &state, const ast::ResourceDecl &decl, const ast::Name &name) {
  if (!decl.instantiated)
    return ResourceBuilder(state, state.scope).build(name, decl.space, decl.members);
  const Symbol *type = lookUpQualified(state.context, state.scope, decl.instantiated->name);
  if (!type)
    return std::nullopt;
  if (type->kind != Symbol::Kind::ResourceType) {
    reportWrongKind(state.context, decl.instantiated->range, *type, "a resource type");
    return std::nullopt;
  }
  return TypeInstantiator(state, decl, name, *type).build();
}

// `resource s[2] …`: resources s_0 and s_1, which bodies name like any other.
static bool buildArray(KernelState &state, const ast::ResourceDecl &decl) {
  auto count =
      state.resolver().constantInteger(decl.count, "the number of resources", 1, ir::MaxResources);
  if (!count)
    return false;
  std::vector<ir::ResourceId> elements;
  for (size_t i = 0; i < static_cast<size_t>(*count); ++i) {
    const std::string text = elementName(decl.name.text, i);
    const ast::Name name{text, decl.name.range};
    Symbol *symbol = declare(state.context, state.scope, name, Symbol::Kind::Resource);
    if (symbol) // else the message is about the name that it has inside
      state.kernel->shownNames[text] = fmt::format("{}[{}]", decl.name.text, i);
    std::optional<ir::ResourceId> id = buildResource(state, decl, name);
    if (symbol && !id)
      symbol->kind = Symbol::Kind::Broken;
    if (!id || !symbol)
      return false;
    symbol->resource = *id;
    elements.push_back(*id);
  }
  state.scope.findHere(decl.name.text)->elements = std::move(elements);
  return true;
}

void buildResources(KernelState &state) {
  for (const ast::Decl *item : state.items) {
    if (const auto *order = llvm::dyn_cast<ast::OrderDecl>(item))
      buildOrder(state, *order);
    const auto *decl = llvm::dyn_cast<ast::ResourceDecl>(item);
    Symbol *symbol = decl ? state.scope.findHere(decl->name.text) : nullptr;
    if (!symbol || symbol->loc != decl->name.range)
      continue; // a second declaration of its name
    bool isBuilt = false;
    if (decl->count)
      isBuilt = buildArray(state, *decl);
    else if (std::optional<ir::ResourceId> id = buildResource(state, *decl, decl->name)) {
      symbol->resource = *id;
      isBuilt = true;
    }
    if (!isBuilt) {
      state.scope.findHere(decl->name.text)->kind = Symbol::Kind::Broken;
      state.context.sawBroken = true;
    }
  }
  buildEffects(state);
  buildHoldParams(state);
  state.unfilled = body::scanBodies(*state.kernel, state.ofBroken, state.context.tokenDiags());
}

} // namespace tsk::sema
