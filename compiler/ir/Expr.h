// Expressions and values of one kernel instance: id-indexed tables, shared by the task graph (IR)
// and the plan so that ids mean the same in both.
#pragma once

#include "compiler/ir/Ids.h"
#include "compiler/ir/Limits.h"
#include "compiler/ir/Types.h"
#include "compiler/support/Source.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tsk::ir {

using ExprId = Id<struct ExprTag>;
using ValueId = Id<struct ValueTag>;
using ScalarId = Id<struct ScalarTag>; // kernel-uniform integers and scalars, see Kernel::scalars
using ConstantId = Id<struct ConstantTag>; // named compile-time constants, see Kernel::constants
using FunctionId = Id<struct FunctionTag>; // functions of the user's, see Kernel::functions

enum class ExprOp : uint8_t {
#define TSK_EXPR(Name, Spelling, Operands) Name,
#include "compiler/ir/ExprOps.def"
};
llvm::StringRef spelling(ExprOp op);
int operandCount(ExprOp op); // -1: any

// Names that an expression can spell without a declaration. x, y, z are consecutive.
enum class Builtin : uint8_t {
  BlockX,
  BlockY,
  BlockZ, // this CTA's index in the grid
  GridX,
  GridY,
  GridZ, // the grid's extent in CTAs
  ClusterX,
  ClusterY,
  ClusterZ,     // this CTA's place in its cluster
  ClusterRank,  // the same as one number
  ClusterIndex, // which cluster it is along the grid's first axis
  ClusterCount, // how many there are
  Instance      // index of a task's instance (`inst`)
};
llvm::StringRef spelling(Builtin builtin); // "block.x"
Uniformity uniformityOf(Builtin builtin);

struct Expr {
  ExprOp op = ExprOp::IntConst;
  uint16_t depth = 1; // levels of operations, at most MaxExprDepth; set by makeExpr and makeCall
  Type type;
  Uniformity uniformity = Uniformity::Const;
  llvm::SmallVector<ExprId, 2> operands;
  int64_t value = 0;
  double real = 0;
  ScalarId scalarRef;
  ValueId valueRef;
  FunctionId functionRef;
  Builtin builtin = Builtin::BlockX;
  // IntConst, FloatConst, BoolConst: the constant by whose name it was written, so that what we
  // emit reads `r += BOX` rather than `r += 64`. The value above is what counts.
  ConstantId constantRef;
  SourceRange loc;
};

// A named value of a schedule. Loop variables, `let`s and results are assigned once, `var`s often.
struct Value {
  enum class Kind : uint8_t { LoopVariable, Let, Var, Result };
  // Unique within its task and different from the kernel's names; valid as a C++ identifier. Two
  // tasks may both have an `r`: each is a scope of its own in what we emit.
  std::string name;
  Kind kind = Kind::Let;
  Type type;
  Uniformity uniformity = Uniformity::Cta;
  SourceRange loc;
};

// What an expression needs to know of a function. What it computes is C++ and known to nobody here.
struct Signature {
  std::string name;
  std::vector<Type> params;
  Type result;
  // A name in its body that may stand for something that changes. Empty: it is pure, so that equal
  // arguments give equal results.
  std::string changesBy;
};

struct ValueTables {
  Table<ExprId, Expr> exprs;
  Table<ValueId, Value> values;
  Table<FunctionId, Signature> functions;
};

// What a text writes before the operands: `+`, `min`, a function's name.
llvm::StringRef callee(const ValueTables &tables, const Expr &expr);
// Whether a function of the user's is called in it: then only the GPU can compute it.
bool callsFunction(const ValueTables &tables, ExprId id);

// The value of a constant integer or boolean expression, if it is one.
std::optional<int64_t> constantValue(const ValueTables &tables, ExprId id);

} // namespace tsk::ir
