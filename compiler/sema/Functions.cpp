// Functions of the user's: C++ that schedules call in bounds, conditions and arguments. A function
// enters the kernel with its first call; one that a file declares may name the kernel's parameters.
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TypeResolver.h"

#include "compiler/ir/CppText.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> FunctionParameter{
    kind::FunctionParameter, "parameter `{}` of a function is neither `const` nor `uniform`"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> FunctionNotPure{
    kind::FunctionNotPure,
    "`{}` has no place in function `{}`, which only computes: its result is as uniform as its "
    "arguments"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> FunctionReads{
    kind::FunctionReads, "function `{}` reads `{}`, which is written while the kernel runs; "
                         "functions read `in` tensors"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> FunctionInFunction{
    kind::FunctionInFunction, "functions do not see each other: `{}` cannot call `{}`; shared code "
                              "stands in a `cpp` block"};

namespace {

class FunctionBuilder {
public:
  FunctionBuilder(KernelState &kernelState, const Symbol &functionSymbol)
      : state(kernelState), kernel(*kernelState.kernel), symbol(functionSymbol),
        decl(*functionSymbol.function),
        outer(functionSymbol.home ? functionSymbol.home->visible : kernelState.scope) {}

  std::optional<ir::FunctionId> build();

private:
  bool readParams();
  void readBody();
  void readName(const ir::CppToken &token, bool isMember);
  bool isAllowed(llvm::StringRef name) const;
  void useParam(ir::ParamId id, const ir::CppToken &token);
  void addConstant(const Symbol &known);
  bool isHarmless(llvm::StringRef name) const;
  std::string ownName() const;
  SourceRange range(const ir::CppToken &token) const;

  KernelState &state;
  ir::Kernel &kernel;
  const Symbol &symbol;
  const ast::FunctionDecl &decl;
  const Scope &outer; // what the declaration sees
  ir::Signature signature;
  ir::Function function;
  llvm::StringSet<> own; // parameters
};

} // namespace

bool FunctionBuilder::readParams() {
  TypeResolver types(state, outer);
  Scope params;
  bool ok = true;
  for (const ast::Param &param : decl.params) {
    if (!param.name)
      continue;
    ok &= declare(state.context, params, param.name, Symbol::Kind::Value) != nullptr;
    own.insert(param.name.text);
    if (param.isConst || param.isUniform) {
      state.context.report(param.range, FunctionParameter, param.name.text);
      ok = false;
    }
    std::optional<ir::Type> type = types.value(param.type);
    ok &= type.has_value();
    signature.params.push_back(type.value_or(ir::Type{}));
    function.params.push_back(param.name.text.str());
  }
  std::optional<ir::Type> result = types.value(decl.result);
  if (result)
    signature.result = *result;
  return ok && result;
}

SourceRange FunctionBuilder::range(const ir::CppToken &token) const {
  SourceLoc begin = decl.body.textBegin().advanced(static_cast<uint32_t>(token.offset));
  return {begin, begin.advanced(static_cast<uint32_t>(token.text.size()))};
}

// Of the device library a function has what computes: types, conversions, arithmetic. The rest asks
// where it runs or does something.
bool FunctionBuilder::isAllowed(llvm::StringRef name) const {
  static constexpr llvm::StringRef Impure[] = {
#define TSK_IMPURE(Name) #Name,
#include "compiler/sema/ImpureNames.def"
  };
  return !llvm::is_contained(Impure, name) && !name.starts_with("__");
}

void FunctionBuilder::useParam(ir::ParamId id, const ir::CppToken &token) {
  const ir::Param &param = kernel.params[id];
  if (param.shape == ir::Param::Shape::Tensor && param.direction != ast::Direction::In)
    state.context.report(range(token), FunctionReads, signature.name, param.name)
        .note(param.loc, "`{}` is declared here", param.name);
  if (!llvm::is_contained(function.usedParams, id))
    function.usedParams.push_back(id);
}

void FunctionBuilder::addConstant(const Symbol &known) {
  ir::Constant constant;
  constant.name = known.name;
  constant.loc = known.loc;
  constant.type = ir::Type::ofScalar(known.constant.type);
  constant.value = known.constant.value;
  constant.real = known.constant.real;
  for (const ir::Constant &present : function.constants)
    if (present.name == constant.name)
      return;
  function.constants.push_back(std::move(constant));
}

void FunctionBuilder::readName(const ir::CppToken &token, bool isMember) {
  if (!isAllowed(token.text)) {
    state.context.report(range(token), FunctionNotPure, token.text, signature.name);
    return;
  }
  if (isMember || own.contains(token.text))
    return;
  if (symbol.home) // constants of its file, which the kernel may not have
    if (const Symbol *known = outer.find(token.text);
        known && known->kind == Symbol::Kind::Constant)
      return addConstant(*known);
  const Symbol *known = state.scope.find(token.text);
  if (!known)
    return;
  if (known->kind == Symbol::Kind::Tensor || known->kind == Symbol::Kind::Pointer)
    useParam(known->param, token);
  else if (known->kind == Symbol::Kind::Scalar &&
           !llvm::is_contained(function.usedScalars, known->scalar))
    function.usedScalars.push_back(known->scalar);
  else if (known->kind == Symbol::Kind::Function)
    state.context.report(range(token), FunctionInFunction, signature.name, known->name);
}

// Lexical, as bodies are read: comments and strings are known, and members behind a dot.
void FunctionBuilder::readBody() {
  ir::CppLexer lexer(decl.body.text);
  ir::CppToken before;
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End;
       before = token, token = lexer.next())
    if (token.kind == ir::CppToken::Kind::Identifier)
      readName(token, before.is(".") || before.is("->") || before.is("::"));
  if (symbol.home) // through a macro; what then names nothing is not emitted
    for (const Symbol *known : reachableConstants(state, "", outer))
      if (!own.contains(known->name))
        addConstant(*known);
}

// What does not change while the kernel runs. Behind a pointer anything may lie, and a type of the
// user's may do anything.
bool FunctionBuilder::isHarmless(llvm::StringRef name) const {
  for (size_t i = 0; i < function.params.size(); ++i)
    if (function.params[i] == name)
      return signature.params[i].isScalar() ||
             llvm::StringRef(signature.params[i].cpp).starts_with("tsk::");
  const Symbol *known = symbol.home ? outer.find(name) : nullptr;
  if (!known || known->kind != Symbol::Kind::Constant)
    known = state.scope.find(name);
  return known &&
         (known->kind == Symbol::Kind::Constant || known->kind == Symbol::Kind::Tensor ||
          known->kind == Symbol::Kind::Scalar || known->kind == Symbol::Kind::TypeConstant);
}

// Two imports may each have a function of one name; in the kernel they have two.
std::string FunctionBuilder::ownName() const {
  const auto isTaken = [&](const std::string &name) {
    return llvm::any_of(kernel.tables.functions,
                        [&](const ir::Signature &other) { return other.name == name; });
  };
  const std::string spelled = decl.name.text.str();
  std::string name = spelled;
  for (int i = 2; isTaken(name) || (i > 2 && state.scope.find(name)); ++i)
    name = fmt::format("{}_{}", spelled, i);
  if (name != spelled)
    kernel.shownNames[name] = spelled;
  return name;
}

std::optional<ir::FunctionId> FunctionBuilder::build() {
  signature.name = ownName();
  unsigned errors = state.context.diags.errorCount();
  if (!readParams())
    return std::nullopt;
  readBody();
  if (state.context.diags.errorCount() != errors)
    return std::nullopt;
  signature.changesBy = state.purity.changesBy(
      decl.body.text, [&](llvm::StringRef name) { return isHarmless(name); });
  function.body = decl.body.text.str();
  function.bodyLoc = decl.body.range;
  function.loc = decl.name.range;
  kernel.functions.add(std::move(function));
  return kernel.tables.functions.add(std::move(signature));
}

std::optional<ir::FunctionId> KernelState::find(const Symbol &symbol) {
  auto [entry, isNew] = functions.try_emplace(symbol.function);
  if (isNew)
    entry->second = FunctionBuilder(*this, symbol).build();
  return entry->second;
}

} // namespace tsk::sema
