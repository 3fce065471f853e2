#include "compiler/sema/Scope.h"
#include "compiler/sema/CppNames.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/support/Suggest.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownName{kind::UnknownName,
                                                              "unknown name `{}`{}"};
constexpr Diagnostic<llvm::StringRef> UsedBeforeDeclared{
    kind::UsedBeforeDeclared,
    "`{}` is used before its declaration; constants are evaluated from top to bottom"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> WordOfTheLanguage{
    kind::ReservedName, "`{}` is a word of the language: {}; choose another name"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ReservedName{kind::ReservedName,
                                                                    "`{}` is reserved: it is {}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ProtocolWordAsWork{
    kind::ProtocolWordAsWork,
    "a work cannot be called `{0}`: `r.{0}()` would be {1}; rename the work"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> WrongKindOfName{
    kind::WrongKindOfName, "`{}` is {}, expected {}"};

llvm::StringRef describe(Symbol::Kind kind) {
  switch (kind) {
  case Symbol::Kind::Broken:
    return "not usable";
  case Symbol::Kind::Constant:
    return "a constant";
  case Symbol::Kind::TypeConstant:
    return "a type";
  case Symbol::Kind::Scalar:
    return "a scalar of the kernel";
  case Symbol::Kind::Tensor:
    return "a tensor";
  case Symbol::Kind::Pointer:
    return "a pointer";
  case Symbol::Kind::ResourceType:
    return "a resource type";
  case Symbol::Kind::Resource:
    return "a resource";
  case Symbol::Kind::ResourceArray:
    return "an array of resources";
  case Symbol::Kind::Field:
    return "a field";
  case Symbol::Kind::Queue:
    return "a queue";
  case Symbol::Kind::Tile:
    return "a tile";
  case Symbol::Kind::Schedule:
    return "a schedule";
  case Symbol::Kind::Task:
    return "a task";
  case Symbol::Kind::Function:
    return "a function";
  case Symbol::Kind::Value:
    return "a value";
  case Symbol::Kind::Var:
    return "a variable";
  case Symbol::Kind::Hold:
    return "a stage that is held";
  case Symbol::Kind::StaticValue:
    return "a variable of `static for`";
  case Symbol::Kind::ImportAlias:
    return "an imported file";
  }
  TSK_UNREACHABLE("kind of symbol outside its enumeration");
}

const Symbol *Scope::find(llvm::StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (auto it = scope->symbols.find(name); it != scope->symbols.end())
      return &it->second;
  return nullptr;
}

std::optional<SourceRange> Scope::findLater(llvm::StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (auto it = scope->later.find(name); it != scope->later.end())
      return it->second;
  return std::nullopt;
}

Symbol *Scope::findHere(llvm::StringRef name) {
  auto it = symbols.find(name);
  return it == symbols.end() ? nullptr : &it->second;
}

Symbol &Scope::insert(Symbol symbol) {
  order.push_back(symbol.name);
  return symbols.insert_or_assign(order.back(), std::move(symbol)).first->second;
}

void Scope::erase(llvm::StringRef name) {
  symbols.erase(name);
  llvm::erase(order, name);
}

std::vector<llvm::StringRef> Scope::visibleNames() const {
  std::vector<llvm::StringRef> names;
  for (const Scope *scope = this; scope; scope = scope->parent)
    names.insert(names.end(), scope->order.begin(), scope->order.end());
  return names;
}

static llvm::StringRef languageMeaning(llvm::StringRef word) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Words[] = {
#define TSK_RESERVED(Word, Why) {Word, Why},
#include "compiler/sema/ReservedNames.def"
  };
  for (const auto &[reserved, why] : Words)
    if (reserved == word)
      return why;
  if (ir::scalarTypeByName(word) && word != "bool")
    return "a built-in type";
  return {};
}

// What `resource.word()` means already, if it means something.
static llvm::StringRef memberMeaning(llvm::StringRef word) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Words[] = {
#define TSK_RESERVED(Word, Why)
#define TSK_RESERVED_WORK(Word, Why) {Word, Why},
#include "compiler/sema/ReservedNames.def"
  };
  for (const auto &[reserved, why] : Words)
    if (reserved == word)
      return why;
  llvm::StringRef meaning = languageMeaning(word);
  return meaning.starts_with("an operation") ? meaning : llvm::StringRef();
}

bool checkName(Context &context, const ast::Name &name, NameRole role) {
  if (!name)
    return false;
  if (role == NameRole::Work)
    if (llvm::StringRef meaning = memberMeaning(name.text); !meaning.empty()) {
      context.report(name.range, ProtocolWordAsWork, name.text, meaning);
      return false;
    }
  if (llvm::StringRef meaning = languageMeaning(name.text); !meaning.empty())
    context.report(name.range, WordOfTheLanguage, name.text, meaning);
  else if (meaning = cppMeaning(name.text); !meaning.empty())
    context.report(name.range, ReservedName, name.text, meaning);
  else
    return true;
  return false;
}

Symbol *declare(Context &context, Scope &scope, const ast::Name &name, Symbol::Kind kind) {
  if (!name)
    return nullptr;
  if (const Symbol *earlier = scope.findHere(name.text)) {
    context.report(name.range, Redeclared, name.text)
        .note(earlier->loc, "`{}` is {}, declared here", name.text, describe(earlier->kind));
    return nullptr;
  }
  Symbol symbol;
  symbol.name = name.text.str();
  symbol.loc = name.range;
  symbol.kind = kind;
  if (kind == Symbol::Kind::Broken)
    context.sawBroken = true;
  if (const Symbol *outer = scope.find(name.text)) {
    context.report(name.range, Shadowed, name.text)
        .note(outer->loc, "`{}` is {}, declared here", name.text, describe(outer->kind));
    // The new meaning still counts in its scope, so that its uses are judged by it.
  } else if (!checkName(context, name)) {
    // Likewise.
  }
  return &scope.insert(std::move(symbol));
}

const Symbol *lookUp(Context &context, const Scope &scope, const ast::Name &name) {
  if (!name)
    return nullptr;
  if (const Symbol *symbol = scope.find(name.text)) {
    symbol->isUsed = true;
    return symbol->kind == Symbol::Kind::Broken ? nullptr : symbol;
  }
  if (std::optional<SourceRange> later = scope.findLater(name.text)) {
    context.report(name.range, UsedBeforeDeclared, name.text)
        .note(*later, "`{}` is declared here", name.text);
    return nullptr;
  }
  context.report(name.range, UnknownName, name.text, suggestion(context, scope, name.text));
  return nullptr;
}

void reportWrongKind(Context &context, SourceRange range, const Symbol &symbol,
                     llvm::StringRef expected) {
  if (symbol.kind == Symbol::Kind::Broken)
    return;
  context.report(range, WrongKindOfName, symbol.name, describe(symbol.kind), expected)
      .note(symbol.loc, "`{}` is declared here", symbol.name);
}

Suggestion suggestion(Context &context, const Scope &scope, llvm::StringRef name,
                      std::optional<Symbol::Kind> kind, llvm::ArrayRef<llvm::StringRef> builtins) {
  if (!context.wantsSuggestions())
    return {};
  std::vector<llvm::StringRef> candidates;
  for (llvm::StringRef candidate : scope.visibleNames())
    if (!kind || scope.find(candidate)->kind == *kind)
      candidates.push_back(candidate);
  candidates.insert(candidates.end(), builtins.begin(), builtins.end());
  return suggestion(name, candidates);
}

Suggestion suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates) {
  return {closestWord(name, candidates).str()};
}

} // namespace tsk::sema
