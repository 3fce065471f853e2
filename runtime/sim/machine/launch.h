// What outlives a launch: stacks and the settings.
#pragma once

#include "stacks.h"

namespace tsk::sim {

stack_pool &fiber_stacks();

} // namespace tsk::sim
