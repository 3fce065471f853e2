// One function a verb, each in a file of its own. They return the exit status.
#pragma once

#include "compiler/driver/Session.h"

namespace tsk::driver {

#define TSK_VERB(Name, Spelling, Operands, Summary) ExitCode run##Name(Session &session);
#include "compiler/driver/Verbs.def"

} // namespace tsk::driver
