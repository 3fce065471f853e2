// The one thing that only the host side of a kernel can object to: a launcher passes its arguments
// on to the variant that it chooses, so both must take the same.
#include "compiler/codegen/CodegenDiagnostics.h"
#include "compiler/codegen/Cuda.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::codegen {

constexpr Diagnostic<std::string, std::string, std::string> VariantArgumentsDiffer{
    kind::VariantArgumentsDiffer,
    "`{}` takes other types than `{}` (`{}` differs), so that its launcher cannot choose it; leave "
    "out `when` and call it by its name"};

// The first parameter or dimension whose type is another one; empty if there is none.
static std::string firstDifference(const ir::Kernel &a, const ir::Kernel &b) {
  for (const auto &[left, right] : llvm::zip(a.params, b.params))
    if (left.shape != right.shape ||
        (left.shape != ir::Param::Shape::Scalar && left.element != right.element))
      return left.name;
  for (const auto &[left, right] : llvm::zip(a.scalars, b.scalars))
    if (left.type != right.type)
      return left.name;
  return "";
}

bool checkVariants(const ir::Module &module, DiagnosticEngine &diags) {
  bool isRight = true;
  for (const auto &variant : module.kernels) {
    if (!variant->instanceCondition)
      continue;
    const auto first = llvm::find_if(module.kernels, [&](const auto &kernel) {
      return kernel->templateName == variant->templateName && !kernel->isTestOnly;
    });
    const std::string difference =
        first == module.kernels.end() ? "" : firstDifference(**first, *variant);
    if (difference.empty())
      continue;
    const SourceRange condition = variant->tables.exprs[variant->instanceCondition].loc;
    diags.report(condition, VariantArgumentsDiffer, variant->name, (*first)->name, difference);
    isRight = false;
  }
  return isRight;
}

} // namespace tsk::codegen
