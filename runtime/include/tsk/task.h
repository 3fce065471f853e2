// Who a thread is within its task (docs/decisions/0002): bodies are plain functions that spell
// `tsk::task_thread()` in full, and TSK_TASK, written once inside the namespace of each task, gives
// that name its meaning there. Nothing is passed at run time.
#pragma once

#include <tsk/macros.h>

#define TSK_TASK(FirstWarp, Warps)                                                                 \
  namespace tsk {                                                                                  \
  using namespace ::tsk;                                                                           \
  TSK_DEVICE int task_thread() { return ::tsk::block_thread() - (FirstWarp) * 32; }                \
  TSK_DEVICE int task_warp() { return ::tsk::block_thread() / 32 - (FirstWarp); }                  \
  TSK_DEVICE int task_warpgroup() { return task_warp() / 4; }                                      \
  TSK_DEVICE constexpr int task_threads() { return (Warps) * 32; }                                 \
  TSK_DEVICE constexpr int task_warps() { return (Warps); }                                        \
  } // namespace tsk
