#include "compiler/plan/Issue.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

bool isSingleIssue(const ir::Work &work) {
  return llvm::any_of(work.accesses, [](const ir::Access &access) {
    return access.mechanism == ir::Mechanism::Tma;
  });
}

std::optional<By> issuerOf(const ir::Work &work, unsigned warps) {
  switch (work.by) {
  case ir::IssueBy::Leader:
    return By::Leader;
  case ir::IssueBy::Warp:
    return warps == 1 ? By::Leader : By::WarpLeader;
  case ir::IssueBy::All:
    return isSingleIssue(work) ? std::nullopt : std::optional(By::All);
  case ir::IssueBy::Unsaid:
    if (!isSingleIssue(work))
      return By::All;
    return warps == 1 ? std::optional(By::Leader) : std::nullopt;
  }
  TSK_UNREACHABLE("issuer outside its enumeration");
}

} // namespace tsk::plan
