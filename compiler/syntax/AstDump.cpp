#include "compiler/syntax/AstDumper.h"

namespace tsk::ast {

void Dumper::decl(const Decl &node) {
  switch (node.kind) {
  case Decl::Kind::Import: {
    const auto *import = llvm::cast<ImportDecl>(&node);
    return line(node.range, (import->isPath ? "import path " : "import module ") + import->target +
                                named("as", import->alias));
  }
  case Decl::Kind::Kernel: {
    const auto *kernel = llvm::cast<KernelDecl>(&node);
    line(node.range, "kernel " + kernel->name.text);
    return inside([&] {
      compileTimeParams(kernel->compileTimeParams);
      kernelParams(kernel->params);
      decls(kernel->items);
    });
  }
  case Decl::Kind::Instantiate: {
    const auto *variant = llvm::cast<InstantiateDecl>(&node);
    return line(node.range, "instantiate " + variant->kernel.text + " <" + list(variant->args) +
                                "> as " + variant->alias.text +
                                optional("when", variant->condition));
  }
  case Decl::Kind::Cpp:
    line(node.range, "cpp");
    return inside([&] { body(llvm::cast<CppDecl>(&node)->body); });
  case Decl::Kind::Const: {
    const auto *constant = llvm::cast<ConstDecl>(&node);
    return line(node.range, "const " + constant->name.text + withType(constant->type) + " = " +
                                toString(*constant->value));
  }
  case Decl::Kind::Function: {
    const auto *function = llvm::cast<FunctionDecl>(&node);
    line(node.range, "function " + function->name.text + " -> " + toString(*function->result));
    return inside([&] {
      params(function->params, "param");
      body(function->body);
    });
  }
  case Decl::Kind::ResourceType:
    return resourceType(*llvm::cast<ResourceTypeDecl>(&node));
  case Decl::Kind::Resource:
    return resource(*llvm::cast<ResourceDecl>(&node));
  case Decl::Kind::Schedule: {
    const auto *schedule = llvm::cast<ScheduleDecl>(&node);
    line(node.range, "schedule " + schedule->name.text + (schedule->hasParams ? " ()" : ""));
    return inside([&] {
      params(schedule->params, "param");
      block(schedule->body);
    });
  }
  case Decl::Kind::Task:
    return task(*llvm::cast<TaskDecl>(&node));
  case Decl::Kind::Test:
    return test(*llvm::cast<TestDecl>(&node));
  case Decl::Kind::StaticIf: {
    const auto *staticIf = llvm::cast<StaticIfDecl>(&node);
    branches("static-if", staticIf->branches, [&](List<const Decl *> content) { decls(content); });
    if (staticIf->hasElse) {
      line({}, "else");
      inside([&] { decls(staticIf->elseDecls); });
    }
    return;
  }
  default:
    return coordination(node);
  }
}

// What a kernel says in one statement.
void Dumper::coordination(const Decl &node) {
  switch (node.kind) {
  case Decl::Kind::Requires:
    return line(node.range, "requires " + list(llvm::cast<RequiresDecl>(&node)->conditions));
  case Decl::Kind::Grid: {
    const auto *grid = llvm::cast<GridDecl>(&node);
    return line(node.range,
                (grid->isPersistent ? "grid persistent " : "grid ") + list(grid->values));
  }
  case Decl::Kind::Cluster: {
    const auto *cluster = llvm::cast<ClusterDecl>(&node);
    return line(node.range,
                "cluster " + list(cluster->extents) +
                    (cluster->fallback.empty() ? "" : " fallback " + list(cluster->fallback)));
  }
  case Decl::Kind::Target:
    return line(node.range, "target " + list(llvm::cast<TargetDecl>(&node)->names));
  case Decl::Kind::Queue:
    return queue(*llvm::cast<QueueDecl>(&node));
  case Decl::Kind::Barrier: {
    const auto *barrier = llvm::cast<BarrierDecl>(&node);
    return line(node.range, "barrier " + barrier->name.text + optional("count", barrier->count) +
                                (barrier->isNamed ? " named" : " mbarrier") +
                                optional("arrivals", barrier->arrivals) +
                                optional("stages", barrier->stages));
  }
  case Decl::Kind::Group: {
    const auto *group = llvm::cast<GroupDecl>(&node);
    return line(node.range, "group " + group->name.text + " " + spelling(group->mode) + " " +
                                list(group->members));
  }
  case Decl::Kind::Overlay: {
    line(node.range, "overlay");
    return inside([&] {
      for (const OverlayDecl::Set &set : llvm::cast<OverlayDecl>(&node)->sets)
        line(set.range, "set " + list(set.paths));
    });
  }
  case Decl::Kind::Order: {
    const auto *order = llvm::cast<OrderDecl>(&node);
    return line(node.range, "order " + order->name.text + " " + list(order->paths));
  }
  case Decl::Kind::Depends: {
    line(node.range, "depends");
    return inside([&] {
      for (const DependsDecl::Edge &edge : llvm::cast<DependsDecl>(&node)->edges)
        line(edge.range, toString(edge.downstream) + " <- " + list(edge.upstream));
    });
  }
  default:
    return;
  }
}

void Dumper::queue(const QueueDecl &node) {
  std::string text = "queue " + node.name.text.str() + " : " + spelling(node.queueKind).str() +
                     " over " + list(node.extents);
  for (const QueueAttr &attr : node.attrs) {
    switch (attr.kind) {
    case QueueAttr::Kind::Order:
      text += named("order", attr.name) + (attr.hasArgs ? "(" + list(attr.args) + ")" : "");
      break;
    case QueueAttr::Kind::Stages:
      text += optional("stages", attr.value);
      break;
    case QueueAttr::Kind::PerCta:
      text += " per cta";
      break;
    case QueueAttr::Kind::PerCluster:
      text += " per cluster";
      break;
    case QueueAttr::Kind::As:
      text += named("as", attr.name);
      break;
    }
  }
  line(node.range, text);
}

void Dumper::task(const TaskDecl &node) {
  std::string text = "task " + node.name.text.str() + optional("count", node.instances);
  if (node.firstWarp)
    text += " warps " + toString(*node.firstWarp) + " .. " + toString(*node.endWarp);
  else
    text += optional("on", node.warpCount) + " warps";
  text += optional("regs", node.regs);
  if (node.rank == TaskDecl::Rank::PairLeader)
    text += " of pair leader";
  if (node.rank == TaskDecl::Rank::ClusterLeader)
    text += " of cluster leader";
  text += optional("of rank", node.rankValue) + named("runs", node.schedule);
  line(node.range, text + (node.hasArgs ? "(" + list(node.args) + ")" : ""));
}

void dump(const File &file, const SourceManager &sources, llvm::raw_ostream &os,
          DumpOptions options) {
  Dumper(sources, os, options).file(file);
}

} // namespace tsk::ast
