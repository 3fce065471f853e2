// The items of a kernel: `static if` resolved, constants evaluated in order, names declared, what
// is not compiled yet reported.
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> DuplicateItem{
    kind::DuplicateItem, "kernel `{}` has a `{}` already"};

namespace {

class ItemFlattener {
public:
  explicit ItemFlattener(KernelState &kernelState) : state(kernelState) {}

  void flatten(ast::List<const ast::Decl *> items) {
    for (const ast::Decl *item : items)
      if (const auto *constant = llvm::dyn_cast<ast::ConstDecl>(item))
        state.scope.announce(constant->name);
    for (const ast::Decl *item : items) {
      if (const auto *branch = llvm::dyn_cast<ast::StaticIfDecl>(item)) {
        if (auto taken = state.resolver().takenBranch(branch->branches, branch->elseDecls))
          flatten(*taken);
        continue;
      }
      if (const auto *constant = llvm::dyn_cast<ast::ConstDecl>(item))
        addConstant(*constant);
      state.items.push_back(item);
    }
  }

private:
  void addConstant(const ast::ConstDecl &decl) {
    Symbol *symbol = declareConstant(state.context, state.scope, decl);
    if (!symbol || symbol->kind != Symbol::Kind::Constant)
      return;
    ir::Constant constant;
    constant.name = symbol->name;
    constant.loc = symbol->loc;
    constant.type = ir::Type::ofScalar(symbol->constant.type);
    constant.value = symbol->constant.value;
    constant.real = symbol->constant.real;
    symbol->constantId = state.kernel->constants.add(std::move(constant));
  }

  KernelState &state;
};

// What an item declares, if it declares a name.
struct Declared {
  const ast::Name *name = nullptr;
  Symbol::Kind kind = Symbol::Kind::Broken;
  std::optional<Construct> construct; // not compiled yet
};

} // namespace

void flattenItems(KernelState &state) { ItemFlattener(state).flatten(state.decl.items); }

static Declared declaredBy(const ast::Decl &item) {
  switch (item.kind) {
  case ast::Decl::Kind::Function:
    return {&llvm::cast<ast::FunctionDecl>(item).name, Symbol::Kind::Function, {}};
  case ast::Decl::Kind::Queue:
    return {&llvm::cast<ast::QueueDecl>(item).name, Symbol::Kind::Queue, {}};
  case ast::Decl::Kind::Barrier:
    return {&llvm::cast<ast::BarrierDecl>(item).name, Symbol::Kind::Broken, Construct::Barriers};
  case ast::Decl::Kind::Group:
    return {&llvm::cast<ast::GroupDecl>(item).name, Symbol::Kind::Broken, Construct::Groups};
  case ast::Decl::Kind::Order:
    return {&llvm::cast<ast::OrderDecl>(item).name, Symbol::Kind::Resource, {}};
  case ast::Decl::Kind::Overlay:
    return {nullptr, Symbol::Kind::Broken, Construct::Overlays};
  case ast::Decl::Kind::ResourceType:
    return {&llvm::cast<ast::ResourceTypeDecl>(item).name, Symbol::Kind::ResourceType, {}};
  case ast::Decl::Kind::Resource:
    return {&llvm::cast<ast::ResourceDecl>(item).name,
            llvm::cast<ast::ResourceDecl>(item).count ? Symbol::Kind::ResourceArray
                                                      : Symbol::Kind::Resource,
            {}};
  case ast::Decl::Kind::Schedule:
    return {&llvm::cast<ast::ScheduleDecl>(item).name, Symbol::Kind::Schedule, {}};
  case ast::Decl::Kind::Task:
    return {&llvm::cast<ast::TaskDecl>(item).name, Symbol::Kind::Task, {}};
  default:
    return {};
  }
}

// At most one of these in a kernel.
static llvm::StringRef singleItem(const ast::Decl &item) {
  switch (item.kind) {
  case ast::Decl::Kind::Grid:
    return "grid";
  case ast::Decl::Kind::Cluster:
    return "cluster";
  case ast::Decl::Kind::Depends:
    return "depends";
  case ast::Decl::Kind::Target:
    return "target";
  default:
    return {};
  }
}

void declareItems(KernelState &state) {
  std::map<std::string, SourceRange> seen;
  for (const ast::Decl *item : state.items) {
    llvm::StringRef single = singleItem(*item);
    if (!single.empty()) {
      auto [it, isFirst] = seen.try_emplace(single.str(), item->range);
      if (!isFirst)
        state.context.report(item->range, DuplicateItem, state.decl.name.text, single)
            .note(it->second, "the first is here");
    }
    Declared declared = declaredBy(*item);
    if (declared.construct)
      state.context.notYetCompiled(*declared.construct, item->range);
    if (!declared.name)
      continue;
    Symbol *symbol = declare(state.context, state.scope, *declared.name, declared.kind);
    if (!symbol)
      continue;
    if (const auto *schedule = llvm::dyn_cast<ast::ScheduleDecl>(item))
      symbol->schedule = schedule;
    if (const auto *queue = llvm::dyn_cast<ast::QueueDecl>(item))
      symbol->queue = queue;
    if (const auto *type = llvm::dyn_cast<ast::ResourceTypeDecl>(item))
      symbol->resourceType = type;
    if (const auto *function = llvm::dyn_cast<ast::FunctionDecl>(item))
      symbol->function = function;
  }
}

} // namespace tsk::sema
