#include "compiler/sema/TypeResolver.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/ir/ExprText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownType{kind::UnknownType,
                                                              "unknown type `{}`{}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NotAScalarType{
    kind::NotAScalarType, "{} have a scalar type of the language, not `{}`"};

static constexpr llvm::StringRef ScalarNames[] = {
#define TSK_SCALAR(Name, Spelling, Bits, Class) Spelling,
#include "compiler/ir/ScalarTypes.def"
};

namespace {

struct ForeignName {
  enum Owner : uint8_t { Cpp, Other };
  llvm::StringRef theirs;
  llvm::StringRef ours;
  Owner whose;
};

} // namespace

// What others call our types is no slip of the pen: `int` means `i32`, and is no letter off `bit`.
static const ForeignName *foreignName(llvm::StringRef name) {
  static constexpr ForeignName Names[] = {
#define TSK_FOREIGN_TYPE(Theirs, Ours, Whose) {Theirs, Ours, ForeignName::Whose},
#include "compiler/sema/ForeignTypeNames.def"
  };
  const auto *found = llvm::find_if(Names, [&](const auto &known) { return known.theirs == name; });
  return found == std::end(Names) ? nullptr : found;
}

// A lone name that is a scalar, directly or through a type parameter.
std::optional<ir::ScalarType> TypeResolver::known(const ast::Type &type) const {
  if (type.name.size() != 1 || type.hasArgs || type.pointerDepth)
    return std::nullopt;
  if (std::optional<ir::ScalarType> scalar = ir::scalarTypeByName(type.name[0].text))
    return scalar;
  const Symbol *symbol = scope.find(type.name[0].text);
  if (!symbol || symbol->kind != Symbol::Kind::TypeConstant)
    return std::nullopt;
  symbol->isUsed = true;
  return symbol->type;
}

std::optional<ir::ScalarType> TypeResolver::scalar(const ast::Type *type, llvm::StringRef what) {
  if (!type || type->name.empty() || !type->name[0])
    return std::nullopt;
  if (std::optional<ir::ScalarType> scalar = known(*type))
    return scalar;
  if (!checkSpecial(*type))
    return std::nullopt;
  llvm::StringRef text = state.context.text(type->range);
  if (type->name.size() != 1 || type->hasArgs || type->pointerDepth || scope.find(text)) {
    state.context.report(type->range, NotAScalarType, what, text);
    return std::nullopt;
  }
  const ForeignName *foreign = foreignName(text);
  state.context.report(
      type->range, UnknownType, text,
      foreign ? Suggestion{foreign->ours.str()}
              : suggestion(state.context, scope, text, Symbol::Kind::TypeConstant, ScalarNames));
  return std::nullopt;
}

// Packed, two elements share an address, which no view of ours can name.
std::optional<ir::ScalarType> TypeResolver::element(const ast::Type *type, llvm::StringRef what) {
  std::optional<ir::ScalarType> found = scalar(type, what);
  if (found && ir::bitWidth(*found) < 8)
    state.context.notYetCompiled(Construct::SubByteElements, type->range);
  return found;
}

// Types that the language has and this version does not.
bool TypeResolver::checkSpecial(const ast::Type &type) {
  llvm::StringRef first = type.name.front().text;
  std::optional<Construct> construct;
  if (type.name.size() == 1 && first == "tile")
    construct = Construct::Tiles;
  if (type.name.size() == 1 && first == "view" && type.hasArgs)
    construct = Construct::Views;
  if (type.name.size() == 2 && type.name[1].text == "stage")
    construct = Construct::Holds;
  if (construct)
    state.context.notYetCompiled(*construct, type.range);
  return !construct;
}

std::optional<ir::Type> TypeResolver::value(const ast::Type *type) {
  if (!type || type->name.empty() || !type->name[0])
    return std::nullopt;
  if (std::optional<ir::ScalarType> scalar = known(*type))
    return ir::Type::ofScalar(*scalar);
  if (!checkSpecial(*type) || !checkLoneName(*type))
    return std::nullopt;
  Text text;
  spell(*type, text);
  state.canonicalTypes[text.spelled] = text.canonical;
  return ir::Type::ofCpp(text.spelled);
}

// `i23`, `f61`: spelled like a scalar type, and none.
static bool looksLikeScalar(llvm::StringRef name) {
  llvm::StringRef digits = name.ltrim("abcdefghijklmnopqrstuvwxyz");
  llvm::StringRef letters = name.drop_back(digits.size());
  return (letters == "i" || letters == "u" || letters == "f" || letters == "bf" ||
          letters == "tf") &&
         !digits.empty() && llvm::all_of(digits, llvm::isDigit);
}

