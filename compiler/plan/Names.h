// Names of what the compiler adds to a plan. A user's names have no dot, so none of these can be
// one of them; among themselves they differ by what stands behind the dot, or are of different
// tables. The code generator makes C++ names of all of them in one scope
// (codegen/cuda/KernelNames).
#pragma once

#include "compiler/plan/Plan.h"

namespace tsk::plan {

// Of an order: for which of its tasks the turn is.
inline std::string fullBarrierName(const ir::Resource &resource) {
  return resource.name + (resource.isOrder ? ".second" : ".full");
}
inline std::string emptyBarrierName(const ir::Resource &resource) {
  return resource.name + (resource.isOrder ? ".first" : ".empty");
}

// Of threads. `cta` is a word of the language: no task has that name.
inline std::string taskBarrierName(const Task &task) { return task.name + ".sync"; }
inline std::string ctaBarrierName() { return "cta.sync"; }

enum class CursorSide : uint8_t { Only, Producer, Consumer }; // of a task that has one, or both
// `handOver`: of a second cursor, at the stage that the operation of this name gives back.
inline std::string cursorName(const ir::Resource &resource, CursorSide side,
                              llvm::StringRef handOver = "") {
  static constexpr const char *Suffixes[] = {"", ".in", ".out"};
  return resource.name + Suffixes[static_cast<size_t>(side)] +
         (handOver.empty() ? "" : "." + handOver.str());
}

inline std::string tensorMapName(const ir::Resource &resource, const ir::Field &field) {
  return resource.name + "." + field.name + ".map";
}

} // namespace tsk::plan
