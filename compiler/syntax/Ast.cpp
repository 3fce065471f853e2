#include "compiler/syntax/Ast.h"

namespace tsk::ast {

using llvm::StringLiteral;
using llvm::StringRef;

// Each table is in the order of its enum.
template <typename Enum, size_t N>
static StringRef look(const StringLiteral (&table)[N], Enum key) {
  return table[static_cast<size_t>(key)];
}

StringRef spelling(UnaryOp op) {
  static constexpr StringLiteral Table[] = {"-", "!", "~"};
  return look(Table, op);
}
StringRef spelling(BinaryOp op) {
  static constexpr StringLiteral Table[] = {
      "+", "-", "^", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
  return look(Table, op);
}
StringRef spelling(QueueKind kind) {
  static constexpr StringLiteral Table[] = {"static", "clc", "atomic"};
  return look(Table, kind);
}
StringRef spelling(GroupMode mode) {
  static constexpr StringLiteral Table[] = {"merge", "fork", "fused"};
  return look(Table, mode);
}

const Expr *postfixBase(const Expr &expr) {
  if (const auto *member = llvm::dyn_cast<MemberExpr>(&expr))
    return member->base;
  if (const auto *call = llvm::dyn_cast<CallExpr>(&expr))
    return call->callee;
  if (const auto *index = llvm::dyn_cast<IndexExpr>(&expr))
    return index->base;
  return nullptr;
}

} // namespace tsk::ast
