// Where tskc keeps what it need not make again.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tsk {

// A folder of this name in $TSK_CACHE_DIR, $XDG_CACHE_HOME/tskc or ~/.cache/tskc, made if need be;
// readable by its user alone. Empty if there is none: a cache that cannot be used only costs time.
std::string cacheFolder(llvm::StringRef name);

// Removes the files that were used longest ago until `most` are left.
void removeOldestFiles(llvm::StringRef folder, size_t most);

// Marks a file as used now.
void touchFile(llvm::StringRef path);

} // namespace tsk
