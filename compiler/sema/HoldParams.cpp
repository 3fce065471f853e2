// `op: r::stage` as a parameter of works: by `op` the body sees a stage of `r` that its call names.
// Resolved when all resources are known.
#include "compiler/sema/Elements.h"
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> OwnStage{
    kind::HoldType,
    "a work of `{0}` sees the stage of `{0}` that it is called on, as in `s.{1}(…)`; parameters "
    "name stages of other resources"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> SecondStage{
    kind::HoldType, "`{}` names a stage of `{}` already, and a work sees one of each resource"};

bool isStageType(const ast::Type *type) {
  return type && type->name.size() == 2 && type->name[1].text == "stage" && !type->hasArgs &&
         !type->pointerDepth;
}

static std::optional<ir::ResourceId> heldResource(KernelState &state, const ir::Work &work,
                                                  const ast::Param &param) {
  const ast::Name &name = param.type->name[0];
  const Symbol *symbol = lookUp(state.context, state.scope, name);
  if (!symbol || symbol->kind == Symbol::Kind::Broken)
    return std::nullopt;
  const auto id = resourceOf(state.context, state.resolver(), *symbol, nullptr, name.range);
  if (!id)
    return std::nullopt;
  const ir::Resource &resource = state.kernel->resources[*id];
  if (*id == work.resource) {
    state.context.report(param.type->range, OwnStage, resource.name, work.name);
  } else if (!resource.pipeline) {
    state.context.report(param.type->range, NoPipeline, "stage", resource.name)
        .note(resource.loc, "`{}` is declared here", resource.name);
  } else if (const ir::HoldParam *earlier = work.holdOf(*id)) {
    state.context.report(param.type->range, SecondStage, earlier->name, resource.name)
        .note(earlier->loc, "`{}` is declared here", earlier->name);
  } else {
    return id;
  }
  return std::nullopt;
}

void buildHoldParams(KernelState &state) {
  for (const auto &[id, index, param] : state.holdParams) {
    ir::Work &work = state.kernel->works[id];
    if (const auto resource = heldResource(state, work, *param))
      work.holds[index].resource = *resource;
    else
      state.context.sawBroken = true;
  }
}

} // namespace tsk::sema
