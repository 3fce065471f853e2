// Limits that every architecture shares and several phases have to know.
#pragma once

namespace tsk::target {

// A wait for groups of asynchronous work (wgmma, bulk stores) lets at most so many be in flight.
inline constexpr int MaxPendingGroups = 7;

// Of a kernel's parameters: from CUDA 12.1 on, since sm_70.
inline constexpr unsigned MaxParameterBytes = 32764;

} // namespace tsk::target
