// Works: what a resource lets be done to its memory.
#include "compiler/sema/ResourceBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> WriteToInTensor{
    kind::WriteToInTensor, "`{}` writes `{}`, an `in` tensor; `in` tensors are never "
                           "written, declare it `out` or `inout`"};
constexpr Diagnostic<llvm::StringRef> UniformParameter{
    kind::UniformParameter, "`uniform` is said of results; how uniform `{}` is, its arguments say"};
constexpr Diagnostic<llvm::StringRef> ConstResult{
    kind::ConstResult, "result `{}` is known when its work has run; it cannot be `const`"};
constexpr Diagnostic<llvm::StringRef> ConstParameterType{
    kind::ConstParameterType,
    "`const` parameter `{}` must have an integer type or bool, as C++17's templates take"};

// A type that was reported: it goes together with every other.
static ir::Type brokenType(Context &context) {
  context.sawBroken = true;
  return ir::Type::ofCpp("<error>");
}
static bool isBroken(const ir::Type &type) { return type == ir::Type::ofCpp("<error>"); }

static bool isTemplateArgument(const ir::Type &type) {
  return type.isScalar() && (ir::isInteger(type.scalar) || type.scalar == ir::ScalarType::Bool);
}

void ResourceBuilder::addWork(const ast::Work &work) {
  if (!work.name)
    return;
  checkName(state.context, work.name, NameRole::Work);
  if (const Symbol *earlier = members.findHere(work.name.text)) {
    state.context.report(work.name.range, Redeclared, work.name.text)
        .note(earlier->loc, "the first is declared here");
    return;
  }
  Symbol member;
  member.name = work.name.text.str();
  member.loc = work.name.range;
  members.insert(member);

  checkWrites(work);
  Scope params;
  Scope results;
  ir::Work built;
  built.name = work.name.text.str();
  built.resource = id;
  built.kind = work.kind;
  built.by = work.by;
  built.params = workParams(work.params, params, false);
  built.results = workParams(work.results, results, true);
  built.body = work.body.text.str();
  built.bodyLoc = work.body.range;
  built.loc = work.name.range;
  ir::WorkId workId = kernel.works.add(std::move(built));
  resource().works.push_back(workId);
  addHolds(workId, work.params);
  if (!work.effects.empty())
    state.declaringWorks.emplace_back(workId, &work);
}

std::vector<ir::WorkParam> ResourceBuilder::workParams(ast::List<ast::Param> params, Scope &names,
                                                       bool isResult) {
  std::vector<ir::WorkParam> result;
  TypeResolver types(state, scope);
  for (const ast::Param &param : params) {
    if (!param.name)
      continue;
    declare(state.context, names, param.name, Symbol::Kind::Value);
    if (!isResult)
      checkHides(param.name);
    checkModifiers(param, isResult);
    if (!isResult && isStageType(param.type))
      continue; // addHolds()
    ir::WorkParam built;
    built.name = param.name.text.str();
    built.loc = param.range;
    if (param.type)
      built.typeLoc = param.type->range;
    built.isConst = param.isConst;
    built.isUniform = param.isUniform;
    if (std::optional<ir::Type> type = types.value(param.type))
      built.type = *type;
    else
      built.type = brokenType(state.context);
    if (param.isConst && !isResult && !isTemplateArgument(built.type) && !isBroken(built.type))
      state.context.report(param.range, ConstParameterType, param.name.text);
    result.push_back(std::move(built));
  }
  return result;
}

void ResourceBuilder::checkModifiers(const ast::Param &param, bool isResult) {
  if (param.isUniform && !isResult)
    state.context.report(param.range, UniformParameter, param.name.text);
  if (param.isConst && isResult)
    state.context.report(param.range, ConstResult, param.name.text);
  if (param.isConst && !isResult && isStageType(param.type))
    state.context.report(param.range, ConstParameterType, param.name.text);
}

// The parameters that are stages; of which resource, is known later.
void ResourceBuilder::addHolds(ir::WorkId work, ast::List<ast::Param> params) {
  unsigned position = 0;
  for (const ast::Param &param : params) {
    if (!param.name)
      continue;
    if (isStageType(param.type)) {
      std::vector<ir::HoldParam> &holds = kernel.works[work].holds;
      state.holdParams.push_back({work, holds.size(), &param});
      holds.push_back({param.name.text.str(), {}, position, param.range});
    }
    ++position;
  }
}

// A body sees its work's parameters beside all that these kinds of names stand for.
void ResourceBuilder::checkHides(const ast::Name &name) {
  const Symbol *outer = bodyNames.find(name.text);
  if (!outer)
    return;
  switch (outer->kind) {
  case Symbol::Kind::Constant:
  case Symbol::Kind::TypeConstant:
  case Symbol::Kind::Scalar:
  case Symbol::Kind::Tensor:
  case Symbol::Kind::Pointer:
  case Symbol::Kind::Resource:
  case Symbol::Kind::Field:
    state.context.report(name.range, Shadowed, name.text)
        .note(outer->loc, "`{}` is {}, declared here", name.text, describe(outer->kind));
    return;
  default:
    return;
  }
}

void ResourceBuilder::checkWrites(const ast::Work &work) {
  bool writes = work.kind == ast::WorkKind::Produce || work.kind == ast::WorkKind::Update;
  if (!writes || !resource().tensor)
    return;
  const ir::Param &tensor = kernel.params[resource().tensor];
  if (tensor.direction == ast::Direction::In)
    state.context.report(work.name.range, WriteToInTensor, work.name.text, tensor.name)
        .note(tensor.loc, "`{}` is declared here", tensor.name);
}

} // namespace tsk::sema
