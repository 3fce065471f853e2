// `depends { downstream <- upstream, …; }`: the contract. What the kernel really depends on, the
// verifier finds in the task graph and compares.
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> DuplicateEdge{
    kind::DuplicateEdge, "`{} <- {}` is stated already"};
constexpr Diagnostic<> EdgeOfField{kind::EdgeOfField, "an edge names resources, not their fields"};

static std::optional<ir::ResourceId> edgeEnd(KernelState &state, const ast::Path &path) {
  if (path.parts.empty())
    return std::nullopt;
  if (path.parts[0].name.text == "pdl") {
    state.context.notYetCompiled(Construct::Pdl, path.range);
    return std::nullopt;
  }
  const Symbol *symbol = lookUp(state.context, state.scope, path.parts[0].name);
  if (!symbol)
    return std::nullopt;
  if (path.parts[0].index) {
    state.context.notYetCompiled(Construct::Arrays, path.range);
    return std::nullopt;
  }
  if (symbol->kind != Symbol::Kind::Resource) {
    reportWrongKind(state.context, path.range, *symbol, "a resource");
    return std::nullopt;
  }
  if (path.parts.size() > 1) {
    state.context.report(path.range, EdgeOfField);
    return std::nullopt;
  }
  return symbol->resource;
}

void buildDepends(KernelState &state) {
  ir::Kernel &kernel = *state.kernel;
  std::map<std::pair<ir::ResourceId, ir::ResourceId>, SourceRange> known;
  for (const ast::Decl *item : state.items) {
    const auto *decl = llvm::dyn_cast<ast::DependsDecl>(item);
    if (!decl)
      continue;
    kernel.dependsLoc = decl->range;
    if (!kernel.depends)
      kernel.depends.emplace();
    for (const ast::DependsDecl::Edge &edge : decl->edges) {
      std::optional<ir::ResourceId> downstream = edgeEnd(state, edge.downstream);
      for (const ast::Path &path : edge.upstream) {
        std::optional<ir::ResourceId> upstream = edgeEnd(state, path);
        if (!downstream || !upstream)
          continue;
        auto [earlier, isFirst] = known.try_emplace({*downstream, *upstream}, path.range);
        if (!isFirst)
          state.context
              .report(path.range, DuplicateEdge, kernel.resources[*downstream].name,
                      kernel.resources[*upstream].name)
              .note(earlier->second, "the first is here");
        else
          kernel.depends->push_back({*downstream, *upstream, path.range});
      }
    }
  }
}

} // namespace tsk::sema
