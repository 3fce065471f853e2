// Names and what they stand for. A scope hangs below another one; nothing is shadowed.
#pragma once

#include "compiler/ir/Fold.h"
#include "compiler/ir/Kernel.h"
#include "compiler/sema/Context.h"
#include "compiler/sema/SharedDiagnostics.h"

#include "llvm/ADT/StringMap.h"

namespace tsk::sema {

class Scope;
struct SourceFile;

struct Symbol {
  enum class Kind : uint8_t {
    Broken,        // its declaration is wrong or not compiled: uses are silent
    Constant,      // constant, constantId
    TypeConstant,  // type: a compile-time parameter that is a type
    Scalar,        // scalar: a dimension, stride or scalar parameter
    Tensor,        // param
    Pointer,       // param
    ResourceType,  // resourceType, home
    Resource,      // resource
    ResourceArray, // elements
    Field,         // of the resource whose works are being read
    Schedule,      // schedule
    Queue,         // queue
    Tile,          // members: a variable of `for t in queue`
    Task,
    Function,    // function, home
    Value,       // expr: a loop variable, let, parameter of a schedule or work result
    Var,         // value
    Hold,        // hold: a stage that a schedule holds
    StaticValue, // constant: a variable of `static for`, with its ordinal
    ImportAlias  // home: `p` in `import "x.tsk" as p;`
  };
  Kind kind = Kind::Broken;
  std::string name;
  SourceRange loc;

  ir::ConstantScalar constant;
  ir::ConstantId constantId; // where the constant has a name in the kernel
  ir::ScalarType type = ir::ScalarType::I32;
  ir::ScalarId scalar;
  ir::ParamId param;
  ir::ResourceId resource;
  std::vector<ir::ResourceId> elements;
  ir::ExprId expr;
  ir::ValueId value;
  size_t hold = 0;        // Hold: its name in sema/Holds
  bool isVarHold = false; // Hold: may be assigned
  const ast::ResourceTypeDecl *resourceType = nullptr;
  const ast::ScheduleDecl *schedule = nullptr;
  const ast::QueueDecl *queue = nullptr;
  std::vector<ir::ExprId> members; // x, y
  const ast::FunctionDecl *function = nullptr;
  const SourceFile *home = nullptr; // the file that declares it
  int64_t ordinal = 0;              // StaticValue: 0, 1, … and of how many
  int64_t ordinals = 0;
  bool mayBeUnused = false;    // no warning: loop variables, parameters
  bool isLoopVariable = false; // Value: of a `for`, so that first(), last(), every() know it
  mutable bool isUsed = false;
  mutable bool isAssigned = false;
};

// "a resource", "a constant": for messages.
llvm::StringRef describe(Symbol::Kind kind);

class Scope {
public:
  explicit Scope(const Scope *enclosing = nullptr) : parent(enclosing) {}

  // The symbol of this name here or in an enclosing scope.
  const Symbol *find(llvm::StringRef name) const;
  Symbol *findHere(llvm::StringRef name);
  Symbol &insert(Symbol symbol);
  void erase(llvm::StringRef name);
  // A name that will be declared later: constants are evaluated in order.
  void announce(const ast::Name &name) { later.try_emplace(name.text, name.range); }
  std::optional<SourceRange> findLater(llvm::StringRef name) const;
  // Every visible name, nearest scope first, in the order of declaration.
  std::vector<llvm::StringRef> visibleNames() const;
  llvm::ArrayRef<std::string> names() const { return order; }

private:
  const Scope *parent;
  llvm::StringMap<Symbol> symbols;
  llvm::StringMap<SourceRange> later;
  std::vector<std::string> order;
};

// Where a name stands decides what it may not be.
enum class NameRole : uint8_t { Other, Work };

// Reports a name that is reserved or no name in C++; true if it may be declared.
bool checkName(Context &context, const ast::Name &name, NameRole role = NameRole::Other);

// Declares `name`, unless it is reserved, declared here already or visible from outside; those are
// reported. An absent name (after a syntax error) is not declared. Returns the symbol in every
// case but the last; a clash leaves the first declaration in place and returns null.
Symbol *declare(Context &context, Scope &scope, const ast::Name &name, Symbol::Kind kind);

// The symbol of `name`, or null after reporting that there is none. A Broken symbol is returned as
// null without a report: its declaration has had one.
const Symbol *lookUp(Context &context, const Scope &scope, const ast::Name &name);

// Reports that `name` is a `symbol.kind` where `expected` is wanted. Silent for Broken symbols.
void reportWrongKind(Context &context, SourceRange range, const Symbol &symbol,
                     llvm::StringRef expected);

// The candidate that is nearest to `name`, if one is near.
Suggestion suggestion(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> candidates);
// The same among the visible names, of one kind if `kind` is given, and some built-in ones.
Suggestion suggestion(Context &context, const Scope &scope, llvm::StringRef name,
                      std::optional<Symbol::Kind> kind = std::nullopt,
                      llvm::ArrayRef<llvm::StringRef> builtins = {});

} // namespace tsk::sema
