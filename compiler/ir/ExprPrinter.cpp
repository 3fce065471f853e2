#include "compiler/ir/ExprText.h"

namespace tsk::ir {

namespace {

// Higher binds tighter. Everything that is not listed is written as a call or a leaf.
enum Precedence { Lowest, Conditional, Or, And, Relation, Xor, Sum, Product, Unary, Primary };

Precedence precedenceOf(ExprOp op) {
  switch (op) {
  case ExprOp::Select:
    return Conditional;
  case ExprOp::Or:
    return Or;
  case ExprOp::And:
    return And;
  case ExprOp::Eq:
  case ExprOp::Ne:
  case ExprOp::Lt:
  case ExprOp::Le:
  case ExprOp::Gt:
  case ExprOp::Ge:
    return Relation;
  case ExprOp::Xor:
    return Xor;
  case ExprOp::Add:
  case ExprOp::Sub:
    return Sum;
  case ExprOp::Mul:
  case ExprOp::Div:
  case ExprOp::Rem:
    return Product;
  case ExprOp::Negate:
  case ExprOp::Not:
  case ExprOp::Complement:
    return Unary;
  default:
    return Primary;
  }
}

class Printer {
public:
  Printer(llvm::raw_ostream &stream, const ValueTables &valueTables, const ExprNames &exprNames)
      : os(stream), tables(valueTables), names(exprNames) {}

  void print(ExprId id, Precedence context = Lowest) {
    const Expr &expr = tables.exprs[id];
    Precedence own = precedenceOf(expr.op);
    bool parenthesised = own < context;
    if (parenthesised)
      os << '(';
    printBare(expr, own);
    if (parenthesised)
      os << ')';
  }

private:
  void printBare(const Expr &expr, Precedence own) {
    switch (own) {
    case Conditional:
      print(expr.operands[0], Or);
      os << " ? ";
      print(expr.operands[1], Conditional);
      os << " : ";
      return print(expr.operands[2], Conditional);
    case Unary:
      os << spelling(expr.op);
      return printOperand(expr.operands[0]);
    case Primary:
      return printPrimary(expr);
    default: // binary, left to right
      print(expr.operands[0], own);
      os << ' ' << spelling(expr.op) << ' ';
      return print(expr.operands[1], static_cast<Precedence>(own + 1));
    }
  }

  // -5 is a literal, -(5) and -(-x) are not.
  void printOperand(ExprId id) {
    const Expr &expr = tables.exprs[id];
    bool isLiteral = (expr.op == ExprOp::IntConst || expr.op == ExprOp::FloatConst) &&
                     !(expr.constantRef && expr.constantRef.index < names.constants.size());
    if (!isLiteral)
      return print(id, Primary);
    os << '(';
    print(id);
    os << ')';
  }

  void printPrimary(const Expr &expr) {
    switch (expr.op) {
    case ExprOp::IntConst:
    case ExprOp::FloatConst:
    case ExprOp::BoolConst:
      if (expr.constantRef && expr.constantRef.index < names.constants.size())
        os << names.constants[expr.constantRef.index];
      else
        printConstant(os, {expr.type.scalar, expr.value, expr.real});
      return;
    case ExprOp::Scalar:
      TSK_CHECK(expr.scalarRef.index < names.scalars.size(), "scalar without a name");
      os << names.scalars[expr.scalarRef.index];
      return;
    case ExprOp::Value:
      os << tables.values[expr.valueRef].name;
      return;
    case ExprOp::Builtin:
      os << spelling(expr.builtin);
      return;
    default:
      os << callee(tables, expr) << '(';
      printExprs(os, tables, names, expr.operands);
      os << ')';
    }
  }

  llvm::raw_ostream &os;
  const ValueTables &tables;
  const ExprNames &names;
};

} // namespace

void printExpr(llvm::raw_ostream &os, const ValueTables &tables, const ExprNames &names,
               ExprId id) {
  Printer(os, tables, names).print(id);
}

void printExprs(llvm::raw_ostream &os, const ValueTables &tables, const ExprNames &names,
                llvm::ArrayRef<ExprId> ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    os << (i ? ", " : "");
    printExpr(os, tables, names, ids[i]);
  }
}

void printConstant(llvm::raw_ostream &os, const ConstantScalar &constant) {
  if (constant.type == ScalarType::Bool) {
    os << (constant.value ? "true" : "false");
    return;
  }
  std::string digits;
  if (constant.isReal()) {
    digits = fmt::format("{}", constant.real);
    if (digits.find_first_of(".en") == std::string::npos)
      digits += ".0";
  } else if (constant.type == ScalarType::U64) {
    digits = fmt::format("{}", static_cast<uint64_t>(constant.value));
  } else {
    digits = fmt::format("{}", constant.value);
  }
  switch (constant.type) {
  case ScalarType::I32:
  case ScalarType::F64:
    os << digits;
    return;
  case ScalarType::I64:
    os << digits << 'L';
    return;
  case ScalarType::U32:
    os << digits << 'u';
    return;
  case ScalarType::U64:
    os << digits << "uL";
    return;
  case ScalarType::F32:
    os << digits << 'f';
    return;
  default:
    os << spelling(constant.type) << '(' << digits << ')';
  }
}

void printType(llvm::raw_ostream &os, const Type &type) {
  os << (type.isScalar() ? spelling(type.scalar) : llvm::StringRef(type.cpp));
}

void printSignature(llvm::raw_ostream &os, const Signature &signature) {
  os << signature.name << '(';
  for (size_t i = 0; i < signature.params.size(); ++i) {
    os << (i ? ", " : "");
    printType(os, signature.params[i]);
  }
  os << ") -> (";
  printType(os, signature.result);
  os << ')';
  if (!signature.changesBy.empty())
    os << " changes_by " << signature.changesBy;
}

void printString(llvm::raw_ostream &os, llvm::StringRef text) {
  os << '"';
  for (char c : text) {
    if (c == '"' || c == '\\')
      os << '\\' << c;
    else if (c == '\n')
      os << "\\n";
    else
      os << c;
  }
  os << '"';
}

} // namespace tsk::ir
