// Expressions, types and paths on one line.
#include "compiler/support/Check.h"
#include "compiler/syntax/AstDump.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <fmt/format.h>

namespace tsk::ast {

static std::string joinNames(List<Name> parts) {
  std::string text;
  for (const Name &part : parts)
    text += (text.empty() ? "" : "::") + part.text.str();
  return text;
}

static std::string joinArgs(List<Arg> args) {
  std::string text;
  for (const Arg &arg : args) {
    if (!text.empty())
      text += ", ";
    if (arg.name)
      text += arg.name.text.str() + " = ";
    text += toString(*arg.value);
  }
  return text;
}

static std::string quoted(llvm::StringRef value) {
  std::string text = "\"";
  for (char c : value) {
    if (c == '"' || c == '\\')
      (text += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
      text += "\\x" + llvm::toHex(llvm::StringRef(&c, 1), /*LowerCase=*/true);
    else
      text += c;
  }
  return text + "\"";
}

// `a.b(c)[d]`, from left to right.
static std::string postfixChain(const Expr &last) {
  llvm::SmallVector<const Expr *> chain;
  const Expr *first = &last;
  for (const Expr *base = first; base; base = postfixBase(*first)) {
    first = base;
    chain.push_back(first);
  }
  std::string text = toString(*chain.pop_back_val());
  for (const Expr *link : llvm::reverse(chain)) {
    if (const auto *member = llvm::dyn_cast<MemberExpr>(link))
      text += "." + member->member.text.str();
    else if (const auto *call = llvm::dyn_cast<CallExpr>(link))
      text += "(" + joinArgs(call->args) + ")";
    else
      text += "[" + toString(*llvm::cast<IndexExpr>(link)->index) + "]";
  }
  return text;
}

// `((a + b) + c)`.
static std::string binaryChain(const Expr &last) {
  llvm::SmallVector<const BinaryExpr *> chain;
  const Expr *first = &last;
  for (; const auto *binary = llvm::dyn_cast<BinaryExpr>(first); first = binary->left)
    chain.push_back(binary);
  std::string text = std::string(chain.size(), '(') + toString(*first);
  for (const BinaryExpr *link : llvm::reverse(chain))
    text += " " + spelling(link->op).str() + " " + toString(*link->right) + ")";
  return text;
}

std::string toString(const Expr &expr) {
  switch (expr.kind) {
  case Expr::Kind::Int:
    return std::to_string(llvm::cast<IntExpr>(&expr)->value);
  case Expr::Kind::Float:
    return fmt::format("{}", llvm::cast<FloatExpr>(&expr)->value);
  case Expr::Kind::String:
    return quoted(llvm::cast<StringExpr>(&expr)->value);
  case Expr::Kind::Name:
    return joinNames(llvm::cast<NameExpr>(&expr)->parts);
  case Expr::Kind::Member:
  case Expr::Kind::Call:
  case Expr::Kind::Index:
    return postfixChain(expr);
  case Expr::Kind::Unary: {
    const auto *unary = llvm::cast<UnaryExpr>(&expr);
    return "(" + spelling(unary->op).str() + toString(*unary->operand) + ")";
  }
  case Expr::Kind::Binary:
    return binaryChain(expr);
  case Expr::Kind::Conditional: {
    const auto *conditional = llvm::cast<ConditionalExpr>(&expr);
    return "(" + toString(*conditional->condition) + " ? " + toString(*conditional->whenTrue) +
           " : " + toString(*conditional->whenFalse) + ")";
  }
  case Expr::Kind::Paren:
    return "(" + toString(*llvm::cast<ParenExpr>(&expr)->inner) + ")";
  case Expr::Kind::List:
    return "{" + joinArgs(llvm::cast<ListExpr>(&expr)->items) + "}";
  case Expr::Kind::Error:
    return "<error>";
  }
  TSK_UNREACHABLE("an expression has one of these kinds");
}

std::string toString(const Type &type) {
  std::string text = joinNames(type.name);
  if (type.hasArgs) {
    std::string args;
    for (const TypeArg &arg : type.args)
      args += (args.empty() ? "" : ", ") + (arg.type ? toString(*arg.type) : toString(*arg.expr));
    text += "<" + args + ">";
  }
  return text + std::string(type.pointerDepth, '*');
}

std::string toString(const Path &path) {
  std::string text;
  for (const PathPart &part : path.parts) {
    text += (text.empty() ? "" : ".") + part.name.text.str();
    if (part.index)
      text += "[" + toString(*part.index) + "]";
  }
  return text;
}

} // namespace tsk::ast
