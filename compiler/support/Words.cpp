#include "compiler/support/Words.h"

namespace tsk::words {

using llvm::StringLiteral;
using llvm::StringRef;

// Each table is in the order of its enum.
template <typename Enum, size_t N>
static StringRef look(const StringLiteral (&table)[N], Enum key) {
  return table[static_cast<size_t>(key)];
}

StringRef spelling(Across across) {
  static constexpr StringLiteral Table[] = {"grid", "cta", "task", "warp"};
  return look(Table, across);
}
StringRef spelling(SpaceKind kind) {
  static constexpr StringLiteral Table[] = {"gmem", "smem", "tmem", "regs"};
  return look(Table, kind);
}
StringRef spelling(Swizzle swizzle) {
  static constexpr StringLiteral Table[] = {"none", "32B", "64B", "128B"};
  return look(Table, swizzle);
}
StringRef spelling(PerUnit unit) {
  static constexpr StringLiteral Table[] = {"thread", "warp", "warpgroup"};
  return look(Table, unit);
}
StringRef spelling(Mechanism mechanism) {
  static constexpr StringLiteral Table[] = {"async", "cp_async", "tma",    "wgmma",
                                            "umma",  "clc",      "remote", "cta"};
  return look(Table, mechanism);
}
StringRef spelling(WorkKind kind) {
  static constexpr StringLiteral Table[] = {"produce", "consume", "update", "setup"};
  return look(Table, kind);
}
StringRef spelling(IssueBy by) {
  static constexpr StringLiteral Table[] = {"", "all", "warp", "leader"};
  return look(Table, by);
}

} // namespace tsk::words
