// The user's headers, before other programs read them: Clang in the body reader and the host
// compiler would wait for a pipe, or read a device, for ever.
#pragma once

#include "compiler/driver/Session.h"

#include "compiler/ir/Module.h"

namespace tsk::driver {

// False, with errors, if what the C++ of a file includes is there and cannot be read: from the
// folder of the file that says so and from the folders of `-I`, and what such headers include.
bool checkHeaders(Session &session, const ir::Module &module);

} // namespace tsk::driver
