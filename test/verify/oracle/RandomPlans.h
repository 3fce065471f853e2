// Small random plans: rings between two or three tasks, made right and then, mostly, spoiled by one
// to three mutations. A seed gives the same plan everywhere.
#pragma once

#include "compiler/plan/Plan.h"

namespace tsk::oracle {

plan::Plan randomPlan(uint32_t seed);

} // namespace tsk::oracle
