// The C++ of the bodies after Clang has resolved names, overloads, templates, macros and implicit
// conversions: functions, variables, types, statements and expressions as tables. Made by Lower.cpp
// for every function that a body can reach and whose definition is visible; read by the
// interpreter, which needs no Clang.
//
// An expression is an lvalue (a place in memory) or an rvalue (a value); Load makes one of the
// other. A variable or member of reference type holds a pointer, and naming it follows the pointer.
#pragma once

#include "compiler/ir/Ids.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tsk::body::tree {

using TypeId = Id<struct TypeTag>;
using RecordId = Id<struct RecordTag>;
using VariableId = Id<struct VariableTag>;
using FunctionId = Id<struct FunctionTag>;
using ExprId = Id<struct ExprTag>;
using StmtId = Id<struct StmtTag>;

// In a .tsk file, or nowhere.
struct Place {
  uint32_t file = 0; // of Tree::files
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 1;
  // Of what stands there: no two expressions that are written, or made of a template, have the
  // same. Also of those in no .tsk file.
  uint32_t site = 0;

  explicit operator bool() const { return line != 0; }
  friend auto operator<=>(const Place &, const Place &) = default;
};

struct Type {
  enum class Kind : uint8_t {
    Void,
    Bool,
    Integer,
    Float,
    Pointer,
    Reference,
    Array,
    Record,
    Other
  };
  Kind kind = Kind::Other;
  bool isConst = false;
  bool isSigned = false;
  unsigned bits = 0; // Integer
  int64_t bytes = 0; // 0: unknown
  TypeId element;    // Pointer, Reference, Array
  int64_t count = 0; // Array
  RecordId record;   // Record
};

// What does not fit it is undefined behaviour, not another number.
inline bool isSignedInteger(const Type &type) {
  return type.kind == Type::Kind::Integer && type.isSigned && type.bits >= 32;
}

struct Member {
  std::string name; // of a base class: empty
  TypeId type;
  int64_t offset = 0;   // bytes
  TypeId bitField = {}; // of so few bits; none: it is no bit-field
};

struct Record {
  std::string name;             // "tsk::smem_tile", without template arguments
  std::vector<Member> members;  // base classes first
  std::vector<int64_t> extents; // the integers among the template arguments
  bool isUnion = false;
  bool isOpaque = false;  // its definition is not visible
  bool isResults = false; // of a work
};

struct Variable {
  std::string name;
  TypeId type;
  Place place;
  bool isParam = false;
  bool isGlobal = false; // also `static`: outlives the call
  bool isShared = false; // `__shared__`
  bool isUsers = false;  // not one of CUDA's or of the runtime's
};

struct Function {
  std::string name; // qualified, without template arguments: "tsk::smem_tile::vec"
  std::vector<VariableId> params;
  VariableId self; // a pointer; none: not a member function
  TypeId result;
  StmtId body; // none: no definition is visible
  // Where it is declared: the runtime's and CUDA's functions may be known by their names.
  enum class Home : uint8_t { User, Runtime, Shim, System, Builtin };
  Home home = Home::User;
  Place place;
};

enum class ExprKind : uint8_t {
  Constant,    // rvalue: `value`
  Unknown,     // rvalue: any value; operands are evaluated; `value`: Clang found no meaning
  Variable,    // lvalue: `variable`
  This,        // rvalue
  Member,      // of operand 0 (lvalue or rvalue record): number `value`
  Element,     // lvalue: of operand 0 (lvalue array, or a pointer), at operand 1
  Deref,       // lvalue: what pointer operand 0 points to
  AddressOf,   // rvalue: of lvalue operand 0
  Decay,       // rvalue: to the first element of lvalue array operand 0
  Load,        // rvalue: what stands in lvalue operand 0
  Bind,        // lvalue: `variable`, a temporary that first becomes operand 0
  Unary,       // rvalue: `op`
  Binary,      // rvalue: `op`
  Step,        // ++ or -- (`value`: +1, -1) of operand 0; lvalue before, rvalue after (isPostfix)
  Assign,      // lvalue: operand 0 = operand 1
  Compound,    // lvalue: operand 0 op= operand 1
  And,         // rvalue
  Or,          // rvalue
  Conditional, // operand 0 ? operand 1 : operand 2
  Comma,       // operand 0, then operand 1
  Call,        // `function`, or through a pointer; operands: self if there is one, arguments
  Construct,   // rvalue: `variable`, a temporary that constructor `function` makes
  Aggregate,   // rvalue: members or elements by operands; the rest is zero
  Convert,     // rvalue: another arithmetic type
  Reinterpret  // operand 0 by another type: pointers, addresses as integers, the same bytes
};

enum class Op : uint8_t {
  None,
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  Shl,
  Shr,
  And,
  Or,
  Xor,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Minus,
  Complement,
  Not
};

struct Expr {
  ExprKind kind = ExprKind::Unknown;
  Op op = Op::None;
  bool isLValue = false;
  bool isPostfix = false;
  TypeId type;
  int64_t value = 0;
  VariableId variable;
  FunctionId function;
  llvm::SmallVector<ExprId, 3> operands;
  Place place;
};

enum class StmtKind : uint8_t {
  Block,   // statements
  Expr,    // exprs[0]
  Declare, // variable [= exprs[0]]
  If,      // exprs[0]; statements: then [, else]
  For,     // statements: init, body; exprs: [condition], [increment]
  While,   // exprs[0]; statements[0]
  Do,      // statements[0]; exprs[0]
  Switch,  // exprs[0]; statements in order, some of them labelled
  Return,  // [exprs[0]]; these three: statements, what ends before
  Break,
  Continue,
  Asm,    // text; exprs: operands; outputs are the first `outputs` of them, lvalues
  Strange // what is not followed: goto, coroutines, …; `text` names it
};

struct Stmt {
  StmtKind kind = StmtKind::Block;
  llvm::SmallVector<StmtId, 2> statements;
  llvm::SmallVector<ExprId, 2> exprs;
  VariableId variable;
  // Switch: for each statement, whether a label stands before it, and which values lead there.
  struct Label {
    bool isDefault = false;
    std::vector<int64_t> values;
  };
  std::vector<std::optional<Label>> labels;
  std::string text;
  unsigned outputs = 0;
  std::vector<bool> isReadToo; // Asm: outputs that are inputs as well
  bool isVolatile = false;     // Asm
  bool touchesMemory = false;  // Asm: a "memory" clobber
  bool isNotUnrolled = false;  // loops: `#pragma unroll 1`
  Place place;
};

struct Tree {
  std::vector<std::string> files{""};
  Table<TypeId, Type> types;
  Table<RecordId, Record> records;
  Table<VariableId, Variable> variables;
  Table<FunctionId, Function> functions;
  Table<ExprId, Expr> exprs;
  Table<StmtId, Stmt> stmts;

  // The functions that are asked about, and the values of checks, by their numbers in the request.
  struct Root {
    unsigned number = 0;
    FunctionId function;
    std::vector<bool> named; // parameters that the text names, wherever
    // Locals of the outermost block with the name of a parameter.
    struct Hidden {
      unsigned param = 0;
      Place place;
      std::string name;
    };
    std::vector<Hidden> hidden;
  };
  std::vector<Root> roots;
  struct ArgumentCheck {
    unsigned number = 0;
    bool isConvertible = true;
    std::string given, wanted; // types
  };
  std::vector<ArgumentCheck> arguments;
};

} // namespace tsk::body::tree
