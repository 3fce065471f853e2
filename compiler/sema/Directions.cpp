// What a kernel says of its tensors, `in`, `out` or `inout`, against what its works do to them. The
// launcher tells its caller by the direction which tensors must hold something, the emitted code
// reads `in` tensors through the read-only cache, and a test poisons what is `out`.
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> ReadOfOutTensor{
    kind::ReadOfOutTensor, "`{}` reads `{}`{}, an `out` tensor; `out` tensors are only written, "
                           "declare it `inout`"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> TransferToInTensor{
    kind::WriteToInTensor, "`{}` writes `{}`{}, an `in` tensor; `in` tensors are never written, "
                           "declare it `out` or `inout`"};

static bool isForbidden(const ir::Param &tensor, const ir::Access &access) {
  if (!access.isWrite)
    return tensor.direction == ast::Direction::Out;
  // Writes by threads are judged where the body names the tensor, and by the kind of the work.
  return tensor.direction == ast::Direction::In && access.mechanism != ir::Mechanism::Async;
}

// The field through which the work moves the tensor, if it does.
static const ir::Field *fieldOf(const ir::Kernel &kernel, const ir::Work &work,
                                const ir::Access &access) {
  for (const ir::Access &other : work.accesses)
    if (other.field && other.mechanism == access.mechanism && other.isStore == access.isStore &&
        llvm::is_contained(kernel.fields[other.field].tensors, access.tensor))
      return &kernel.fields[other.field];
  return nullptr;
}

static void judge(const ir::Kernel &kernel, const ir::Work &work, const ir::Access &access,
                  DiagnosticEngine &diags, AddNotes more) {
  const ir::Param &tensor = kernel.params[access.tensor];
  if (!isForbidden(tensor, access))
    return;
  bool byTma = access.mechanism == ir::Mechanism::Tma;
  const auto &message = access.isWrite ? TransferToInTensor : ReadOfOutTensor;
  ReportBuilder report =
      diags.report(work.loc, message, work.name, tensor.name, byTma ? " by TMA" : "");
  if (const ir::Field *field = byTma ? fieldOf(kernel, work, access) : nullptr)
    report.note(field->loc, "`{}` is a field of `{}`", field->name, tensor.name);
  report.note(tensor.loc, "`{}` is declared here", tensor.name);
  if (more)
    more(report);
}

void checkDirections(const ir::Kernel &kernel, DiagnosticEngine &diags, AddNotes more) {
  for (const ir::Work &work : kernel.works)
    for (const ir::Access &access : work.accesses)
      if (access.tensor)
        judge(kernel, work, access, diags, more);
}

void checkUses(const ir::Kernel &kernel, DiagnosticEngine &diags, AddNotes more) {
  const unsigned errors = diags.errorCount();
  checkDirections(kernel, diags, more);
  if (diags.errorCount() == errors)
    checkRoles(kernel, diags, more);
}

} // namespace tsk::sema
