#include "compiler/sema/Context.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> NotYetCompiled{
    kind::NotYetCompiled, "not yet compiled: {}; so far this is only parsed and formatted"};

static llvm::StringRef description(Construct construct) {
  static constexpr llvm::StringRef Descriptions[] = {
#define TSK_CONSTRUCT(Name, Description) Description,
#include "compiler/sema/NotYetCompiled.def"
  };
  return Descriptions[static_cast<size_t>(construct)];
}

void Context::notYetCompiled(Construct construct, SourceRange range) {
  if (reported.insert(construct).second)
    report(range, NotYetCompiled, description(construct));
}

} // namespace tsk::sema
