#include "compiler/profile/LoopMarks.h"

#include "compiler/ir/CppText.h"

#include "llvm/ADT/StringSet.h"

#include <algorithm>
#include <set>
#include <vector>

namespace tsk::profile {

namespace {

using Token = ir::CppToken;

class Marker {
public:
  explicit Marker(llvm::StringRef text) : source(text) {
    ir::CppLexer lexer(text);
    for (Token token = lexer.next(); token.kind != Token::Kind::End; token = lexer.next())
      tokens.push_back(token);
    findArrays();
  }

  std::string mark() {
    for (size_t i = 0; i < tokens.size(); ++i)
      if (isKeyword(i, "for") || isKeyword(i, "while") || isKeyword(i, "do"))
        onLoop(i);
    std::stable_sort(marks.begin(), marks.end());
    std::string result;
    size_t at = 0;
    for (const auto &[where, text] : marks) {
      result += source.slice(at, where);
      result += text;
      at = where;
    }
    return result + source.drop_front(at).str();
  }

private:
  bool is(size_t i, llvm::StringRef spelling) const {
    return i < tokens.size() && tokens[i].text == spelling;
  }
  bool isName(size_t i) const {
    return i < tokens.size() && tokens[i].kind == Token::Kind::Identifier;
  }
  bool isKeyword(size_t i, llvm::StringRef word) const { return isName(i) && is(i, word); }

  // The index behind the bracket that closes the one at `open`.
  size_t skipGroup(size_t open) const {
    size_t depth = 0;
    for (size_t i = open; i < tokens.size(); ++i) {
      if (is(i, "(") || is(i, "[") || is(i, "{"))
        ++depth;
      else if ((is(i, ")") || is(i, "]") || is(i, "}")) && --depth == 0)
        return i + 1;
    }
    return tokens.size();
  }

  // The index behind the statement that begins at `i`.
  size_t skipStatement(size_t i) const {
    if (is(i, "{"))
      return skipGroup(i);
    if (isKeyword(i, "for") || isKeyword(i, "while") || isKeyword(i, "switch"))
      return skipStatement(skipGroup(i + 1));
    if (isKeyword(i, "do")) {
      const size_t body = skipStatement(i + 1); // while ( … ) ;
      return skipGroup(body + 1) + 1;
    }
    if (isKeyword(i, "if")) {
      size_t open = i + 1;
      if (isKeyword(open, "constexpr"))
        ++open;
      const size_t end = skipStatement(skipGroup(open));
      return isKeyword(end, "else") ? skipStatement(end + 1) : end;
    }
    while (i < tokens.size() && !is(i, ";"))
      i = is(i, "(") || is(i, "[") || is(i, "{") ? skipGroup(i) : i + 1;
    return i + 1;
  }

  void onLoop(size_t i) {
    if (isKeyword(i, "while") && endsDo.count(tokens[i].offset))
      return;
    const bool isDo = isKeyword(i, "do");
    if (!isDo && !is(i + 1, "("))
      return;
    const size_t body = isDo ? i + 1 : skipGroup(i + 1);
    const size_t end = skipStatement(body);
    if (isDo && end < tokens.size())
      endsDo.insert(tokens[end].offset);
    // Of a `do`, the condition behind it belongs to the iteration.
    if (body >= tokens.size() || isOwn(i + 1, isDo ? skipGroup(end + 1) : end))
      return;
    marks.push_back({tokens[i].offset, "TSK_SIM_LOOP "});
    marks.push_back({tokens[body].offset, "TSK_SIM_ITERATION "});
  }

