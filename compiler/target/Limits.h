// Limits that every architecture shares and several phases have to know.
#pragma once

namespace tsk::target {

// A wait for groups of asynchronous work (wgmma, bulk stores) lets at most so many be in flight.
inline constexpr int MaxPendingGroups = 7;

} // namespace tsk::target
