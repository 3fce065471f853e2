#include "compiler/sema/KernelBuilder.h"

#include "compiler/ir/CppText.h"

#include "llvm/ADT/ScopeExit.h"

namespace tsk::sema {

void collectNames(llvm::StringRef text, llvm::StringSet<> &names) {
  ir::CppLexer lexer(text);
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End;
       token = lexer.next())
    if (token.kind == ir::CppToken::Kind::Identifier)
      names.insert(token.text);
}

std::vector<const Symbol *> reachableConstants(const KernelState &state, llvm::StringRef text,
                                               const Scope &visible) {
  llvm::StringSet<> names = state.cppNames;
  collectNames(text, names);
  if (names.contains("include") || names.contains("include_next"))
    for (const std::string &name : visible.names())
      names.insert(name);
  std::map<SourceLoc, const Symbol *> inOrder;
  for (const auto &entry : names)
    if (const Symbol *symbol = visible.find(entry.getKey());
        symbol && symbol->kind == Symbol::Kind::Constant)
      inOrder[symbol->loc.begin] = symbol;
  std::vector<const Symbol *> constants;
  for (const auto &[place, symbol] : inOrder)
    constants.push_back(symbol);
  return constants;
}

// Constants of the file that the kernel's text names become its own, so that bodies and what we
// emit can speak of them.
static void declareGlobals(KernelState &state) {
  for (const Symbol *symbol : reachableConstants(state, state.context.text(state.decl.range),
                                                 state.instance.kernel.home->visible)) {
    ir::Constant constant;
    constant.name = symbol->name;
    constant.loc = symbol->loc;
    constant.type = ir::Type::ofScalar(symbol->constant.type);
    constant.value = symbol->constant.value;
    constant.real = symbol->constant.real;
    Symbol own = *symbol;
    own.constantId = state.kernel->constants.add(std::move(constant));
    state.global.insert(std::move(own));
  }
}

void buildKernel(KernelState &state) {
  ir::Kernel &kernel = *state.kernel;
  state.context.showNames(&kernel.shownNames);
  auto inside = llvm::make_scope_exit([&] { state.context.showNames(nullptr); });
  kernel.name = state.instance.name;
  kernel.templateName = state.decl.name.text.str();
  kernel.isTestOnly = state.instance.isTestOnly;
  kernel.loc = state.decl.name.range;
  std::optional<Trail> trail;
  const Instance &instance = state.instance;
  if (instance.instantiate)
    trail.emplace(state.context, instance.instantiate->range,
                  fmt::format("instance `{}` is made here", instance.name));
  else if (instance.isTestOnly)
    trail.emplace(state.context, instance.tests.front()->name.range,
                  fmt::format("test `{}` makes this instance", instance.tests.front()->name.text));

  declareGlobals(state);
  declareCompileTimeParams(state);
  buildKernelParams(state);
  flattenItems(state);
  declareItems(state);
  buildLaunch(state);
  auto more = [&](ReportBuilder &report) { state.context.addTrail(report); };
  buildResources(state);
  if (!state.hasErrors()) // what a wrong body does is not known
    checkDirections(kernel, state.context.tokenDiags(), more);
  buildTasks(state);
  buildDepends(state);
  if (!state.hasErrors())
    checkRoles(kernel, state.context.tokenDiags(), more);
}

} // namespace tsk::sema
