// Profiles as text for people.
#pragma once

#include "compiler/profile/Estimate.h"
#include "compiler/profile/Layouts.h"
#include "compiler/profile/Model.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::profile {

// What each resource has to do, and which binds.
void showSummary(llvm::raw_ostream &out, const Launch &launch, const Gpu &gpu);
// Each line of the source that costs something, dearest first.
void showLines(llvm::raw_ostream &out, const Launch &launch, const Gpu &gpu,
               llvm::ArrayRef<FieldLayout> fields);

// `arguments`: "m = 4096, n = 4096".
void showEstimate(llvm::raw_ostream &out, const Launch &launch, const Gpu &gpu,
                  const Estimate &estimate, llvm::StringRef arguments);

} // namespace tsk::profile
