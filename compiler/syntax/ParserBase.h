// What every parse function needs: looking at tokens, consuming them, saying what was expected,
// and finding the next place from which to go on.
#pragma once

#include "compiler/syntax/Ast.h"
#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/Parser.h"
#include "compiler/syntax/TokenTrace.h"

namespace tsk::syntax {

class ParserBase {
protected:
  // Where a list of items stands: decides what may begin one and to whom a keyword belongs.
  enum class Scope : uint8_t { File, Kernel, Resource, Schedule, Test, Plain };

  ParserBase(const SourceManager &sources, SourceLoc buffer, SyntaxErrors &errors, ast::File &file,
             TokenTrace *trace);

  // ---- Tokens
  const Token &tok() { return peek(0); }
  // Never look past a `{` that may open a C++ body: what follows is not made of our tokens.
  const Token &peek(unsigned ahead);
  bool at(TokenKind kind) { return tok().is(kind); }
  bool atWord(llvm::StringRef word) { return tok().isWord(word); }
  bool atEnd() { return at(TokenKind::EndOfFile); }
  Token consume();
  bool accept(TokenKind kind);
  bool acceptWord(llvm::StringRef word);
  // `<-`, which elsewhere is two tokens.
  bool acceptBackArrow();
  SourceLoc previousEnd() const { return lastEnd; }
  SourceRange from(SourceLoc begin) const { return {begin, std::max(begin, lastEnd)}; }

  // ---- Notes for the formatter
  void beginItem(bool ownLine = false);
  void gap(TracedToken::Gap before) { pendingGap = before; } // of the token consumed next
  void tightAfter();                                         // of the token consumed last
  void breaksAfter();

  // ---- Expectations. Each reports what was found instead and returns false or nothing.
  // `what` says what the token belongs to: "after the condition".
  bool expect(TokenKind kind, llvm::StringRef what);
  bool expectWord(llvm::StringRef word, llvm::StringRef what);
  // The `;` that ends an item. Where it was merely forgotten, reports that and returns true.
  bool expectSemicolon(llvm::StringRef what);
  // `what` is what gets the name: "the resource". Empty after an error.
  ast::Name expectName(llvm::StringRef what);
  // The same for a position where a name begins a type or an expression: "a type".
  bool expectNameFor(llvm::StringRef what);
  // One of several words; its index, or none. `what`: "after `signal`".
  std::optional<unsigned> expectOneOf(llvm::ArrayRef<llvm::StringRef> words, llvm::StringRef what);
  bool openBlock(llvm::StringRef what);
  // The closing brace; `open` is its partner, for the message.
  bool closeBlock(SourceRange open);
  std::optional<ast::Body> expectBody(llvm::StringRef what);

  // "expected {what}, found …", or a better message where the token tells what was meant.
  void unexpected(llvm::StringRef what);
  // How a message speaks of the present token.
  std::string found();
  std::string seen(); // the same, without saying that a keyword is one
  bool reportForeign();
  // The two tokens of a shift, which the language does not have.
  bool reportShift();
  // "; did you mean `x`?", or nothing; the fix goes to the report.
  std::string suggestion(llvm::ArrayRef<llvm::StringRef> words);
  void addFix(ReportBuilder &report, llvm::ArrayRef<llvm::StringRef> words);
  template <typename... Args>
  ReportBuilder error(SourceRange range, const Diagnostic<Args...> &diagnostic,
                      const std::type_identity_t<Args> &...args) {
    // A second error at the same token only repeats the first.
    errors.muted = consumedTokens == errorPosition;
    errorPosition = consumedTokens;
    ReportBuilder builder = errors.report(range, diagnostic, args...);
    errors.muted = false;
    return builder;
  }

  // The token consumed last was already reported to be broken: an error after it is its fault.
  void excuseNext() { errorPosition = consumedTokens; }

  // ---- Recovery
  // Skips to a place where an item of `scope` or of one around it may begin, or to a `}`. `start`
  // is the progress() at which the item that failed began.
  void recover(Scope scope, unsigned start);
  // Skips to the `{` of a construct whose head could not be read; false where there is none.
  bool recoverToBlock();
  // Skips the rest of a list, up to its closing mark, which stays.
  void recoverInList(TokenKind close);
  void skipBraces();
  // A keyword that begins an item of a scope around `scope`: a `}` is missing, or the declaration
  // stands in the wrong place. Returns true where the block that `open` began must end here.
  bool endsUnclosedBlock(Scope scope, SourceRange open);
  bool startsItem(Scope scope);
  unsigned progress() const { return consumedTokens; }

  // ---- Nesting
  class Nesting {
  public:
    explicit Nesting(ParserBase &owner) : parser(owner) {
      if (++parser.depth > MaxNesting)
        parser.reportTooDeep();
    }
    ~Nesting() { --parser.depth; }
    Nesting(const Nesting &) = delete;
    Nesting &operator=(const Nesting &) = delete;
    explicit operator bool() const { return parser.depth <= MaxNesting; }

  private:
    ParserBase &parser;
  };
  void reportTooDeep();
  void reportUnclosed(SourceRange open);

  // ---- Making nodes
  template <typename Node> Node *make() { return file.make<Node>(); }
  template <typename Node> const Node *done(Node *node, SourceLoc begin) {
    node->range = from(begin);
    return node;
  }
  static ast::Name nameOf(const Token &token) { return {token.text, token.range}; }

  const SourceManager &sources;
  SyntaxErrors &errors;
  ast::File &file;

private:
  unsigned indentOf(SourceLoc loc) const;
  void traceToken(const Token &token);

  Lexer lexer;
  TokenTrace *trace;
  llvm::SmallVector<Token, 4> ahead; // ahead[0] is the current token
  SourceLoc lastEnd;
  TokenKind lastKind = TokenKind::Semicolon;
  unsigned consumedTokens = 0;
  unsigned errorPosition = ~0u;
  unsigned depth = 0;
  TracedToken::Gap pendingGap = TracedToken::Gap::Auto;
  bool pendingItem = false;
  bool pendingOwnLine = false;
};

} // namespace tsk::syntax
