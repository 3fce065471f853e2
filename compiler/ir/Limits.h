// What a program may have at most, where not a machine sets the limit (target/Target.h) but we do.
#pragma once

namespace tsk::ir {

inline constexpr unsigned MaxStages = 1024;     // of a pipeline
inline constexpr unsigned MaxUnrolling = 1024;  // copies of a loop's body
inline constexpr unsigned MaxResources = 64;    // of an array
inline constexpr unsigned MaxGroupRows = 65536; // of a queue's tiles
// Levels of operations, one inside the other, and of blocks: what walks them recurses.
inline constexpr unsigned MaxExprDepth = 1000;
inline constexpr unsigned MaxBlockDepth = 512;
// The texts of the IR and the plan have the levels that passes add, too.
inline constexpr unsigned MaxTextBlockDepth = 2 * MaxBlockDepth;

} // namespace tsk::ir
