// What a launch needs to know: requirements, the grid, targets, the condition of an instance.
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::sema {

constexpr Diagnostic<> RequirementFalse{kind::RequirementFalse,
                                        "this requirement does not hold for this instance"};
constexpr Diagnostic<llvm::StringRef> MissingGrid{
    kind::MissingGrid,
    "kernel `{}` has no `grid`: say how many CTAs to launch, `grid (…);` or `grid persistent(n);`"};
constexpr Diagnostic<size_t> GridExtents{kind::GridExtents, "a grid has 1 to 3 extents, found {}"};
constexpr Diagnostic<size_t> ClusterExtents{kind::ClusterExtents,
                                            "a cluster has 1 to 3 extents, found {}"};
constexpr Diagnostic<char, int64_t, unsigned> GridNotClusters{
    kind::GridNotClusters,
    "the grid's extent in {} is {}, not a multiple of the {} CTAs that a cluster has there"};
constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownTarget{kind::UnknownTarget,
                                                                "unknown target `{}`{}"};

static bool namesBuiltin(const ir::ValueTables &tables, ir::ExprId id) {
  const ir::Expr &expr = tables.exprs[id];
  return expr.op == ir::ExprOp::Builtin || llvm::any_of(expr.operands, [&](ir::ExprId operand) {
           return namesBuiltin(tables, operand);
         });
}

bool isKnownAtLaunch(const ir::ValueTables &tables, ir::ExprId id) {
  return tables.exprs[id].uniformity <= ir::Uniformity::Kernel && !ir::callsFunction(tables, id) &&
         !namesBuiltin(tables, id);
}

namespace {

class LaunchBuilder {
public:
  explicit LaunchBuilder(KernelState &kernelState)
      : state(kernelState), kernel(*kernelState.kernel) {}
  void build();

private:
  void addRequirement(const ast::Expr *condition);
  void addGrid(const ast::GridDecl &grid);
  void addCluster(const ast::ClusterDecl &cluster);
  void checkGridOfClusters();
  void addTargets(const ast::TargetDecl &decl);
  void addCondition();
  bool isKnownAtLaunch(ir::ExprId id, const ast::Expr &expr, llvm::StringRef what);

  KernelState &state;
  ir::Kernel &kernel;
};

void LaunchBuilder::build() {
  bool hasGrid = false;
  bool hasQueue = false;
  SourceRange queuePlace;
  for (const ast::Decl *item : state.items) {
    if (const auto *requirement = llvm::dyn_cast<ast::RequiresDecl>(item))
      for (const ast::Expr *condition : requirement->conditions)
        addRequirement(condition);
    if (const auto *grid = llvm::dyn_cast<ast::GridDecl>(item); grid && !hasGrid) {
      hasGrid = true;
      addGrid(*grid);
    }
    if (const auto *cluster = llvm::dyn_cast<ast::ClusterDecl>(item))
      addCluster(*cluster);
    if (const auto *target = llvm::dyn_cast<ast::TargetDecl>(item))
      addTargets(*target);
    if (const auto *queue = llvm::dyn_cast<ast::QueueDecl>(item); queue && !hasQueue) {
      hasQueue = true;
      queuePlace = queue->range;
    }
  }
  checkRequirements(state);
  if (!hasGrid && hasQueue) { // as many CTAs as there can be, which share the tiles
    kernel.grid.loc = queuePlace;
    kernel.grid.isPersistent = true;
  }
  if (!hasGrid && !hasQueue)
    state.context.report(state.decl.name.range, MissingGrid, state.decl.name.text);
  checkGridOfClusters();
  addCondition();
}

bool LaunchBuilder::isKnownAtLaunch(ir::ExprId id, const ast::Expr &expr, llvm::StringRef what) {
  if (sema::isKnownAtLaunch(kernel.tables, id))
    return true;
  state.context.report(expr.range, NotKnownAtLaunch, what, state.context.text(expr.range));
  return false;
}

void LaunchBuilder::addRequirement(const ast::Expr *condition) {
  ExprResolver resolver = state.resolver();
  ir::ExprId id = resolver.resolveCondition(condition, "a requirement");
  if (!id || !isKnownAtLaunch(id, *condition, "a requirement"))
    return;
  if (std::optional<ir::ConstantScalar> known = resolver.constantOf(id)) {
    if (!known->value)
      state.context.report(condition->range, RequirementFalse);
    return; // true while compiling: nothing to check at launch
  }
  kernel.requirements.push_back({id, state.context.text(condition->range).str(), condition->range});
}

void LaunchBuilder::addGrid(const ast::GridDecl &grid) {
  ExprResolver resolver = state.resolver();
  kernel.grid.loc = grid.range;
  kernel.grid.isPersistent = grid.isPersistent;
  if (grid.isPersistent) {
    if (!grid.values.empty())
      if (auto ctas = resolver.constantInteger(grid.values[0], "the number of CTAs per SM", 1, 32))
        kernel.grid.ctasPerSm = static_cast<unsigned>(*ctas);
    return;
  }
  if (grid.values.empty() || grid.values.size() > 3) {
    state.context.report(grid.range, GridExtents, grid.values.size());
    return;
  }
  for (const ast::Expr *extent : grid.values) {
    ir::ExprId id = resolver.resolveInteger(extent, "an extent of the grid");
    if (!id || !isKnownAtLaunch(id, *extent, "an extent of the grid"))
      continue;
    int64_t most = extent == grid.values.front() ? target::MaxGridX : target::MaxGridYZ;
    if (resolver.constantOf(id))
      resolver.constantInteger(extent, "an extent of the grid", 1, most); // reports
    kernel.grid.extents.push_back(id);
  }
}

void LaunchBuilder::addCluster(const ast::ClusterDecl &cluster) {
  if (!cluster.fallback.empty())
    state.context.notYetCompiled(Construct::ClusterFallback, cluster.range);
  if (cluster.extents.empty() || cluster.extents.size() > kernel.cluster.extents.size()) {
    state.context.report(cluster.range, ClusterExtents, cluster.extents.size());
    return;
  }
  kernel.cluster.loc = cluster.range;
  ExprResolver resolver = state.resolver();
  for (size_t axis = 0; axis < cluster.extents.size(); ++axis)
    if (auto extent = resolver.constantInteger(cluster.extents[axis], "an extent of the cluster", 1,
                                               target::MaxClusterSize))
      kernel.cluster.extents[axis] = static_cast<unsigned>(*extent);
}

void LaunchBuilder::checkGridOfClusters() {
  if (kernel.grid.isPersistent)
    return;
  for (size_t axis = 0; axis < kernel.cluster.extents.size(); ++axis) {
    unsigned ctas = kernel.cluster.extents[axis];
    std::optional<int64_t> extent = 1;
    SourceRange place = kernel.grid.loc;
    if (axis < kernel.grid.extents.size()) {
      extent = ir::constantValue(kernel.tables, kernel.grid.extents[axis]);
      place = kernel.tables.exprs[kernel.grid.extents[axis]].loc;
    }
    if (extent && *extent % ctas != 0)
      state.context.report(place, GridNotClusters, "xyz"[axis], *extent, ctas)
          .note(kernel.cluster.loc, "the cluster is declared here");
  }
}

void LaunchBuilder::addTargets(const ast::TargetDecl &decl) {
  for (const ast::Name &name : decl.names) {
    if (!name)
      continue;
    if (target::findTarget(name.text)) {
      kernel.targets.push_back(name.text.str());
      continue;
    }
    std::vector<llvm::StringRef> known;
    for (const target::Target &candidate : target::allTargets())
      known.push_back(candidate.name);
    state.context.report(name.range, UnknownTarget, name.text, suggestion(name.text, known));
  }
}

void LaunchBuilder::addCondition() {
  const ast::InstantiateDecl *instantiate = state.instance.instantiate;
  if (!instantiate || !instantiate->condition)
    return;
  ExprResolver resolver = state.resolver();
  ir::ExprId id = resolver.resolveCondition(instantiate->condition, "the condition of an instance");
  if (id && isKnownAtLaunch(id, *instantiate->condition, "the condition of an instance"))
    kernel.instanceCondition = id;
}

} // namespace

void buildLaunch(KernelState &state) { LaunchBuilder(state).build(); }

} // namespace tsk::sema
