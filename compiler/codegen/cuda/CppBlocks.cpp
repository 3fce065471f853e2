// The user's text at namespace scope. Two files may define the same names there, so it stands in an
// unnamed namespace; what it includes does not: around an `#include` the namespace is closed.
#include "compiler/codegen/cuda/UserText.h"

#include "compiler/ir/CppText.h"

namespace tsk::codegen {

namespace {

// A run of lines: directives that include, with the comments behind them, or anything else.
struct Piece {
  size_t begin = 0, end = 0;
  bool isInclude = false;
};

class PieceFinder {
public:
  explicit PieceFinder(llvm::StringRef t) : text(t), lexer(t) {}

  std::vector<Piece> find() {
    for (next(); token.kind != ir::CppToken::Kind::End; next())
      if (isInclude()) {
        startPiece(lineOf(before), true);
        skipDirective();
      }
    endPiece(text.size());
    return std::move(pieces);
  }

private:
  void next() {
    before = token;
    token = lexer.next();
    const llvm::StringRef bracket = ir::spelledOut(token.text);
    depth += bracket == "{" || bracket == "(" || bracket == "[";
    depth -= bracket == "}" || bracket == ")" || bracket == "]";
  }

  // At namespace scope: what stands inside of brackets belongs there.
  bool isInclude() const {
    return depth == 0 && before.is("#") && (token.is("include") || token.is("include_next")) &&
           text.slice(lineOf(before), before.offset).trim().empty();
  }

  size_t lineOf(const ir::CppToken &of) const {
    const size_t end = text.rfind('\n', of.offset);
    return end == llvm::StringRef::npos ? 0 : end + 1;
  }

  // To the first line behind that has a token which is not an include.
  void skipDirective() {
    bool isContinued = true;
    while (isContinued && token.kind != ir::CppToken::Kind::End) {
      next();
      const llvm::StringRef between =
          text.slice(before.offset + before.text.size(), token.offset).rtrim(" \t");
      isContinued = !between.contains('\n') || between.trim() == "\\";
    }
    if (token.kind != ir::CppToken::Kind::End)
      startPiece(lineOf(token), false);
  }

  void startPiece(size_t at, bool isInclude) {
    endPiece(at);
    begin = at;
    inInclude = isInclude;
  }
  void endPiece(size_t at) {
    if (text.slice(begin, at).trim().empty())
      return;
    if (!pieces.empty() && pieces.back().isInclude == inInclude)
      pieces.back().end = at;
    else
      pieces.push_back({begin, at, inInclude});
  }

  llvm::StringRef text;
  ir::CppLexer lexer;
  ir::CppToken token, before;
  int depth = 0;
  size_t begin = 0; // of the piece so far
  bool inInclude = false;
  std::vector<Piece> pieces;
};

} // namespace

// Behind `#else` and `#endif`, where directives for lines may have been skipped, text goes on with
// its own number.
static std::vector<llvm::StringRef> conditionalParts(llvm::StringRef text) {
  std::vector<llvm::StringRef> parts;
  size_t begin = 0;
  for (size_t line = 0; line < text.size();) {
    const size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
    llvm::StringRef directive = text.slice(line, end).ltrim();
    if (directive.consume_front("#") &&
        (directive.ltrim().starts_with("el") || directive.ltrim().starts_with("endif"))) {
      parts.push_back(text.slice(begin, end));
      begin = end;
    }
    line = end;
  }
  parts.push_back(text.drop_front(begin));
  return parts;
}

void emitCppBlocks(Writer &out, const ir::Module &module, const SourceManager &sources,
                   const CudaOptions &options) {
  for (const ir::CppBlock &block : module.cpp) {
    const llvm::StringRef whole = block.text;
    const SourceLoc begin = textBegin(whole, block.loc, sources);
    for (const Piece &piece : PieceFinder(whole).find()) {
      if (!piece.isInclude)
        out.line("namespace {");
      for (llvm::StringRef text : conditionalParts(whole.slice(piece.begin, piece.end)))
        emitUserText(out, text,
                     begin.isValid() ? begin.advanced(text.data() - whole.data()) : begin, sources,
                     options);
      if (!piece.isInclude)
        out.line("} // namespace");
    }
    out.blank();
  }
}

} // namespace tsk::codegen
