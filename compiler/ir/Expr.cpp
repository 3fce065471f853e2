#include "compiler/ir/Expr.h"
#include "compiler/ir/Fold.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::ir {

namespace {
struct OpInfo {
  llvm::StringRef spelling;
  int operands;
};
constexpr OpInfo Ops[] = {
#define TSK_EXPR(Name, Spelling, Operands) {Spelling, Operands},
#include "compiler/ir/ExprOps.def"
};
} // namespace

llvm::StringRef spelling(ExprOp op) { return Ops[static_cast<size_t>(op)].spelling; }
int operandCount(ExprOp op) { return Ops[static_cast<size_t>(op)].operands; }

llvm::StringRef spelling(Builtin builtin) {
  static constexpr llvm::StringRef Spellings[] = {
      "block.x",       "block.y",       "block.z",   "grid.x",    "grid.y",
      "grid.z",        "cluster.x",     "cluster.y", "cluster.z", "cluster.rank",
      "cluster.index", "cluster.count", "inst"};
  return Spellings[static_cast<size_t>(builtin)];
}

Uniformity uniformityOf(Builtin builtin) {
  switch (builtin) {
  case Builtin::GridX:
  case Builtin::GridY:
  case Builtin::GridZ:
  case Builtin::ClusterCount:
    return Uniformity::Kernel;
  case Builtin::ClusterIndex:
    return Uniformity::Cluster;
  case Builtin::BlockX:
  case Builtin::BlockY:
  case Builtin::BlockZ:
  case Builtin::ClusterX:
  case Builtin::ClusterY:
  case Builtin::ClusterZ:
  case Builtin::ClusterRank:
  case Builtin::Instance:
    return Uniformity::Cta;
  }
  TSK_UNREACHABLE("builtin outside its enumeration");
}

llvm::StringRef callee(const ValueTables &tables, const Expr &expr) {
  return expr.op == ExprOp::Call ? llvm::StringRef(tables.functions[expr.functionRef].name)
                                 : spelling(expr.op);
}

bool callsFunction(const ValueTables &tables, ExprId id) {
  const Expr &expr = tables.exprs[id];
  return expr.op == ExprOp::Call || llvm::any_of(expr.operands, [&](ExprId operand) {
           return callsFunction(tables, operand);
         });
}

std::optional<int64_t> constantValue(const ValueTables &tables, ExprId id) {
  Folded folded = foldExpr(tables, id);
  if (!folded || folded.constant.isReal())
    return std::nullopt;
  return folded.constant.value;
}

} // namespace tsk::ir
