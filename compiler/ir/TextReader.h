// Reads the text form of the task graph and of the plan: tokens and the few shapes that both use.
//
// The first error is reported and ends the reading: from then on every token is the end of the
// text, nothing else is reported and every loop over tokens comes to its end by itself. A reader of
// a construct therefore asks `failed()` only where it would otherwise act on what it has read.
#pragma once

#include "compiler/ir/IrDiagnostics.h"
#include "compiler/support/Source.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace tsk::ir {

struct TextToken {
  // Word: a name, dots not included. Number: 12, 5L, 0.5, 1e-3f. String: "…".
  enum class Kind : uint8_t { End, Word, Number, String, Punctuation };
  Kind kind = Kind::End;
  llvm::StringRef text;
  SourceRange range;
};

class TextReader {
public:
  // Reads the buffer that holds `begin`, from there.
  TextReader(SourceManager &sources, SourceLoc begin, DiagnosticEngine &diagnostics);

  const TextToken &peek() const { return current; }
  TextToken take();
  bool atEnd() const { return current.kind == TextToken::Kind::End; }
  // Words and punctuation by their spelling. Punctuation is `..` `->` `::` `==` `!=` `<=` `>=`
  // `&&` `||` or one character.
  bool at(llvm::StringRef spelling) const;
  bool accept(llvm::StringRef spelling);
  bool expect(llvm::StringRef spelling);

  // Each takes one item or reports that `what` was expected.
  TextToken word(llvm::StringRef what);
  std::string name(llvm::StringRef what) { return word(what).text.str(); }
  std::string dottedName(llvm::StringRef what); // box.data
  int64_t integer(llvm::StringRef what, int64_t low = 0, int64_t high = INT64_MAX);
  std::string string(llvm::StringRef what); // a quoted string, escapes resolved
  // `{` text `}`: C++ text, verbatim; stands behind the brace afterwards.
  std::string braced(SourceRange &range);
  // A C++ type: the text up to `,` `)` `=` `;` or `{` outside brackets.
  std::string typeText(llvm::StringRef what);
  // open item, item, … close; an empty list is fine.
  void list(llvm::StringRef open, llvm::StringRef close, llvm::function_ref<void()> item);

  // Reports at the current token and ends the reading.
  void unexpected(llvm::StringRef what);
  template <typename... Args>
  void fail(SourceRange range, const Diagnostic<Args...> &diagnostic,
            const std::type_identity_t<Args> &...args) {
    if (!hasFailed)
      diags.report(range, diagnostic, args...);
    stop();
  }
  bool failed() const { return hasFailed; }
  SourceRange rangeFrom(SourceLoc begin) const { return {begin, lastEnd}; }

private:
  void advance();
  void stop();
  void skipSpace();

  DiagnosticEngine &diags;
  llvm::StringRef text;
  SourceLoc origin;
  size_t position = 0; // behind `current`
  TextToken current;
  SourceLoc lastEnd; // of the token before `current`
  bool hasFailed = false;
};

// Shared by the readers of both text forms.
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> TextUnknownName{kind::TextUnknownName,
                                                                              "unknown {} `{}`"};
inline constexpr Diagnostic<llvm::StringRef> TextDuplicateName{kind::TextDuplicateName,
                                                               "`{}` is declared twice"};
inline constexpr Diagnostic<llvm::StringRef> TextTypeMismatch{
    kind::TextTypeMismatch, "the operands of `{}` have types that do not go together"};

} // namespace tsk::ir