  // Names that are declared as arrays or vectors of a thread, and nowhere as anything else that
  // can be indexed.
  void findArrays() {
    llvm::StringSet<> others;
    for (size_t i = 1; i < tokens.size(); ++i) {
      if (!isName(i))
        continue;
      if (is(i - 1, "*") || is(i - 1, "&") || isKeyword(i - 1, "auto"))
        others.insert(tokens[i].text);
      else if (is(i - 1, ">") && isOwnTemplate(i - 1))
        arrays.insert(tokens[i].text);
      else if (is(i + 1, "[") && (isType(i - 1) || declares(i)))
        arrays.insert(tokens[i].text);
    }
    for (const auto &other : others)
      arrays.erase(other.first());
  }

  // `T a[N], b[N]` with `b` at i.
  bool declares(size_t i) const {
    size_t at = i;
    while (at >= 2 && is(at - 1, ",") && is(at - 2, "]")) {
      size_t depth = 1, open = at - 2;
      while (open > 0 && depth != 0) {
        --open;
        depth += is(open, "]");
        depth -= is(open, "[");
      }
      if (open == 0 || !isName(open - 1))
        return false;
      at = open - 1;
    }
    return at != i && at > 0 && isType(at - 1);
  }
  bool isType(size_t i) const {
    static const llvm::StringSet<> Words = {"bool",  "char",     "short",  "int",   "long",
                                            "float", "unsigned", "signed", "double"};
    return isName(i) && (Words.contains(tokens[i].text) || !ir::isCppWord(tokens[i].text));
  }

  // `tsk::array<…>` or `tsk::vec<…>` up to its `>` at i.
  bool isOwnTemplate(size_t i) const {
    size_t depth = 1;
    while (i > 0 && depth != 0) {
      --i;
      depth += is(i, ">");
      depth -= is(i, "<");
      if (is(i, ";") || is(i, "{"))
        return false;
    }
    return i > 0 && (is(i - 1, "array") || is(i - 1, "vec"));
  }

  // Whether the tokens call nothing and index nothing but arrays of the thread.
  bool isOwn(size_t begin, size_t end) const {
    for (size_t i = begin; i < end && i < tokens.size(); ++i) {
      if (is(i, "[") && !is(i - 1, "]") && !arrays.contains(tokens[i - 1].text))
        return false;
      if (is(i, "->") || isIndirection(i))
        return false;
      if (!is(i, "(") || i == begin)
        continue;
      const llvm::StringRef before = tokens[i - 1].text;
      if ((isName(i - 1) && !isControl(before)) || before == ")" || before == "]" || before == ">")
        return false;
    }
    return true;
  }
  static bool isControl(llvm::StringRef word) {
    return word == "for" || word == "while" || word == "if" || word == "switch" ||
           word == "return" || word == "float" || word == "int" || word == "double";
  }
  // `*p`, not `a * p`.
  bool isIndirection(size_t i) const {
    return is(i, "*") && i > 0 && !isName(i - 1) && tokens[i - 1].kind != Token::Kind::Number &&
           !is(i - 1, ")") && !is(i - 1, "]");
  }

  llvm::StringRef source;
  std::vector<Token> tokens;
  llvm::StringSet<> arrays;
  std::vector<std::pair<size_t, const char *>> marks;
  std::set<size_t> endsDo; // offsets of the `while` behind a `do`'s body
};

} // namespace

// Directives about the loop behind them would stand before a mark; they only speak to optimizers.
static std::string withoutLoopPragmas(llvm::StringRef source) {
  std::string result = source.str();
  size_t at = 0;
  while (at < result.size()) {
    const size_t end = std::min(result.find('\n', at), result.size());
    const llvm::StringRef line = llvm::StringRef(result).slice(at, end).ltrim();
    if (line.starts_with("#pragma unroll") || line.starts_with("#pragma GCC unroll") ||
        line.starts_with("#pragma nounroll"))
      std::fill(result.begin() + static_cast<ptrdiff_t>(at),
                result.begin() + static_cast<ptrdiff_t>(end), ' ');
    at = end + 1;
  }
  return result;
}

std::string markLoops(llvm::StringRef source) {
  const std::string plain = withoutLoopPragmas(source);
  return Marker(plain).mark();
}

} // namespace tsk::profile
