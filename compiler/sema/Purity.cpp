#include "compiler/sema/Purity.h"

#include <map>
#include <set>

namespace tsk::sema {

using ir::CppToken;

static std::vector<CppToken> tokensOf(llvm::StringRef text) {
  std::vector<CppToken> tokens;
  ir::CppLexer lexer(text);
  for (CppToken token = lexer.next(); token.kind != CppToken::Kind::End; token = lexer.next())
    tokens.push_back(token);
  return tokens;
}

static bool isWord(llvm::StringRef name) {
  static const llvm::StringSet<> Words = {
#define TSK_PURE_WORD(Word) #Word,
#include "compiler/sema/PureNames.def"
  };
  return Words.contains(name);
}
static bool isType(llvm::StringRef name) {
  static const llvm::StringSet<> Types = {
#define TSK_PURE_TYPE(Name) #Name,
#include "compiler/sema/PureNames.def"
  };
  return Types.contains(name);
}
static bool isLibrary(llvm::StringRef name) {
  static const llvm::StringSet<> Names = {
#define TSK_PURE_NAME(Name) #Name,
#include "compiler/sema/PureNames.def"
  };
  return Names.contains(name);
}

static bool isKnownHeader(llvm::StringRef name) {
  static const llvm::StringSet<> Headers = {
#define TSK_PURE_HEADER(Name) Name,
#include "compiler/sema/PureNames.def"
  };
  return Headers.contains(name);
}

static bool isName(const CppToken &token) { return token.kind == CppToken::Kind::Identifier; }

// ---- a body ------------------------------------------------------------------------------------

// Goes over the tokens and knows which names are locals at each.
class Purity::Walk {
public:
  Walk(Purity &all, const Tokens &list, llvm::function_ref<bool(llvm::StringRef)> harmless)
      : purity(all), tokens(list), isHarmless(harmless) {}

  std::string run() {
    for (at = 0; at < tokens.size(); ++at) {
      if (isName(tokens[at]) ? !readName() : tokens[at].is("#"))
        return isName(tokens[at]) ? tokens[at].text.str() : "define";
      if (!isName(tokens[at]))
        readPunctuation();
    }
    return {};
  }

private:
  struct Local {
    int braces = 0;
    bool isInParentheses = false; // of a `for`: for its statement alone
  };

  bool isAt(size_t index, llvm::StringRef spelling) const {
    return index < tokens.size() && tokens[index].is(spelling);
  }
  bool isTypeAt(size_t index) const {
    return index < tokens.size() &&
           (templateEnds.count(index) || (isName(tokens[index]) && isType(tokens[index].text)));
  }

  // `int x`, `auto &x`, `tsk::array<int, 2> x`, and `y` of `int x = 1, y = 2`.
  bool declares() const {
    if (at == 0)
      return false;
    size_t before = at - 1;
    bool ends = isAt(at + 1, "=") || isAt(at + 1, ",") || isAt(at + 1, ";");
    if (isAt(before, ",") && parentheses == declaredIn && ends)
      return true;
    while (before > 0 && (isAt(before, "&") || isAt(before, "*")))
      --before;
    return isTypeAt(before);
  }

  void readPunctuation() {
    const CppToken &token = tokens[at];
    if (token.is("(") || token.is("[")) {
      ++parentheses;
    } else if (token.is(")") || token.is("]")) {
      --parentheses;
    } else if (token.is("{")) {
      ++braces;
    } else if (token.is("}")) {
      --braces;
      forget();
    } else if (token.is(";")) {
      if (parentheses == 0)
        forget();
      declaredIn = -1;
    }
  }

  // What is not declared any more at the end of a block or a statement.
  void forget() {
    for (auto it = locals.begin(); it != locals.end();) {
      bool ends = it->second.braces > braces ||
                  (it->second.isInParentheses && it->second.braces == braces && parentheses == 0);
      it = ends ? locals.erase(it) : std::next(it);
    }
  }

  // The `>` that closes the arguments of a template, after which a name may be declared.
  void markTemplate() {
    int depth = 0;
    for (size_t i = at + 1; i < tokens.size(); ++i) {
      depth += tokens[i].is("<");
      if (tokens[i].is(">") && --depth == 0) {
        templateEnds.insert(i);
        return;
      }
      if (tokens[i].is(";") || tokens[i].is("{"))
        return;
    }
  }

