// The reader's inside: what stands between a request and its reply. Clang appears in the
// implementation only.
#pragma once

#include "compiler/body/BodyReply.h"

namespace tsk::body {

struct ShimFile {
  llvm::StringRef name; // "cuda_fp16.h"
  llvm::StringRef text;
};
llvm::ArrayRef<ShimFile> shimFiles();

// Lets Clang read the request's text. `resourceFolder`: of Clang's own headers.
Reply readWithClang(const Request &request, llvm::StringRef resourceFolder);

} // namespace tsk::body
