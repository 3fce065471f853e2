// Types: the language's scalars, compile-time parameters that are types, and C++ text.
#pragma once

#include "compiler/sema/KernelState.h"

namespace tsk::sema {

class TypeResolver {
public:
  TypeResolver(KernelState &kernelState, const Scope &names) : state(kernelState), scope(names) {}

  // An element type: a scalar or a type parameter. Reports anything else; `what` says what for:
  // "elements of `src`".
  std::optional<ir::ScalarType> scalar(const ast::Type *type, llvm::StringRef what);
  // The same for what lies in memory, where elements have whole bytes so far.
  std::optional<ir::ScalarType> element(const ast::Type *type, llvm::StringRef what);
  // The type of a routed value: any. Nothing after a report.
  std::optional<ir::Type> value(const ast::Type *type);

private:
  // The text of a C++ type twice: with constants by name, and with their values.
  struct Text {
    std::string spelled;
    std::string canonical;
    void add(llvm::StringRef text) {
      spelled += text;
      canonical += text;
    }
  };
  std::optional<ir::ScalarType> known(const ast::Type &type) const;
  bool checkSpecial(const ast::Type &type);
  bool checkLoneName(const ast::Type &type);
  void spell(const ast::Type &type, Text &text);
  void spellArgument(const ast::TypeArg &arg, Text &text);
  bool spellName(const ast::Type &type, Text &text);
  void spellConstant(const Symbol &symbol, Text &text);
  void spellExpr(const ast::Expr &expr, Text &text);

  KernelState &state;
  const Scope &scope;
};

// Whether values of these types are the same to C++, as far as we can know.
bool sameType(const KernelState &state, const ir::Type &a, const ir::Type &b);

} // namespace tsk::sema
