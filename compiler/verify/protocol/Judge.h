// The engine's one entry: static rules first, then the proof.
#pragma once

#include "compiler/verify/protocol/Prove.h"

namespace tsk::protocol {

Verdict judge(const Model &model, const Budget &budget = {});

} // namespace tsk::protocol
