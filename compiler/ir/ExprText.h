// Expressions in the text form of the task graph and of the plan, both ways. Precedence is the
// language's, literals are C++'s: 5, 5L, 5u, 5uL, 0.5, 0.5f, and
// u8(5) for what has no suffix.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/TextReader.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::ir {

// By id. Constants may be left out: their values are printed then.
struct ExprNames {
  std::vector<std::string> scalars;
  std::vector<std::string> constants;
};

void printExpr(llvm::raw_ostream &os, const ValueTables &tables, const ExprNames &names, ExprId id);
void printExprs(llvm::raw_ostream &os, const ValueTables &tables, const ExprNames &names,
                llvm::ArrayRef<ExprId> ids); // a, b, c
void printConstant(llvm::raw_ostream &os, const ConstantScalar &constant);
// As the schedules spell it: `f16`, or C++ text.
void printType(llvm::raw_ostream &os, const Type &type);
// A quoted string, with escapes.
void printString(llvm::raw_ostream &os, llvm::StringRef text);

// What the names in an expression stand for. Names of values are unique in a task, so one flat map,
// emptied where a task begins, will do.
struct ExprScope {
  struct NamedConstant {
    ConstantId id;
    ConstantScalar value;
  };
  struct NamedScalar {
    ScalarId id;
    Type type;
  };
  llvm::StringMap<NamedScalar> scalars;
  llvm::StringMap<NamedConstant> constants;
  llvm::StringMap<ValueId> values;
  llvm::StringMap<FunctionId> functions;
};

// An invalid id after an error.
ExprId readExpr(TextReader &reader, ValueTables &tables, const ExprScope &scope);
// `at (cluster.rank ^ 1)`, if it stands there.
ExprId readPeer(TextReader &reader, ValueTables &tables, const ExprScope &scope);
ConstantScalar readConstant(TextReader &reader); // a literal, with `-` or without
Type readType(TextReader &reader);
// `(i32, i32) -> (i32)`, behind a function's name.
Signature readSignature(TextReader &reader, llvm::StringRef name);
void printSignature(llvm::raw_ostream &os, const Signature &signature); // with the name

} // namespace tsk::ir
