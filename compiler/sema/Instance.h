// Which kernels are made: for each declaration its default instance, one for each `instantiate`
// and one for each test's compile-time arguments, unless it exists already.
#pragma once

#include "compiler/sema/SourceFile.h"

#include "llvm/ADT/StringSet.h"

namespace tsk::sema {

// A value of a compile-time parameter: a type or a constant.
struct CompileTimeValue {
  bool isType = false;
  ir::ScalarType type = ir::ScalarType::I32;
  ir::ConstantScalar constant;

  friend bool operator==(const CompileTimeValue &a, const CompileTimeValue &b) {
    if (a.isType != b.isType)
      return false;
    return a.isType ? a.type == b.type
                    : a.constant.type == b.constant.type && a.constant.value == b.constant.value &&
                          a.constant.real == b.constant.real;
  }
};

struct Instance {
  std::string name;
  SourceFile::Kernel kernel;
  std::vector<CompileTimeValue> values; // one for each compile-time parameter
  const ast::InstantiateDecl *instantiate = nullptr;
  bool isTestOnly = false;
  std::vector<const ast::TestDecl *> tests = {}; // that run it
};

class InstanceSet {
public:
  InstanceSet(Context &semaContext, const SourceFile &mainFile)
      : context(semaContext), main(mainFile) {}

  void collect();
  std::vector<Instance> instances; // in the order of declaration, tests' last

private:
  void add(Instance instance);
  void addDefault(const SourceFile::Kernel &kernel);
  void addInstantiate(const ast::InstantiateDecl &decl);
  void addTests(const SourceFile::Kernel &kernel, ast::List<const ast::Decl *> items);
  void addTest(const SourceFile::Kernel &kernel, const ast::TestDecl &test);
  void checkDefines();
  std::optional<std::vector<CompileTimeValue>> bind(const SourceFile::Kernel &kernel,
                                                    ast::List<ast::TemplateArg> args);

  Context &context;
  const SourceFile &main;
  llvm::StringSet<> instantiated;       // kernels that an `instantiate` names
  llvm::StringMap<SourceRange> aliases; // names of instances
  std::map<const ast::KernelDecl *, std::vector<size_t>> byKernel;
};

// Binds compile-time parameters one after the other, each visible to the defaults that follow.
class CompileTimeBinder {
public:
  CompileTimeBinder(Context &semaContext, const Scope &outer)
      : context(semaContext), scope(&outer) {}

  // `written`: the argument, evaluated in `argumentScope`; null: the default. `define`: what -D
  // says, or null.
  std::optional<CompileTimeValue> bind(const ast::CompileTimeParam &param, const ast::Expr *written,
                                       const Scope &argumentScope, const std::string *define);
  void declareBroken(const ast::CompileTimeParam &param);

private:
  void declareValue(const ast::CompileTimeParam &param, const CompileTimeValue &value);
  std::optional<CompileTimeValue> evaluate(const ast::Expr *expr, const Scope &names,
                                           llvm::StringRef param);
  bool fit(CompileTimeValue &value, const ast::CompileTimeParam &param,
           const std::optional<CompileTimeValue> &fallback, SourceRange range);

  Context &context;
  Scope scope;
};

// The value in `-D NAME=value`: a type's name, `true`, `false` or a number.
std::optional<CompileTimeValue> parseDefine(llvm::StringRef text);

} // namespace tsk::sema
