// Expressions: names to ids, types, uniformity; constants are folded on the way.
//
// Every function reports what is wrong and returns an invalid id then; callers pass that on without
// another word. One mistake, one message.
#pragma once

#include "compiler/sema/Scope.h"

namespace tsk::sema {

// What an expression may do besides computing: a schedule calls works in it.
class WorkCaller {
public:
  virtual ~WorkCaller() = default;
  // `r.work(args)` as an operand: emits the call and returns its one result.
  virtual ir::ExprId callAsOperand(const ast::CallExpr &call) = 0;
};

// Where the functions of a kernel come from: each is made when it is first called.
class FunctionTable {
public:
  virtual ~FunctionTable() = default;
  // Nothing after a report.
  virtual std::optional<ir::FunctionId> find(const Symbol &function) = 0;
};

class ExprResolver {
public:
  ExprResolver(Context &semaContext, ir::ValueTables &valueTables, const Scope &names,
               WorkCaller *workCaller = nullptr, FunctionTable *functionTable = nullptr)
      : context(semaContext), tables(valueTables), scope(names), works(workCaller),
        functions(functionTable) {}

  ir::ExprId resolve(const ast::Expr *expr);
  // Of type bool; `what` says what for: "the condition".
  ir::ExprId resolveCondition(const ast::Expr *expr, llvm::StringRef what);
  // Of an integer type.
  ir::ExprId resolveInteger(const ast::Expr *expr, llvm::StringRef what);

  // Known while compiling.
  std::optional<ir::ConstantScalar> constant(const ast::Expr *expr, llvm::StringRef what);
  std::optional<int64_t> constantInteger(const ast::Expr *expr, llvm::StringRef what, int64_t low,
                                         int64_t high);
  std::optional<bool> constantCondition(const ast::Expr *expr, llvm::StringRef what);
  // What `static if` takes of a chain: the first branch whose condition holds, or what stands
  // behind `else`. Nothing after a report.
  template <typename Content>
  std::optional<Content> takenBranch(ast::List<ast::Branch<Content>> branches,
                                     const Content &otherwise) {
    for (const ast::Branch<Content> &branch : branches) {
      auto taken = constantCondition(branch.condition, "the condition of `static if`");
      if (!taken || *taken)
        return taken ? std::optional(branch.content) : std::nullopt;
    }
    return otherwise;
  }
  // The scalar type that a lone name stands for (`T = f16`), if it is one. Reports nothing.
  std::optional<ir::ScalarType> typeName(const ast::Expr *expr) const;

  // `value` as a `type`: unchanged, converted if it is constant, or reported; `what` is "argument
  // `row` of `box.load`".
  ir::ExprId convertTo(ir::ExprId value, const ir::Type &type, SourceRange range,
                       llvm::StringRef what);

  std::optional<ir::ConstantScalar> constantOf(ir::ExprId id) const;
  ir::Uniformity uniformity(ir::ExprId id) const { return tables.exprs[id].uniformity; }
  const ir::Type &type(ir::ExprId id) const { return tables.exprs[id].type; }

private:
  ir::ExprId resolveName(const ast::NameExpr &name);
  ir::ExprId reference(const Symbol &symbol, SourceRange range);
  ir::ExprId copyOf(ir::ExprId id, SourceRange range);
  ir::ExprId resolveMember(const ast::MemberExpr &member);
  ir::ExprId resolveCall(const ast::CallExpr &call);
  ir::ExprId resolveFunctionCall(const ast::CallExpr &call, const Symbol &symbol);
  ir::ExprId resolveBuiltinCall(const ast::CallExpr &call, ir::ExprOp op);
  ir::ExprId resolveLoopFunction(const ast::CallExpr &call, ir::ExprOp op);
  ir::ExprId foldLoopFunction(const ast::CallExpr &call, ir::ExprOp op, const Symbol &variable);
  ir::ExprId resolveBinary(const ast::BinaryExpr &last);
  ir::ExprId resolveOperation(const ast::BinaryExpr &binary, ir::ExprId left);
  ir::ExprId resolveConditional(const ast::ConditionalExpr &conditional);
  ir::ExprId resolveUnevaluated(const ast::Expr *expr);
  ir::ExprId apply(ir::ExprOp op, llvm::ArrayRef<ir::ExprId> operands, SourceRange range);
  bool checkDepth(ir::ExprId id, SourceRange range);
  bool checkComparedReals(ir::ExprOp op, llvm::ArrayRef<ir::ExprId> operands);
  ir::ScalarType computedIn(ir::ExprOp op, llvm::ArrayRef<ir::ExprId> operands) const;
  static llvm::StringRef widerThan(ir::ScalarType type);
  bool checkConstantOperands(ir::ExprOp op, llvm::ArrayRef<ir::ExprId> operands, SourceRange range);
  void reportOperands(ir::ExprOp op, llvm::ArrayRef<ir::ExprId> operands, SourceRange range);
  void reportNotConstant(ir::ExprId id, SourceRange range, llvm::StringRef what);
  bool checkArgumentCount(const ast::CallExpr &call, llvm::StringRef callee, size_t expected);

  Context &context;
  ir::ValueTables &tables;
  const Scope &scope;
  WorkCaller *works;
  FunctionTable *functions; // null outside kernels
  // Above 0 in operands that the program never reaches: `N != 0 && M / N > 1` with N = 0.
  unsigned unevaluated = 0;
  // Above 0 where a work must not be called: its call would come before the condition.
  unsigned conditional = 0;
};

// `a` or `p::a`. Null after reporting.
const Symbol *lookUpQualified(Context &context, const Scope &scope, ast::List<ast::Name> parts);

// For calls whose arguments go by position.
void reportNamedArgument(Context &context, const ast::Arg &arg, llvm::StringRef callee);

// min, max, ceil_div, first, last, every.
bool isBuiltinFunction(llvm::StringRef name);

// "`i32`", "`tsk::array<tsk::f16, 64>`".
std::string quoted(const ir::Type &type);

} // namespace tsk::sema
