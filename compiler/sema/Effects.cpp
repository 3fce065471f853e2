// `reads(…) writes(…)` of works: what a body does that nobody can see, since it calls functions
// whose definition is elsewhere. Resolved when all resources are known.
#include "compiler/sema/Elements.h"
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NoSuchField{kind::NoSuchMember,
                                                                   "`{}` has no field `{}`"};
constexpr Diagnostic<llvm::StringRef> ElementAsField{
    kind::WrongKindOfName, "`{}` is a resource, expected a field or a tensor"};

namespace {

class EffectBuilder {
public:
  EffectBuilder(KernelState &s, ir::Work &w) : state(s), kernel(*s.kernel), work(w) {}

  void build(const ast::Work &written) {
    const bool isOtherWay =
        written.effectMechanism && written.effectMechanism->mechanism != ir::Mechanism::Async;
    if (isOtherWay || written.effectInFlight)
      return state.context.notYetCompiled(Construct::Effects, written.effects.front().range);
    for (const ast::WorkEffect &effect : written.effects)
      for (const ast::Path &path : effect.paths)
        if (std::optional<ir::Access> access = resolve(path)) {
          access->isWrite = effect.isWrite;
          work.declared.push_back(*access);
        }
    work.declaredLoc =
        SourceRange::join(written.effects.front().range, written.effects.back().range);
  }

private:
  std::optional<ir::Access> resolve(const ast::Path &path) {
    if (path.parts.empty())
      return std::nullopt;
    const ast::Name &first = path.parts[0].name;
    const ast::Expr *index = path.parts[0].index;
    if (path.parts.size() == 1 && !index)
      if (std::optional<ir::Access> own = ownName(first.text))
        return own;
    const Symbol *symbol = lookUp(state.context, state.scope, first);
    if (!symbol)
      return std::nullopt;
    if (index) {
      auto id = resourceOf(state.context, state.resolver(), *symbol, index, path.range);
      if (id && path.parts.size() == 2)
        return field(*id, path.parts[1].name);
      if (id)
        state.context.report(path.range, ElementAsField, state.context.text(path.range));
      return std::nullopt;
    }
    if (symbol->kind == Symbol::Kind::Tensor && path.parts.size() == 1)
      return ir::Access{{}, symbol->param};
    if (symbol->kind == Symbol::Kind::Broken)
      return std::nullopt;
    if (symbol->kind == Symbol::Kind::Resource && path.parts.size() == 2)
      return field(symbol->resource, path.parts[1].name);
    reportWrongKind(state.context, path.range, *symbol, "a field or a tensor");
    return std::nullopt;
  }

  std::optional<ir::Access> ownName(llvm::StringRef name) const {
    const ir::Resource &own = kernel.resources[work.resource];
    for (ir::FieldId id : own.fields)
      if (kernel.fields[id].name == name)
        return ir::Access{id, {}};
    for (const ir::ParamAlias &alias : own.aliases)
      if (alias.name == name)
        return ir::Access{{}, alias.param};
    return std::nullopt;
  }

  std::optional<ir::Access> field(ir::ResourceId owner, const ast::Name &name) {
    for (ir::FieldId id : kernel.resources[owner].fields)
      if (kernel.fields[id].name == name.text)
        return ir::Access{id, {}};
    state.context.report(name.range, NoSuchField, kernel.resources[owner].name, name.text)
        .note(kernel.resources[owner].loc, "`{}` is declared here", kernel.resources[owner].name);
    return std::nullopt;
  }

  KernelState &state;
  ir::Kernel &kernel;
  ir::Work &work;
};

} // namespace

void buildEffects(KernelState &state) {
  for (const auto &[id, written] : state.declaringWorks)
    EffectBuilder(state, state.kernel->works[id]).build(*written);
}

} // namespace tsk::sema
