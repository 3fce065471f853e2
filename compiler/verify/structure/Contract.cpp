// V10: the dependencies that the kernel has are those that `depends` states.
//
// D depends on U when a work of D receives a value that a work of U returned, or when its body
// touches a field of U. Values are followed through `let`, `var` and expressions. Register
// resources are transparent: an edge into one continues to whatever is computed from it, and none
// is named in the contract.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/structure/Structure.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string> MissingEdge{kind::MissingEdge,
                                                           "`{} <- {}` is missing from `depends`"};
constexpr Diagnostic<std::string, std::string, std::string> SuperfluousEdge{
    kind::SuperfluousEdge, "`{} <- {}` is stated, but {}"};

using ir::ResourceId;

// Where an edge was seen first.
using Graph = std::map<std::pair<ResourceId, ResourceId>, SourceRange>;

class Inference {
public:
  explicit Inference(const ir::Kernel &theKernel) : kernel(theKernel) {}

  Graph run() {
    // `var`s carry values backwards round a loop: until nothing new is found.
    for (const ir::Task &task : kernel.tasks)
      do {
        hasChanged = false;
        walk(task.body);
      } while (hasChanged);
    return throughRegisters();
  }

private:
  bool isRegister(ResourceId id) const { return kernel.resources[id].space == ir::SpaceKind::Regs; }

  void addEdge(ResourceId downstream, ResourceId upstream, SourceRange place) {
    if (downstream != upstream)
      graph.try_emplace({downstream, upstream}, place);
  }

  void walk(ir::RegionId region) {
    if (!region)
      return;
    for (const ir::Op &op : kernel.regions[region].ops) {
      if (op.kind == ir::OpKind::Call)
        call(op);
      for (ir::ValueId result : op.results)
        if (op.kind == ir::OpKind::Call)
          addSource(result, kernel.works[op.work].resource);
        else
          for (ResourceId source : sourcesOf(op.args[0]))
            addSource(result, source);
      walk(op.body);
      walk(op.elseBody);
    }
  }

  void call(const ir::Op &op) {
    const ir::Work &work = kernel.works[op.work];
    for (ir::ExprId arg : op.args)
      for (ResourceId source : sourcesOf(arg))
        addEdge(work.resource, source, op.loc);
    for (const ir::Access &access : work.accesses)
      if (access.field)
        addEdge(work.resource, kernel.fields[access.field].resource, op.loc);
  }

  void addSource(ir::ValueId value, ResourceId source) {
    hasChanged |= sources[value].insert(source).second;
  }

  std::set<ResourceId> sourcesOf(ir::ExprId id) {
    const ir::Expr &expr = kernel.tables.exprs[id];
    if (expr.op == ir::ExprOp::Value) {
      auto it = sources.find(expr.valueRef);
      return it == sources.end() ? std::set<ResourceId>() : it->second;
    }
    std::set<ResourceId> result;
    for (ir::ExprId operand : expr.operands)
      result.merge(sourcesOf(operand));
    return result;
  }

  // Replaces edges from register resources by edges from what flows into them.
  Graph throughRegisters() {
    Graph result;
    for (const auto &[edge, place] : graph) {
      if (isRegister(edge.first))
        continue;
      std::set<ResourceId> seen;
      for (ResourceId upstream : upstreams(edge.second, seen))
        if (upstream != edge.first)
          result.try_emplace({edge.first, upstream}, place);
    }
    return result;
  }

  std::set<ResourceId> upstreams(ResourceId id, std::set<ResourceId> &seen) {
    if (!isRegister(id))
      return {id};
    if (!seen.insert(id).second)
      return {};
    std::set<ResourceId> result;
    for (const auto &[edge, place] : graph)
      if (edge.first == id)
        result.merge(upstreams(edge.second, seen));
    return result;
  }

  const ir::Kernel &kernel;
  std::map<ir::ValueId, std::set<ResourceId>> sources;
  Graph graph;
  bool hasChanged = false;
};

class ContractChecker {
public:
  ContractChecker(const ir::Kernel &theKernel, DiagnosticEngine &engine)
      : kernel(theKernel), diags(engine), inferred(Inference(theKernel).run()) {}

  bool run() {
    for (const auto &[edge, place] : inferred)
      if (!isStated(edge))
        missing(edge, place);
    for (const ir::Edge &edge : *kernel.depends)
      if (!inferred.count({edge.downstream, edge.upstream}))
        superfluous(edge);
    return isGood;
  }

private:
  const std::string &name(ResourceId id) const { return kernel.resources[id].name; }

  bool isStated(const std::pair<ResourceId, ResourceId> &edge) const {
    return llvm::any_of(*kernel.depends, [&](const ir::Edge &stated) {
      return stated.downstream == edge.first && stated.upstream == edge.second;
    });
  }

  void missing(const std::pair<ResourceId, ResourceId> &edge, SourceRange place) {
    ReportBuilder report =
        diags.report(kernel.dependsLoc, MissingEdge, name(edge.first), name(edge.second));
    report.note(place, "`{}` uses `{}` here", name(edge.first), name(edge.second));
    offerFix(report);
  }

  void superfluous(const ir::Edge &edge) {
    auto isRegister = [&](ResourceId id) {
      return kernel.resources[id].space == ir::SpaceKind::Regs;
    };
    std::string reason =
        fmt::format("no work of `{}` uses `{}`", name(edge.downstream), name(edge.upstream));
    for (ResourceId id : {edge.downstream, edge.upstream})
      if (isRegister(id))
        reason = fmt::format("`{}` lies in registers, through which edges pass", name(id));
    ReportBuilder report =
        diags.report(edge.loc, SuperfluousEdge, name(edge.downstream), name(edge.upstream), reason);
    offerFix(report);
  }

  // The whole block as it should be, once: it mends all findings together.
  void offerFix(ReportBuilder &report) {
    if (isGood)
      report.fixit(kernel.dependsLoc, contractText(),
                   "state what the kernel does: " + contractText());
    isGood = false;
  }

  std::string contractText() const {
    std::map<ResourceId, std::vector<std::string>> byDownstream;
    for (const auto &[edge, place] : inferred)
      byDownstream[edge.first].push_back(name(edge.second));
    std::string text = "depends {";
    for (const auto &[downstream, upstreams] : byDownstream)
      text += fmt::format(" {} <- {};", name(downstream), fmt::join(upstreams, ", "));
    return text + " }";
  }

  const ir::Kernel &kernel;
  DiagnosticEngine &diags;
  Graph inferred;
  bool isGood = true;
};

} // namespace

std::vector<ir::Edge> inferDependencies(const ir::Kernel &kernel) {
  std::vector<ir::Edge> edges;
  for (const auto &[edge, place] : Inference(kernel).run())
    edges.push_back({edge.first, edge.second, place});
  return edges;
}

bool checkContract(const ir::Kernel &kernel, DiagnosticEngine &diags) {
  return !kernel.depends || ContractChecker(kernel, diags).run();
}

} // namespace tsk::verify
