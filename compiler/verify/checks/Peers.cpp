// V6 between CTAs: what a warp has written is handed to a peer by an arrival with the scope of the
// cluster. The engine takes every arrival of threads for one that publishes.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"

namespace tsk::verify {

constexpr Diagnostic<std::string> HandsNothingOver{
    kind::HandsNothingOver, "`arrive {0}` hands what the warp has written to another CTA, but "
                            "`{0}` is not a barrier `of cluster`"};

bool checkPeers(const plan::Plan &plan, DiagnosticEngine &diags) {
  bool isGood = true;
  for (const plan::Region &region : plan.regions)
    for (const plan::Step &step : region.steps) {
      if (step.kind != plan::StepKind::Arrive || !step.peer ||
          plan.barriers[step.barrier].isOfCluster)
        continue;
      diags.report(step.loc, HandsNothingOver, plan.barriers[step.barrier].name);
      isGood = false;
    }
  return isGood;
}

} // namespace tsk::verify
