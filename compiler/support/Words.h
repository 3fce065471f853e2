// The words of the language that the syntax tree and the IR share: what a schedule, a resource or a
// work is said to be.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tsk::words {

enum class Direction : uint8_t { None, In, Out, InOut };

enum class Across : uint8_t { Grid, Cta, Task, Warp };
llvm::StringRef spelling(Across across);

enum class SpaceKind : uint8_t { Gmem, Smem, Tmem, Regs };
llvm::StringRef spelling(SpaceKind kind);

enum class Swizzle : uint8_t { None, B32, B64, B128 };
llvm::StringRef spelling(Swizzle swizzle); // "none", "32B", …

enum class PerUnit : uint8_t { Thread, Warp, Warpgroup };
llvm::StringRef spelling(PerUnit unit);

enum class Mechanism : uint8_t { Async, CpAsync, Tma, Wgmma, Umma, Clc, Remote, Cta };
llvm::StringRef spelling(Mechanism mechanism); // "async", "cp_async", …

enum class WorkKind : uint8_t { Produce, Consume, Update, Setup };
llvm::StringRef spelling(WorkKind kind);

enum class IssueBy : uint8_t { Unsaid, All, Warp, Leader };
llvm::StringRef spelling(IssueBy by);

} // namespace tsk::words
