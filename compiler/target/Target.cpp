#include "compiler/target/Target.h"
#include "compiler/support/Check.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::target {

namespace {

constexpr uint32_t bit(Feature feature) { return 1u << static_cast<unsigned>(feature); }

// The names that Target.def joins by `|`.
#define TSK_FEATURE(Name, Spelling) constexpr uint32_t Name = bit(Feature::Name);
#include "compiler/target/Target.def"

constexpr Target Targets[] = {
#define TSK_TARGET(Name, Features, CtaThreads, SmThreads, SmCtas, CtaShared, SmShared,             \
                   SmRegisters, Cluster)                                                           \
  {Name,        (Features), CtaThreads, SmThreads, SmCtas, CtaShared * 1024, SmShared * 1024,      \
   SmRegisters, Cluster},
#include "compiler/target/Target.def"
};

} // namespace

llvm::StringRef spelling(Feature feature) {
  static constexpr llvm::StringRef Spellings[] = {
#define TSK_FEATURE(Name, Spelling) Spelling,
#include "compiler/target/Target.def"
  };
  return Spellings[static_cast<size_t>(feature)];
}

unsigned Target::registersAtLaunch(unsigned threads, unsigned ctas) const {
  const unsigned each = smRegisters / (threads * ctas) / RegisterStep * RegisterStep;
  return std::min(each, MaxRegisters);
}

llvm::ArrayRef<Target> allTargets() { return Targets; }

const Target *findTarget(llvm::StringRef name) {
  const Target *found = llvm::find_if(Targets, [&](const Target &t) { return t.name == name; });
  return found == std::end(Targets) ? nullptr : found;
}

const Target &defaultTarget() {
  const Target *hopper = findTarget("sm_90a");
  TSK_CHECK(hopper, "the default target is missing from Target.def");
  return *hopper;
}

} // namespace tsk::target
