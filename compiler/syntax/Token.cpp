#include "compiler/syntax/Token.h"

#include "llvm/ADT/StringSwitch.h"

namespace tsk::syntax {

llvm::StringRef name(TokenKind kind) {
  static constexpr llvm::StringLiteral Names[] = {
#define TSK_TOKEN(Name, description) #Name,
#include "compiler/syntax/TokenKinds.def"
  };
  return Names[static_cast<size_t>(kind)];
}

llvm::StringRef describe(TokenKind kind) {
  static constexpr llvm::StringLiteral Descriptions[] = {
#define TSK_TOKEN(Name, description) description,
#include "compiler/syntax/TokenKinds.def"
  };
  return Descriptions[static_cast<size_t>(kind)];
}

TokenKind keywordKind(llvm::StringRef text) {
  return llvm::StringSwitch<TokenKind>(text)
#define TSK_KEYWORD(Name, spelling) .Case(spelling, TokenKind::Name)
#include "compiler/syntax/TokenKinds.def"
      .Default(TokenKind::Identifier);
}

llvm::ArrayRef<llvm::StringRef> contextualKeywords() {
  static const llvm::StringRef Words[] = {
#define TSK_CONTEXTUAL(spelling) spelling,
#include "compiler/syntax/TokenKinds.def"
  };
  return Words;
}

} // namespace tsk::syntax
