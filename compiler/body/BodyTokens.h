// The tokens of one body, with the questions that its readers ask about them.
#pragma once

#include "compiler/ir/CppText.h"
#include "compiler/ir/Kernel.h"

#include "llvm/ADT/StringSet.h"

#include <vector>

namespace tsk::body {

class BodyTokens {
public:
  explicit BodyTokens(const ir::Work &work);

  size_t size() const { return tokens.size(); }
  const ir::CppToken &operator[](size_t i) const { return tokens[i]; }
  bool is(size_t i, llvm::StringRef spelling) const {
    return i < tokens.size() && tokens[i].text == spelling;
  }
  bool isIdentifier(size_t i) const {
    return i < tokens.size() && tokens[i].kind == ir::CppToken::Kind::Identifier;
  }
  SourceRange range(size_t i) const { return range(i, i); }
  SourceRange range(size_t first, size_t last) const;

  // An identifier that stands for itself: not behind `.`, `->` or `::`.
  bool isFree(size_t i) const;
  // `tsk::name` with `name` at i.
  bool isDeviceFunction(size_t i) const;
  // A string that is the text of an `asm` statement.
  bool isAsmText(size_t i) const;
  // Whether the body seems to declare this name itself.
  bool isLocal(llvm::StringRef name) const { return locals.contains(name); }
  // Whether the name whose last token is at i is assigned: `x =`, `x(…) +=`, `x[…][…] =`, `++x`.
  bool isAssigned(size_t i) const;
  // `[` of `[&] { … }`.
  bool opensLambda(size_t i) const;
  // `again:`, where a `goto` may lead.
  bool isLabel(size_t i) const;

  // A free name that is not the body's own: neither a local nor a label.
  bool isOuter(size_t i) const;

private:
  void findLocals();
  size_t skipGroup(size_t open) const; // the index behind the matching bracket

  std::vector<ir::CppToken> tokens;
  llvm::StringSet<> locals;
  SourceLoc textBegin;
};

// Whether the body names what `name` means outside it: not a member, a local, a label or a
// parameter.
bool namesFreely(const ir::Work &work, llvm::StringRef name);

} // namespace tsk::body
