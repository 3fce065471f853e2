// Names, expressions, types and parameters of the syntax tree. Include Ast.h.
#pragma once

#include "compiler/support/Source.h"
#include "compiler/support/Words.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Casting.h"

#include <optional>

namespace tsk::ast {

using words::Across;
using words::Direction;
using words::IssueBy;
using words::Mechanism;
using words::PerUnit;
using words::SpaceKind;
using words::spelling;
using words::Swizzle;
using words::WorkKind;

template <typename T> using List = llvm::ArrayRef<T>;

// An identifier as written. Empty text: absent (an optional name) or missing (after an error).
struct Name {
  llvm::StringRef text;
  SourceRange range;
  explicit operator bool() const { return !text.empty(); }
};

// C++ text between braces. `range` includes the braces, `text` does not.
struct Body {
  llvm::StringRef text;
  SourceRange range;
  SourceLoc textBegin() const { return range.begin.advanced(1); }
};

// ---- Expressions ------------------------------------------------------------------------------

enum class UnaryOp : uint8_t { Negate, Not, Complement };
enum class BinaryOp : uint8_t { Add, Sub, Xor, Mul, Div, Rem, Eq, Ne, Lt, Le, Gt, Ge, And, Or };
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(BinaryOp op);

struct Expr {
  enum class Kind : uint8_t {
    Int,
    Float,
    String,
    Name,
    Member,
    Call,
    Index,
    Unary,
    Binary,
    Conditional,
    Paren,
    List,
    Error
  };
  Kind kind;
  // Levels of nesting from here down, which the parser bounds. What a chain `a + b + c` or
  // `a.b().c` repeats is one level, however long it is: walk along it in a loop.
  uint16_t height = 1;
  SourceRange range;

protected:
  explicit Expr(Kind k) : kind(k) {}
};

#define TSK_AST_NODE(Class, Base)                                                                  \
  static bool classof(const Base *node) { return node->kind == Kind::Class; }

struct IntExpr : Expr { // 128, 0x80, 1'000
  IntExpr() : Expr(Kind::Int) {}
  uint64_t value = 0;
  TSK_AST_NODE(Int, Expr)
};
struct FloatExpr : Expr { // spelled text; value as a double
  FloatExpr() : Expr(Kind::Float) {}
  double value = 0;
  TSK_AST_NODE(Float, Expr)
};
struct StringExpr : Expr { // value without quotes, escapes resolved
  StringExpr() : Expr(Kind::String) {}
  llvm::StringRef value;
  TSK_AST_NODE(String, Expr)
};
struct NameExpr : Expr { // a or a::b::c
  NameExpr() : Expr(Kind::Name) {}
  List<Name> parts; // at least one
  TSK_AST_NODE(Name, Expr)
};
struct MemberExpr : Expr { // base.name
  MemberExpr() : Expr(Kind::Member) {}
  const Expr *base = nullptr;
  Name member;
  TSK_AST_NODE(Member, Expr)
};
struct Arg { // expr or name = expr
  Name name;
  const Expr *value = nullptr;
  SourceRange range;
};
struct CallExpr : Expr { // callee(args)
  CallExpr() : Expr(Kind::Call) {}
  const Expr *callee = nullptr;
  List<Arg> args;
  TSK_AST_NODE(Call, Expr)
};
struct IndexExpr : Expr { // base[index]
  IndexExpr() : Expr(Kind::Index) {}
  const Expr *base = nullptr;
  const Expr *index = nullptr;
  TSK_AST_NODE(Index, Expr)
};
struct UnaryExpr : Expr {
  UnaryExpr() : Expr(Kind::Unary) {}
  UnaryOp op = UnaryOp::Negate;
  const Expr *operand = nullptr;
  TSK_AST_NODE(Unary, Expr)
};
struct BinaryExpr : Expr {
  BinaryExpr() : Expr(Kind::Binary) {}
  BinaryOp op = BinaryOp::Add;
  SourceRange opRange;
  const Expr *left = nullptr;
  const Expr *right = nullptr;
  TSK_AST_NODE(Binary, Expr)
};
struct ConditionalExpr : Expr { // c ? a : b
  ConditionalExpr() : Expr(Kind::Conditional) {}
  const Expr *condition = nullptr;
  const Expr *whenTrue = nullptr;
  const Expr *whenFalse = nullptr;
  TSK_AST_NODE(Conditional, Expr)
};
struct ParenExpr : Expr {
  ParenExpr() : Expr(Kind::Paren) {}
  const Expr *inner = nullptr;
  TSK_AST_NODE(Paren, Expr)
};
struct ListExpr : Expr { // { a, b }
  ListExpr() : Expr(Kind::List) {}
  List<Arg> items;
  TSK_AST_NODE(List, Expr)
};
// What a member, a call or an index stands behind; null for any other expression.
const Expr *postfixBase(const Expr &expr);
struct ErrorExpr : Expr { // stands where no expression could be read; already reported
  ErrorExpr() : Expr(Kind::Error) {}
  TSK_AST_NODE(Error, Expr)
};

// ---- Types, paths, parameters -----------------------------------------------------------------

struct Type;
struct TypeArg { // exactly one is set; a lone name is a type (sema decides)
  const Type *type = nullptr;
  const Expr *expr = nullptr;
};
struct Type {      // tsk::array<f16, BOX>*
  List<Name> name; // qualified name, at least one part
  List<TypeArg> args;
  bool hasArgs = false; // `a<>` has arguments, none of them
  unsigned pointerDepth = 0;
  SourceRange range;
};

struct PathPart {
  Name name;
  const Expr *index = nullptr; // set: name[index]
};
struct Path { // operands.a, Math[0], s[1].c
  List<PathPart> parts;
  SourceRange range;
};

struct Param { // of works, functions, schedules
  bool isConst = false;
  bool isUniform = false;
  Name name;
  const Type *type = nullptr;
  SourceRange range;
};

struct CompileTimeParam { // <BM = 128, T: type>
  Name name;
  const Type *type = nullptr;         // optional
  const Expr *defaultValue = nullptr; // optional
  SourceRange range;
};

struct TemplateArg { // BM = 64
  Name name;
  const Expr *value = nullptr;
  SourceRange range;
};

struct KernelParam { // in A: tensor<bf16>[M, K] strides [s0, s1] from host; ptr<f32>; i32
  enum class Shape : uint8_t { Tensor, Pointer, Scalar };
  Direction direction = Direction::None;
  Name name;
  Shape shape = Shape::Scalar;
  const Type *type = nullptr; // element type of tensors and pointers
  List<const Expr *> dims;
  List<const Expr *> strides; // empty: packed
  bool fromHost = false;
  SourceRange range;
};

} // namespace tsk::ast
