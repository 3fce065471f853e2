// Whether what the engine found can happen: a fault counts where a launch of the kernel with
// concrete numbers has one. The engine's program has runs that the kernel does not have, for it
// relates less of trip counts and conditions than C++ does.
#pragma once

#include "compiler/verify/proof/Witness.h"
#include "compiler/verify/protocol/Prove.h"

#include <functional>
#include <memory>

namespace tsk::verify {

// "`rows` = 64, `cols` = 128": what is known of a launch.
std::string describe(const plan::Plan &plan, const proof::Launch &launch);

// A fault of one launch, by the program of that alone.
struct Confirmed {
  std::shared_ptr<proof::Translation> translation;
  protocol::Verdict verdict;
  proof::Launch values;
  std::string launch; // the same, described
};

class Confirmer {
public:
  // `judge` may have been told of findings already: it judges a program without them.
  using Judge = std::function<protocol::Verdict(proof::Translation &)>;
  Confirmer(const plan::Plan &thePlan, const ir::Kernel *kernel, Judge theJudge)
      : plan(thePlan), witness(thePlan, kernel), judge(std::move(theJudge)) {}

  // A launch that is the case of a scenario and has a fault.
  std::optional<Confirmed> confirm(const proof::Translation &translation,
                                   const protocol::Scenario &scenario);
  // Any that has one.
  std::optional<Confirmed> findAny();

private:
  std::optional<Confirmed> tryLaunch(const proof::Launch &launch);

  const plan::Plan &plan;
  proof::Witness witness;
  Judge judge;
};

} // namespace tsk::verify
