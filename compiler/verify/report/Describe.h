// Words for what a run did: used by findings, timelines and tables.
#pragma once

#include "compiler/verify/run/Finding.h"

namespace tsk::verify {

class Describe {
public:
  Describe(const Model &theModel, const Program &theProgram)
      : model(theModel), program(theProgram) {}

  const Op &op(Place place) const;
  SourceRange range(Place place) const { return op(place).step->loc; }
  const std::string &task(Place place) const { return model.taskName(place.warp); }

  // " in iteration 3 of `r`", " in iteration 1 of `k` in iteration 2 of `t`"; empty outside loops.
  std::string iteration(Place place) const;
  // "wait box.full[2]", "call box.load", "sync cta"
  std::string operation(Place place) const;
  // "box.full[2]" or "sync cta": what a blocked operation waits for.
  std::string barrier(Place place) const;

private:
  const Model &model;
  const Program &program;
};

} // namespace tsk::verify
