// Which tasks stand on which side of a pipeline, and the names of its barriers.
#pragma once

#include "compiler/plan/Passes.h"

namespace tsk::plan {

struct Participants {
  std::vector<TaskId> producers; // tasks that acquire or commit
  std::vector<TaskId> consumers; // tasks that wait or release
  // Those of the consumers that skip items: each item is one of theirs, not all of theirs.
  std::vector<TaskId> sharers;
};

Participants participantsOf(const ir::Kernel &kernel, ir::ResourceId resource);

// The barriers that plan-barriers made for a resource's pipeline.
struct PipelineBarriers {
  BarrierId full;
  BarrierId empty;
};
PipelineBarriers barriersOf(const PassContext &context, ir::ResourceId resource);

bool isTmaPipeline(const ir::Resource &resource);

// Along which axis loads of the field are multicast: none where the cluster has one CTA there.
Axes multicastOf(const ir::Kernel &kernel, const ir::Field &field);
// Which CTAs load into a stage of the resource. They wait until all to whom they load have given
// theirs back.
Axes peersOf(const ir::Kernel &kernel, ir::ResourceId resource);
// Whether a CTA touches stages or barriers of others for it.
bool reachesPeers(const ir::Kernel &kernel, ir::ResourceId resource);

} // namespace tsk::plan
