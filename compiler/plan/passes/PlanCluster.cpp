// plan-cluster: when the CTAs of a cluster meet.
//
// Needs the kernel alone. Where a CTA reaches its peers (a load that is multicast writes to their
// memory and completes their barriers, and whoever gives such a stage back arrives there; so do the
// two ends of a pipeline `remote -> …`) nobody
// may do so before the peer has initialised its barriers, nor after it has ended: all threads of
// the cluster meet at both ends. CTAs that leave each other alone need not meet.
#include "compiler/plan/Participants.h"

namespace tsk::plan {

bool planCluster(PassContext &context) {
  Plan &plan = context.plan;
  plan.cluster = context.kernel.cluster;
  for (size_t i = 0; i < context.kernel.resources.size(); ++i)
    if (reachesPeers(context.kernel, context.kernel.resources.idAt(i)))
      plan.meetsAtStart = plan.meetsAtEnd = true;
  return true;
}

} // namespace tsk::plan
