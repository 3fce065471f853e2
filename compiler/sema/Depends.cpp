// `depends { downstream <- upstream, …; }`: the contract. What the kernel really depends on, the
// verifier finds in the task graph and compares.
#include "compiler/sema/Elements.h"
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> DuplicateEdge{
    kind::DuplicateEdge, "`{} <- {}` is stated already"};
constexpr Diagnostic<> EdgeOfField{kind::EdgeOfField, "an edge names resources, not their fields"};

// An array without an index stands for all its elements.
static std::vector<ir::ResourceId> edgeEnds(KernelState &state, const ast::Path &path) {
  if (path.parts.empty())
    return {};
  if (path.parts[0].name.text == "pdl") {
    state.context.notYetCompiled(Construct::Pdl, path.range);
    return {};
  }
  const Symbol *symbol = lookUp(state.context, state.scope, path.parts[0].name);
  if (!symbol)
    return {};
  if (symbol->kind == Symbol::Kind::Queue) {
    state.context.notYetCompiled(Construct::QueueEdges, path.range);
    return {};
  }
  const ast::Expr *index = path.parts[0].index;
  std::vector<ir::ResourceId> ends;
  if (symbol->kind == Symbol::Kind::ResourceArray && !index)
    ends = symbol->elements;
  else if (auto id = resourceOf(state.context, state.resolver(), *symbol, index, path.range))
    ends = {*id};
  if (path.parts.size() > 1 && !ends.empty()) {
    state.context.report(path.range, EdgeOfField);
    return {};
  }
  return ends;
}

namespace {

class Contract {
public:
  explicit Contract(KernelState &kernelState) : state(kernelState), kernel(*kernelState.kernel) {}

  void add(const ast::DependsDecl::Edge &edge) {
    const std::vector<ir::ResourceId> downstream = edgeEnds(state, edge.downstream);
    for (const ast::Path &path : edge.upstream)
      for (ir::ResourceId to : edgeEnds(state, path))
        for (ir::ResourceId from : downstream)
          add({from, to, path.range});
  }

private:
  void add(const ir::Edge &edge) {
    auto [earlier, isFirst] = known.try_emplace({edge.downstream, edge.upstream}, edge.loc);
    if (isFirst)
      return kernel.depends->push_back(edge);
    state.context
        .report(edge.loc, DuplicateEdge, kernel.resources[edge.downstream].name,
                kernel.resources[edge.upstream].name)
        .note(earlier->second, "the first is here");
  }

  KernelState &state;
  ir::Kernel &kernel;
  std::map<std::pair<ir::ResourceId, ir::ResourceId>, SourceRange> known;
};

} // namespace

void buildDepends(KernelState &state) {
  ir::Kernel &kernel = *state.kernel;
  Contract contract(state);
  for (const ast::Decl *item : state.items) {
    const auto *decl = llvm::dyn_cast<ast::DependsDecl>(item);
    if (!decl)
      continue;
    kernel.dependsLoc = decl->range;
    if (!kernel.depends)
      kernel.depends.emplace();
    for (const ast::DependsDecl::Edge &edge : decl->edges)
      contract.add(edge);
  }
}

} // namespace tsk::sema
