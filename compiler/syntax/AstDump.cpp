#include "compiler/syntax/AstDump.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::ast {
namespace {

using llvm::StringRef;

std::string optional(StringRef word, const Expr *expr) {
  return expr ? (" " + word + " " + toString(*expr)).str() : "";
}
std::string named(StringRef word, const Name &name) {
  return name ? (" " + word + " " + name.text).str() : "";
}
std::string list(List<const Expr *> exprs) {
  std::string text;
  for (const Expr *expr : exprs)
    text += (text.empty() ? "" : ", ") + toString(*expr);
  return text;
}
std::string list(List<Name> names) {
  std::string text;
  for (const Name &name : names)
    text += (text.empty() ? "" : ", ") + name.text.str();
  return text;
}
std::string list(List<Path> paths) {
  std::string text;
  for (const Path &path : paths)
    text += (text.empty() ? "" : ", ") + toString(path);
  return text;
}
std::string list(List<Arg> args) {
  std::string text;
  for (const Arg &arg : args)
    text += (text.empty() ? "" : ", ") + (arg.name ? arg.name.text.str() + " = " : "") +
            toString(*arg.value);
  return text;
}
std::string list(List<TemplateArg> args) {
  std::string text;
  for (const TemplateArg &arg : args)
    text += (text.empty() ? "" : ", ") + arg.name.text.str() + " = " + toString(*arg.value);
  return text;
}
std::string list(List<MechanismUse> uses) {
  std::string text;
  for (const MechanismUse &use : uses)
    text += (text.empty() ? "" : " + ") + spelling(use.mechanism).str();
  return text;
}
std::string withType(const Type *type) { return type ? " : " + toString(*type) : ""; }

class Dumper {
public:
  Dumper(const SourceManager &manager, llvm::raw_ostream &stream, DumpOptions dumpOptions)
      : sources(manager), os(stream), options(dumpOptions) {}

  void file(const File &node) {
    os << "file\n";
    decls(node.decls);
  }

private:
  // ---- Lines and levels
  void line(SourceRange range, const llvm::Twine &text) {
    os.indent(2 * (level + 1));
    if (options.locations && range.isValid()) {
      PresumedLoc loc = sources.presumed(range.begin);
      os << loc.line << ':' << loc.column << ": ";
    }
    os << text << '\n';
  }
  template <typename Function> void inside(Function function) {
    ++level;
    function();
    --level;
  }
  void body(const Body &node) {
    auto [first, rest] = node.text.ltrim().split('\n');
    line(node.range, "body " + llvm::Twine(node.text.size()) + " bytes: " +
                         first.trim().take_front(60) + (rest.trim().empty() ? "" : " …"));
  }

  // ---- Parameters
  void params(List<Param> nodes, StringRef what) {
    for (const Param &node : nodes)
      line(node.range, what + (node.isConst ? " const" : "") + (node.isUniform ? " uniform" : "") +
                           " " + node.name.text + withType(node.type));
  }
  void compileTimeParams(List<CompileTimeParam> nodes) {
    for (const CompileTimeParam &node : nodes)
      line(node.range, "compile-time-param " + node.name.text + withType(node.type) +
                           optional("=", node.defaultValue));
  }
  void kernelParams(List<KernelParam> nodes) {
    static constexpr StringRef Directions[] = {"", " in", " out", " inout"};
    static constexpr StringRef Shapes[] = {"tensor of ", "pointer to ", "scalar "};
    for (const KernelParam &node : nodes) {
      std::string dims = node.dims.empty() ? "" : " [" + list(node.dims) + "]";
      std::string strides = node.strides.empty() ? "" : " strides [" + list(node.strides) + "]";
      line(node.range, "param" + Directions[static_cast<size_t>(node.direction)] + " " +
                           node.name.text + " : " + Shapes[static_cast<size_t>(node.shape)] +
                           toString(*node.type) + dims + strides +
                           (node.fromHost ? " from host" : ""));
    }
  }

  // ---- Declarations
  void decls(List<const Decl *> nodes) {
    for (const Decl *node : nodes)
      decl(*node);
  }
  void decl(const Decl &node);
  void coordination(const Decl &node);
  void resource(const ResourceDecl &node);
  void resourceType(const ResourceTypeDecl &node);
  void members(List<ResourceMember> nodes);
  void field(const Field &node);
  void pipeline(const Pipeline &node);
  void work(const Work &node);
  void queue(const QueueDecl &node);
  void task(const TaskDecl &node);
  void test(const TestDecl &node);

