// Builds an ir::TestCase from a `test` block.
#pragma once

#include "compiler/sema/KernelBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"
#include "compiler/sema/TypeResolver.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, std::string> UnknownTestOption{kind::UnknownTestOption,
                                                                     "`{}` has no option `{}`"};

class TestBuilder {
public:
  TestBuilder(KernelState &kernelState, const ast::TestDecl &decl)
      : state(kernelState), kernel(*kernelState.kernel), context(kernelState.context), test(decl) {}

  ir::TestCase build();

private:
  void bindArguments();
  void bindArgument(const ast::Arg &arg);
  void checkComplete();
  void addParams();

  void addStmt(const ast::TestStmt &stmt);
  void addCall(const ast::TestStmt &stmt);
  void addFill(const ast::TestStmt &stmt, const ast::CallExpr &call, llvm::StringRef member);
  bool checkFill(const ir::TestStep &fill, const ir::ConstantScalar &value, SourceRange range);
  void addTensor(const ast::TestStmt &stmt);
  void addLet(const ast::TestStmt &stmt);
  void addExpect(const ast::TestStmt &stmt);
  void addClose(const ast::TestStmt &stmt, const ast::CallExpr &call);
  void addFault(const ast::TestStmt &stmt);
  // What an expectation compares, as C++, and its shape; no text after a report.
  struct Operand {
    std::string text;
    std::vector<int64_t> dims;
  };
  Operand operand(const ast::Expr &expr);
  Operand referenceCall(const ast::CallExpr &call);
  const ir::TestTensor *referenceArgument(const ast::Arg &arg);
  bool addOperands(ir::TestStep &built, const ast::Expr &left, const ast::Expr &right);
  static std::string shapeText(llvm::StringRef name, llvm::ArrayRef<int64_t> dims);
  const ir::TestTensor *findTensor(llvm::StringRef name) const;
  bool requireTensor(llvm::StringRef name, SourceRange range);
  std::optional<double> number(const ast::Expr *expr, llvm::StringRef what);
  ir::TestStep &step(ir::TestStep::Kind kind, SourceRange loc);

  KernelState &state;
  ir::Kernel &kernel;
  Context &context;
  const ast::TestDecl &test;
  ir::TestCase result;
  Scope names{&state.global};          // constants, and the test's values of the kernel's scalars
  llvm::StringMap<size_t> tensorIndex; // into result.tensors
  unsigned errorsBefore = 0;
  bool expectsAnything = false;
};

} // namespace tsk::sema
