#include "compiler/sema/Instance.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, Suggestion> UnknownCompileTimeParameter{
    kind::UnknownCompileTimeParameter, "`{}` has no compile-time parameter `{}`{}"};
constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownKernel{kind::UnknownKernel,
                                                                "unknown kernel `{}`{}"};
constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownDefine{
    kind::UnknownDefine, "`-D {}`: no kernel has such a compile-time parameter{}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NoInstance{
    kind::NoInstance,
    "nothing is made of kernel `{}`: its parameter `{}` has no default and no `instantiate` gives "
    "it one"};

void InstanceSet::collect() {
  checkDefines();
  for (const ast::Decl *decl : main.ast->decls)
    if (const auto *instantiate = llvm::dyn_cast<ast::InstantiateDecl>(decl))
      instantiated.insert(instantiate->kernel.text);
  for (const ast::Decl *decl : main.ast->decls) {
    if (const auto *kernel = llvm::dyn_cast<ast::KernelDecl>(decl)) {
      const SourceFile::Kernel *known = main.findKernel(kernel->name.text);
      if (known && known->decl == kernel)
        addDefault(*known);
    } else if (const auto *instantiate = llvm::dyn_cast<ast::InstantiateDecl>(decl)) {
      addInstantiate(*instantiate);
    }
  }
  for (const SourceFile::Kernel &kernel : main.kernels)
    if (kernel.home == &main)
      addTests(kernel, kernel.decl->items);
}

void InstanceSet::checkDefines() {
  std::vector<llvm::StringRef> known;
  for (const SourceFile::Kernel &kernel : main.kernels)
    for (const ast::CompileTimeParam &param : kernel.decl->compileTimeParams)
      known.push_back(param.name.text);
  for (const auto &[name, value] : context.options.defines)
    if (!llvm::is_contained(known, name))
      context.report({}, UnknownDefine, name, suggestion(name, known));
}

static const std::string *findDefine(const SemaOptions &options, llvm::StringRef name) {
  const std::string *found = nullptr;
  for (const auto &[defined, value] : options.defines)
    if (defined == name)
      found = &value; // the last one counts, as in C
  return found;
}

void InstanceSet::addDefault(const SourceFile::Kernel &kernel) {
  for (const ast::CompileTimeParam &param : kernel.decl->compileTimeParams)
    if (!param.defaultValue && !findDefine(context.options, param.name.text)) {
      if (!instantiated.contains(kernel.decl->name.text))
        context.report(kernel.decl->name.range, NoInstance, kernel.decl->name.text,
                       param.name.text);
      return;
    }
  if (auto values = bind(kernel, {}))
    add({kernel.decl->name.text.str(), kernel, *values, nullptr, false});
}

void InstanceSet::addInstantiate(const ast::InstantiateDecl &decl) {
  if (!decl.kernel || !decl.alias || !checkName(context, decl.alias))
    return;
  const SourceFile::Kernel *kernel = main.findKernel(decl.kernel.text);
  if (!kernel) {
    std::vector<llvm::StringRef> names;
    for (const SourceFile::Kernel &candidate : main.kernels)
      names.push_back(candidate.decl->name.text);
    context.report(decl.kernel.range, UnknownKernel, decl.kernel.text,
                   suggestion(decl.kernel.text, names));
    return;
  }
  if (const SourceFile::Kernel *other = main.findKernel(decl.alias.text)) {
    context.report(decl.alias.range, Redeclared, decl.alias.text)
        .note(other->decl->name.range, "`{}` is a kernel, declared here", decl.alias.text);
    return;
  }
  auto [earlier, isFirst] = aliases.try_emplace(decl.alias.text, decl.alias.range);
  if (!isFirst) {
    context.report(decl.alias.range, Redeclared, decl.alias.text)
        .note(earlier->second, "`{}` is an instance, declared here", decl.alias.text);
    return;
  }
  if (auto values = bind(*kernel, decl.args))
    add({decl.alias.text.str(), *kernel, *values, &decl, false});
}

// Tests inside `static if` count too: whether one exists is known when its instance is made.
void InstanceSet::addTests(const SourceFile::Kernel &kernel, ast::List<const ast::Decl *> items) {
  for (const ast::Decl *item : items) {
    if (const auto *test = llvm::dyn_cast<ast::TestDecl>(item))
      addTest(kernel, *test);
    if (const auto *branch = llvm::dyn_cast<ast::StaticIfDecl>(item)) {
      for (const auto &taken : branch->branches)
        addTests(kernel, taken.content);
      addTests(kernel, branch->elseDecls);
    }
  }
}

void InstanceSet::addTest(const SourceFile::Kernel &kernel, const ast::TestDecl &test) {
  if (!test.name)
    return;
  auto values = bind(kernel, test.compileTimeArgs);
  if (!values)
    return;
  for (size_t i : byKernel[kernel.decl])
    if (instances[i].values == *values) {
      instances[i].tests.push_back(&test);
      return;
    }
  std::string name = fmt::format("{}_{}", kernel.decl->name.text, test.name.text);
  while (main.findKernel(name) || !aliases.try_emplace(name, test.name.range).second)
    name += "_";
  add({name, kernel, *values, nullptr, true});
  instances.back().tests.push_back(&test);
}

void InstanceSet::add(Instance instance) {
  byKernel[instance.kernel.decl].push_back(instances.size());
  instances.push_back(std::move(instance));
}

std::optional<std::vector<CompileTimeValue>> InstanceSet::bind(const SourceFile::Kernel &kernel,
                                                               ast::List<ast::TemplateArg> args) {
  const ast::KernelDecl &decl = *kernel.decl;
  bool ok = true;
  std::vector<llvm::StringRef> names;
  for (const ast::CompileTimeParam &param : decl.compileTimeParams)
    names.push_back(param.name.text);
  for (size_t i = 0; i < args.size(); ++i) {
    if (!llvm::is_contained(names, args[i].name.text)) {
      context.report(args[i].name.range, UnknownCompileTimeParameter, decl.name.text,
                     args[i].name.text, suggestion(args[i].name.text, names));
      ok = false;
    }
    for (size_t j = 0; j < i; ++j)
      if (args[j].name.text == args[i].name.text) {
        context.report(args[i].name.range, DuplicateArgument, args[i].name.text);
        ok = false;
      }
  }
  CompileTimeBinder binder(context, kernel.home->visible);
  std::vector<CompileTimeValue> values;
  for (const ast::CompileTimeParam &param : decl.compileTimeParams) {
    const ast::Expr *written = nullptr;
    for (const ast::TemplateArg &arg : args)
      if (arg.name.text == param.name.text)
        written = arg.value;
    const std::string *define = findDefine(context.options, param.name.text);
    if (!written && !define && !param.defaultValue) {
      context
          .report(args.empty() ? decl.name.range : args.front().range, MissingCompileTimeArgument,
                  param.name.text, decl.name.text)
          .note(param.range, "`{}` is declared here", param.name.text);
      return std::nullopt;
    }
    if (auto value = binder.bind(param, written, main.visible, define)) {
      values.push_back(*value);
    } else {
      binder.declareBroken(param); // the others are still looked at
      ok = false;
    }
  }
  return ok ? std::optional(values) : std::nullopt;
}

} // namespace tsk::sema
