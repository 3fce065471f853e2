// tskc-bodies: reads one request from standard input, answers on standard output. Started by tskc;
// of no use by hand.
#include "compiler/body/reader/Reader.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/thread.h"

#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr unsigned StackBytes = 256 << 20; // Clang and the walk over its tree recurse
constexpr rlim_t CpuSeconds = 60;
constexpr rlim_t MemoryBytes = rlim_t{4} << 30;

void limit(int resource, rlim_t value) {
  rlimit limits = {};
  if (getrlimit(resource, &limits) == 0 &&
      (limits.rlim_cur == RLIM_INFINITY || limits.rlim_cur > value)) {
    limits.rlim_cur = value;
    setrlimit(resource, &limits);
  }
}

// A body may make the C++ compiler run for ever (templates, constants) or eat all memory.
void limitResources() {
  limit(RLIMIT_CPU, CpuSeconds);
  limit(RLIMIT_CORE, 0);
#if !defined(__SANITIZE_ADDRESS__)
  limit(RLIMIT_AS, MemoryBytes);
#endif
}

std::string resourceFolder() {
  static int anchor = 0;
  namespace path = llvm::sys::path;
  const std::string program = llvm::sys::fs::getMainExecutable(nullptr, &anchor);
  llvm::SmallString<128> folder = path::parent_path(path::parent_path(program));
  path::append(folder, "lib/tskc/clang");
  return folder.str().str();
}

} // namespace

int main() {
  limitResources();
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> input = llvm::MemoryBuffer::getSTDIN();
  if (!input)
    return 2;
  const std::optional<tsk::body::Request> request =
      tsk::body::requestFromJson((*input)->getBuffer());
  if (!request)
    return 2;
  llvm::thread worker(std::optional<unsigned>(StackBytes), [&] {
    llvm::outs() << toJson(tsk::body::readWithClang(*request, resourceFolder()));
    llvm::outs().flush();
    _exit(0); // Clang's tree is large, and the system frees it at once
  });
  worker.join();
}
