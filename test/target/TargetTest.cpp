#include "compiler/target/Target.h"

#include <catch2/catch.hpp>

using namespace tsk::target;

TEST_CASE("targets are found by name") {
  REQUIRE(findTarget("sm_90a"));
  CHECK(findTarget("sm_90a")->ctaSharedBytes == 232448);
  CHECK(findTarget("sm_80")->ctaSharedBytes == 166912);
  CHECK(findTarget("sm_91") == nullptr);
  CHECK(findTarget("") == nullptr);
  CHECK(defaultTarget().name == "sm_90a");
}

TEST_CASE("features follow the architecture") {
  CHECK_FALSE(findTarget("sm_80")->has(Feature::Tma));
  CHECK(findTarget("sm_90")->has(Feature::Tma));
  // setmaxnreg and wgmma are refused without the `a`.
  CHECK_FALSE(findTarget("sm_90")->has(Feature::SetMaxNReg));
  CHECK(findTarget("sm_90a")->has(Feature::Wgmma));
  CHECK_FALSE(findTarget("sm_100a")->has(Feature::Wgmma));
  CHECK(findTarget("sm_103a")->has(Feature::Tcgen05));
  CHECK(spelling(Feature::SetMaxNReg) == "setmaxnreg");
}

TEST_CASE("every target's limits hang together") {
  for (const Target &target : allTargets()) {
    CAPTURE(target.name.str());
    CHECK(target.ctaSharedBytes < target.smSharedBytes);
    CHECK(target.ctaThreads <= target.smThreads);
    CHECK(target.smThreads % WarpThreads == 0);
    CHECK((target.clusterSize > 1) == target.has(Feature::Clusters));
  }
}