// A lone name that nobody declares may be C++'s (`uint4`), unless it looks like a slip of the pen.
bool TypeResolver::checkLoneName(const ast::Type &type) {
  if (type.name.size() != 1 || type.hasArgs)
    return true;
  llvm::StringRef name = type.name[0].text;
  if (const Symbol *symbol = scope.find(name)) {
    if (symbol->kind == Symbol::Kind::TypeConstant)
      return true;
    reportWrongKind(state.context, type.range, *symbol, "a type");
    return false;
  }
  if (state.cppNames.contains(name))
    return true;
  if (ir::scalarTypeByName(name)) // `f16*`
    return true;
  const ForeignName *foreign = foreignName(name);
  bool mayBeIncluded = state.cppNames.contains("include"); // `half`, of cuda_fp16.h
  if (foreign && (foreign->whose == ForeignName::Cpp || mayBeIncluded))
    return true;
  Suggestion near =
      foreign ? Suggestion{foreign->ours.str()}
              : suggestion(state.context, scope, name, Symbol::Kind::TypeConstant, ScalarNames);
  if (near.word.empty() && !looksLikeScalar(name))
    return true;
  state.context.report(type.range, UnknownType, name, near);
  return false;
}

void TypeResolver::spell(const ast::Type &type, Text &text) {
  if (!spellName(type, text)) {
    for (size_t i = 0; i < type.name.size(); ++i) {
      text.add(i ? "::" : "");
      text.add(type.name[i].text);
    }
  }
  if (type.hasArgs) {
    text.add("<");
    for (size_t i = 0; i < type.args.size(); ++i) {
      text.add(i ? ", " : "");
      spellArgument(type.args[i], text);
    }
    text.add(">");
  }
  text.add(std::string(type.pointerDepth, '*'));
}

// Scalars are the device library's in C++; names of constants stand where a type might.
bool TypeResolver::spellName(const ast::Type &type, Text &text) {
  if (type.name.size() != 1 || type.hasArgs)
    return false;
  llvm::StringRef name = type.name[0].text;
  if (ir::scalarTypeByName(name)) {
    text.add(name == "bool" ? "bool" : "tsk::" + name.str());
    return true;
  }
  const Symbol *symbol = scope.find(name);
  if (!symbol)
    return false;
  symbol->isUsed = true;
  if (symbol->kind == Symbol::Kind::TypeConstant) {
    std::string scalar = "tsk::" + ir::spelling(symbol->type).str();
    text.spelled += symbol->constantId ? symbol->name : scalar;
    text.canonical += scalar;
    return true;
  }
  if (symbol->kind != Symbol::Kind::Constant)
    return false;
  spellConstant(*symbol, text);
  return true;
}

void TypeResolver::spellConstant(const Symbol &symbol, Text &text) {
  std::string value;
  llvm::raw_string_ostream os(value);
  ir::printConstant(os, symbol.constant);
  text.spelled += symbol.constantId ? symbol.name : value;
  text.canonical += value;
}

void TypeResolver::spellArgument(const ast::TypeArg &arg, Text &text) {
  if (arg.type)
    return spell(*arg.type, text);
  if (arg.expr)
    spellExpr(*arg.expr, text);
}

void TypeResolver::spellExpr(const ast::Expr &expr, Text &text) {
  if (const auto *name = llvm::dyn_cast<ast::NameExpr>(&expr); name && name->parts.size() == 1) {
    const Symbol *symbol = scope.find(name->parts[0].text);
    if (symbol && symbol->kind == Symbol::Kind::Constant) {
      symbol->isUsed = true;
      return spellConstant(*symbol, text);
    }
  }
  ExprResolver resolver = state.resolver(scope);
  ir::ExprId id = resolver.resolve(&expr);
  std::optional<ir::ConstantScalar> constant = id ? resolver.constantOf(id) : std::nullopt;
  if (!constant) {
    if (id)
      resolver.constant(&expr, "an argument of a type"); // reports
    return text.add("0");
  }
  std::string value;
  llvm::raw_string_ostream os(value);
  ir::printConstant(os, *constant);
  text.add(value);
}

bool sameType(const KernelState &state, const ir::Type &a, const ir::Type &b) {
  if (a == b)
    return true;
  if (a.isScalar() || b.isScalar())
    return false;
  auto canonical = [&](const ir::Type &type) {
    auto it = state.canonicalTypes.find(type.cpp);
    return it == state.canonicalTypes.end() ? type.cpp : it->second;
  };
  return canonical(a) == canonical(b);
}

} // namespace tsk::sema
