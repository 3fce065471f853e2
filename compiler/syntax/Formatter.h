// The formatter: `tskc fmt`.
//
// It sets white space and nothing else. Comments and C++ bodies keep their text; a body's lines
// move along when its declaration moves. Line breaks between statements are the author's, as is the
// choice to write a block on one line; within a statement they are the formatter's. What it returns
// is a fixed point: formatting it again changes nothing.
#pragma once

#include "compiler/support/Diagnostics.h"

#include <optional>

namespace tsk::syntax {

// The formatted text of the buffer that holds `buffer`, or none where it has syntax errors, which
// are reported.
std::optional<std::string> format(const SourceManager &sources, SourceLoc buffer,
                                  DiagnosticEngine &diagnostics);

} // namespace tsk::syntax