  // ---- Statements
  void block(const Block &node) {
    for (const Stmt *child : node.stmts)
      stmt(*child);
  }
  void stmt(const Stmt &node);
  template <typename IfNode> void ifChain(StringRef word, const IfNode &node) {
    line(node.range, word + " " + toString(*node.condition));
    inside([&] { block(node.thenBlock); });
    if (node.elseIf) {
      line(node.elseIf->range, "else");
      inside([&] { stmt(*node.elseIf); });
    } else if (node.elseBlock) {
      line(node.elseBlock->range, "else");
      inside([&] { block(*node.elseBlock); });
    }
  }

  const SourceManager &sources;
  llvm::raw_ostream &os;
  DumpOptions options;
  unsigned level = 0;
};

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
    line(node.range, "static-if " + toString(*staticIf->condition));
    inside([&] { decls(staticIf->thenDecls); });
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

static std::string spaceText(const Space &space) {
  return " : " + spelling(space.kind).str() + named("of", space.tensor);
}

void Dumper::resource(const ResourceDecl &node) {
  if (node.instantiated)
    return line(node.range, "resource " + node.name.text + optional("count", node.count) + " = " +
                                toString(*node.instantiated) + "(" + list(node.args) + ")");
  line(node.range,
       "resource " + node.name.text + optional("count", node.count) + spaceText(node.space));
  inside([&] { members(node.members); });
}

void Dumper::resourceType(const ResourceTypeDecl &node) {
  line(node.range, "resource-type " + node.name.text + spaceText(node.space));
  inside([&] {
    compileTimeParams(node.compileTimeParams);
    kernelParams(node.params);
    members(node.members);
  });
}

void Dumper::members(List<ResourceMember> nodes) {
  for (const ResourceMember &node : nodes) {
    if (node.field)
      field(*node.field);
    if (node.pipeline)
      pipeline(*node.pipeline);
    if (node.work)
      work(*node.work);
    if (!node.staticIf)
      continue;
    line(node.staticIf->range, "static-if " + toString(*node.staticIf->condition));
    inside([&] { members(node.staticIf->thenMembers); });
    if (node.staticIf->hasElse) {
      line({}, "else");
      inside([&] { members(node.staticIf->elseMembers); });
    }
  }
}

static std::string attrText(const FieldAttr &attr) {
  switch (attr.kind) {
  case FieldAttr::Kind::Align:
    return optional("align", attr.value);
  case FieldAttr::Kind::Swizzle:
    return " swizzle " + spelling(attr.swizzle).str();
  case FieldAttr::Kind::Per:
    return " per " + spelling(attr.per).str();
  case FieldAttr::Kind::Of:
    return " of " + list(attr.tensors);
  case FieldAttr::Kind::Multicast:
    return std::string(" multicast ") + attr.axis;
  case FieldAttr::Kind::View:
    return named("view of", attr.viewed) + optional("at column", attr.value);
  }
  return "";
}

void Dumper::field(const Field &node) {
  std::string text = "field " + node.name.text.str() + withType(node.type);
  for (const Expr *dim : node.dims)
    text += "[" + toString(*dim) + "]";
  for (const FieldAttr &attr : node.attrs)
    text += attrText(attr);
  line(node.range, text + optional("=", node.init));
}

static std::string optionText(const PipelineOption &option) {
  static constexpr StringRef Sides[] = {"", " producer", " consumer", " wait"};
  static constexpr StringRef Signals[] = {" all", " cta_leader", " warp_leader"};
  static constexpr StringRef Lanes[] = {"", " warp", " tile", " rank", " task"};
  std::string side = Sides[static_cast<size_t>(option.side)].str();
  switch (option.kind) {
  case PipelineOption::Kind::Bytes:
    return optional("bytes", option.value).substr(1);
  case PipelineOption::Kind::BytesPerWarpPerCta:
    return optional("bytes per warp per cta", option.value).substr(1);
  case PipelineOption::Kind::Signal:
    return "signal" + side + Signals[static_cast<size_t>(option.signal)].str();
  case PipelineOption::Kind::Lanes:
    return "lanes" + side + " by" + Lanes[static_cast<size_t>(option.lanesBy)].str() +
           (option.lanes.empty() ? "" : " " + list(option.lanes));
  }
  return "";
}

void Dumper::pipeline(const Pipeline &node) {
  line(node.range, "pipeline " + list(node.producers) + (node.isExchange ? " <-> " : " -> ") +
                       list(node.consumers) + " stages " + toString(*node.stages));
  inside([&] {
    for (const PipelineOption &option : node.options)
      line(option.range, optionText(option));
  });
}

void Dumper::work(const Work &node) {
  line(node.range, spelling(node.kind) + " " + node.name.text +
                       (node.by == IssueBy::Unsaid ? "" : " by ") + spelling(node.by));
  inside([&] {
    params(node.params, "param");
    params(node.results, "result");
    for (const WorkEffect &effect : node.effects)
      line(effect.range, (effect.isWrite ? "writes " : "reads ") + list(effect.paths));
    if (node.effectMechanism)
      line(node.effectMechanism->range, "mechanism " + spelling(node.effectMechanism->mechanism));
    if (node.effectInFlight)
      line({}, "in flight");
    body(node.body);
  });
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

void Dumper::test(const TestDecl &node) {
  line(node.range,
       "test " + node.name.text +
           (node.compileTimeArgs.empty() ? "" : " <" + list(node.compileTimeArgs) + ">") + " (" +
           list(node.args) + ")");
  inside([&] {
    for (const TestStmt &child : node.stmts) {
      switch (child.kind) {
      case TestStmt::Kind::Run:
        line(child.range, "run (" + list(child.args) + ")");
        break;
      case TestStmt::Kind::ExpectFault:
        line(child.range, "expect fault " + child.name.text);
        break;
      case TestStmt::Kind::Expect:
        line(child.range, "expect " + toString(*child.expr));
        break;
      case TestStmt::Kind::Cpp:
        line(child.range, "cpp");
        inside([&] { body(child.body); });
        break;
      case TestStmt::Kind::Let:
        line(child.range, "let " + child.name.text + " = " + toString(*child.expr));
        break;
      case TestStmt::Kind::Tensor:
        line(child.range, "tensor " + child.name.text + " of " + toString(*child.elementType) +
                              " [" + list(child.dims) + "]");
        break;
      case TestStmt::Kind::Expr:
        line(child.range, "expr " + toString(*child.expr));
        break;
      }
    }
  });
}

static std::string bounds(bool isReversed, const Expr *lower, const Expr *upper, const Expr *step) {
  return std::string(isReversed ? " in reversed " : " in ") + toString(*lower) + " .. " +
         toString(*upper) + optional("step", step);
}

void Dumper::stmt(const Stmt &node) {
  auto loop = [&](const llvm::Twine &head, const Block &children) {
    line(node.range, head);
    inside([&] { block(children); });
  };
  switch (node.kind) {
  case Stmt::Kind::Let: {
    const auto *let = llvm::cast<LetStmt>(&node);
    std::string names = let->isTuple ? "(" + list(let->names) + ")" : list(let->names);
    return line(node.range, "let " + names + " = " + toString(*let->value));
  }
  case Stmt::Kind::Var: {
    const auto *var = llvm::cast<VarStmt>(&node);
    return line(node.range,
                "var " + var->name.text + withType(var->type) + " = " + toString(*var->value));
  }
  case Stmt::Kind::Assign: {
    const auto *assign = llvm::cast<AssignStmt>(&node);
    std::string names = assign->isTuple ? "(" + list(assign->names) + ")" : list(assign->names);
    return line(node.range, "assign " + names + " = " + toString(*assign->value));
  }
  case Stmt::Kind::Expr:
    return line(node.range, "expr " + toString(*llvm::cast<ExprStmt>(&node)->expr));
  case Stmt::Kind::For: {
    const auto *child = llvm::cast<ForStmt>(&node);
    return loop("for " + child->variable.text +
                    bounds(child->isReversed, child->lower, child->upper, child->step) +
                    optional("unroll", child->unroll),
                child->body);
  }
  case Stmt::Kind::QueueFor: {
    const auto *child = llvm::cast<QueueForStmt>(&node);
    return loop("for-queue " + child->variable.text + " in " + toString(*child->queue) +
                    optional("share", child->shareIndex) + optional("of", child->shareCount),
                child->body);
  }
  case Stmt::Kind::ParallelFor: {
    const auto *child = llvm::cast<ParallelForStmt>(&node);
    return loop("parallel-for " + child->variable.text +
                    bounds(false, child->lower, child->upper, child->step) + " across " +
                    spelling(child->across) + optional("unroll", child->unroll),
                child->body);
  }
  case Stmt::Kind::StaticFor: {
    const auto *child = llvm::cast<StaticForStmt>(&node);
    return loop("static-for " + child->variable.text +
                    bounds(false, child->lower, child->upper, child->step),
                child->body);
  }
  case Stmt::Kind::If:
    return ifChain("if", *llvm::cast<IfStmt>(&node));
  case Stmt::Kind::StaticIf:
    return ifChain("static-if", *llvm::cast<StaticIfStmt>(&node));
  case Stmt::Kind::Await: {
    const auto *await = llvm::cast<AwaitStmt>(&node);
    return line(node.range, "await " + toString(await->target) + optional("but", await->but) +
                                (await->read ? " read" : ""));
  }
  }
}

} // namespace

void dump(const File &file, const SourceManager &sources, llvm::raw_ostream &os,
          DumpOptions options) {
  Dumper(sources, os, options).file(file);
}

} // namespace tsk::ast
