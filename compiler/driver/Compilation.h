// The pipeline: from a file to verified plans. Every verb that compiles runs it as far as it needs.
#pragma once

#include "compiler/driver/Session.h"
#include "compiler/syntax/Ast.h"

namespace tsk::driver {

struct Compilation {
  SourceLoc source; // the input's text
  std::unique_ptr<ast::File> file;
};

// What a verb needs: all phases up to this one are run.
enum class Phase : uint8_t { Syntax, Sema, Plan };

// False after errors, which are reported; what was made until then is in `result`.
bool compile(Session &session, Phase last, Compilation &result);

} // namespace tsk::driver