  bool readName() {
    llvm::StringRef name = tokens[at].text;
    if (purity.macros.contains(name))
      return false;
    if (at > 0 && isAt(at - 1, "."))
      return at > 1 && isName(tokens[at - 2]) && !isAt(at - 3, "::");
    if (at > 0 && isAt(at - 1, "->"))
      return false;
    if (at > 0 && isAt(at - 1, "::")) {
      bool isOurs =
          at > 1 && (isAt(at - 2, "tsk") || isAt(at - 2, "std")) && !(at > 2 && isAt(at - 3, "::"));
      if (isOurs && isType(name) && isAt(at + 1, "<"))
        markTemplate();
      return isOurs && (isType(name) || (isLibrary(name) && !purity.includesUnknown));
    }
    if ((name == "tsk" || name == "std") && isAt(at + 1, "::"))
      return true;
    if (isWord(name) || isType(name))
      return true;
    if (declares()) {
      locals[name.str()] = {braces, parentheses > 0};
      declaredIn = parentheses;
      return true;
    }
    if (locals.count(name.str()) || isHarmless(name) || purity.constants.contains(name))
      return true;
    if (purity.functions.count(name))
      return isAt(at + 1, "(") && !purity.includesUnknown && purity.isPure(name);
    return isLibrary(name) && !purity.includesUnknown && !purity.variables.contains(name);
  }

  Purity &purity;
  const Tokens &tokens;
  llvm::function_ref<bool(llvm::StringRef)> isHarmless;
  std::map<std::string, Local> locals;
  std::set<size_t> templateEnds;
  size_t at = 0;
  int braces = 0, parentheses = 0;
  int declaredIn = -1; // parentheses around the declaration that is being read
};

std::string Purity::changesBy(llvm::StringRef body,
                              llvm::function_ref<bool(llvm::StringRef)> isHarmless) {
  Tokens tokens = tokensOf(body);
  return Walk(*this, tokens, isHarmless).run();
}

// ---- `cpp` blocks ------------------------------------------------------------------------------

Purity::Purity(llvm::ArrayRef<llvm::StringRef> cppBlocks) {
  for (llvm::StringRef block : cppBlocks)
    readBlock(tokensOf(block));
}

// Index of what closes the bracket at `open`, or the end.
static size_t closing(const std::vector<CppToken> &tokens, size_t open) {
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    bool opens = tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[");
    bool closes = tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]");
    depth += opens - closes;
    if (closes && depth == 0)
      return i;
  }
  return tokens.size();
}

// Those outside of everything: what is inside a namespace or a class is found in another way.
void Purity::readBlock(const Tokens &tokens) {
  bool isConstant = false;
  for (size_t i = 0; i < tokens.size(); ++i) {
    bool isDefine = i > 0 && tokens[i - 1].is("#") && tokens[i].is("define");
    if (isDefine && i + 1 < tokens.size())
      macros.insert(tokens[i + 1].text);
    if (i > 0 && tokens[i - 1].is("#") && tokens[i].is("include"))
      readInclude(tokens, i);
    if (tokens[i].is("constexpr"))
      isConstant = true;
    bool endsName = tokens[i].is("=") || tokens[i].is("{") || tokens[i].is("[");
    if ((endsName || tokens[i].is(";") || tokens[i].is(",")) && i > 0 && isName(tokens[i - 1]))
      (isConstant && endsName ? constants : variables).insert(tokens[i - 1].text);
    isConstant &= !endsName && !tokens[i].is(";");
    if (tokens[i].is("(") && i > 0 && isName(tokens[i - 1])) {
      i = readFunction(tokens, i - 1);
      isConstant = false;
    } else if (tokens[i].is("{") || tokens[i].is("[")) {
      i = closing(tokens, i);
    }
  }
}

void Purity::readInclude(const Tokens &tokens, size_t include) {
  std::string name;
  if (include + 1 < tokens.size() && tokens[include + 1].is("<"))
    for (size_t i = include + 2; i < tokens.size() && !tokens[i].is(">"); ++i)
      name += tokens[i].text;
  includesUnknown |= !isKnownHeader(name);
}

// Behind its end, or behind its parentheses if it is none.
size_t Purity::readFunction(const Tokens &tokens, size_t name) {
  size_t parenthesis = closing(tokens, name + 1);
  size_t brace = parenthesis + 1;
  if (brace < tokens.size() && tokens[brace].is("noexcept"))
    ++brace;
  bool isQualified = name > 0 && tokens[name - 1].is("::");
  if (brace >= tokens.size() || !tokens[brace].is("{") || isQualified)
    return parenthesis;
  size_t end = closing(tokens, brace);
  if (end == tokens.size())
    return end;
  functions[tokens[name].text].push_back(
      {Tokens(tokens.begin() + name + 1, tokens.begin() + end + 1), Function::State::Unasked});
  return end;
}

// All overloads are.
bool Purity::isPure(llvm::StringRef name) {
  auto found = functions.find(name);
  if (found == functions.end())
    return false;
  for (Function &function : found->second) {
    if (function.state == Function::State::Unasked) {
      function.state = Function::State::Impure; // until it is known; so is what calls itself
      bool pure = Walk(*this, function.tokens, [](llvm::StringRef) { return false; }).run().empty();
      function.state = pure ? Function::State::Pure : Function::State::Impure;
    }
    if (function.state == Function::State::Impure)
      return false;
  }
  return true;
}

} // namespace tsk::sema
