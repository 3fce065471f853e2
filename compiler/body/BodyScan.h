// Reads the C++ of works as far as tokens go: which fields, tensors and scalars a body names, which
// single-issue primitives it calls, and what has no place in a body.
//
// It is lexical. It knows comments, strings and members behind a dot, takes a name that the body
// seems to declare itself as local, and sees a write where `field(…) =` stands. Macros, aliases
// (`auto &x = data;`) and functions of `cpp` blocks that take a field pass unseen: what a work does
// to its own fields is therefore taken from its kind (produce writes, consume reads, update both),
// and the text only adds to it. A finding is reported where the tokens leave no doubt. Where Clang
// can read the bodies, what it finds takes the place of all this (BodyReading.h).
#pragma once

#include "compiler/ir/Kernel.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <set>
#include <vector>

namespace tsk::body {

// A field that TMA fills and whose resource has no pipeline: what the schedules miss too.
struct UnfilledField {
  SourceRange range;
  ir::FieldId field;
};

// Fills accesses, usedParams and usedScalars of every work and reports what a body may not do, but
// for the fields that it returns, and tensors that fields `ofBroken` lack by another mistake.
std::vector<UnfilledField> scanBodies(ir::Kernel &kernel, const std::set<ir::FieldId> &ofBroken,
                                      DiagnosticEngine &diagnostics);
void reportUnfilled(const ir::Kernel &kernel, const UnfilledField &unfilled,
                    DiagnosticEngine &diagnostics);

// Adds an access that is not there yet.
void addAccess(ir::Work &work, const ir::Access &access);

// When the tasks are known: a single-issue primitive needs one issuing thread. Reports works that
// several threads would issue; a work without `by` in tasks of one warp becomes `by leader`.
void checkIssuers(ir::Kernel &kernel, DiagnosticEngine &diagnostics);

// The same with another way to find the first such primitive in a body.
struct SingleIssue {
  SourceRange range;
  std::string primitive;
};
void checkIssuers(ir::Kernel &kernel, DiagnosticEngine &diagnostics,
                  llvm::function_ref<std::optional<SingleIssue>(ir::WorkId)> find);

} // namespace tsk::body
