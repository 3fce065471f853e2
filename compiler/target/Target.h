// The architectures we compile for: their limits and what they can do. Data in Target.def.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tsk::target {

enum class Feature : uint8_t {
#define TSK_FEATURE(Name, Spelling) Name,
#include "compiler/target/Target.def"
};
llvm::StringRef spelling(Feature feature); // "setmaxnreg"

// The same on every architecture so far.
inline constexpr unsigned WarpThreads = 32;
inline constexpr unsigned WarpgroupWarps = 4;
inline constexpr unsigned WarpgroupThreads = WarpThreads * WarpgroupWarps;
inline constexpr unsigned MaxCtaThreads = 1024;
inline constexpr unsigned MaxCtaWarps = MaxCtaThreads / WarpThreads;
inline constexpr unsigned SmRegisters = 65536;
inline constexpr unsigned ReservedSharedBytes = 1024; // of each CTA's, by the system
inline constexpr unsigned NamedBarriers = 16;         // id 0 is the CTA's barrier
inline constexpr unsigned MinRegisters = 24;          // setmaxnreg's range, a thread
inline constexpr unsigned MaxRegisters = 256;
inline constexpr unsigned RegisterStep = 8;
inline constexpr unsigned MbarrierBytes = 8;
inline constexpr unsigned MaxMbarrierArrivals = (1u << 20) - 1;
inline constexpr unsigned MaxMbarrierBytes = (1u << 20) - 1; // pending transaction bytes of a phase
inline constexpr unsigned MaxGridX = (1u << 31) - 1;         // CTAs
inline constexpr unsigned MaxGridYZ = 65535;
inline constexpr unsigned MaxClusterSize = 16;    // CTAs; portable: Target::clusterSize
inline constexpr unsigned SharedAlignment = 1024; // of dynamic shared memory, as we declare it
inline constexpr unsigned TmaAlignment = 128;     // of a box in shared memory, unswizzled
inline constexpr unsigned TmaMaxBoxExtent = 256;
inline constexpr unsigned TmaInnerBytes = 16; // the innermost extent is a multiple
inline constexpr unsigned TmaMaxRank = 5;

struct Target {
  llvm::StringRef name;
  uint32_t features; // bit i: Feature i
  unsigned ctaThreads;
  unsigned smThreads;
  unsigned smCtas;
  uint32_t ctaSharedBytes;
  uint32_t smSharedBytes;
  uint32_t smRegisters;
  unsigned clusterSize;

  // What a thread starts with where nothing but the launch bounds decides: all registers of the SM
  // shared by its threads.
  unsigned registersAtLaunch(unsigned threads, unsigned ctas) const;
  bool has(Feature feature) const { return features >> static_cast<unsigned>(feature) & 1; }
};

llvm::ArrayRef<Target> allTargets();
const Target *findTarget(llvm::StringRef name); // null: not known
const Target &defaultTarget();                  // when neither file nor command line names one

} // namespace tsk::target
