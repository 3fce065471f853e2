#include "compiler/driver/Headers.h"

#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/support/Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <set>

namespace tsk::driver {

namespace path = llvm::sys::path;
using llvm::StringRef;

namespace {

constexpr Diagnostic<std::string, std::string> CannotReadHeader{kind::CannotRead,
                                                                "cannot read `{}`: {}"};

class HeaderChecker {
public:
  HeaderChecker(Session &s, const ir::Module &m) : session(s), module(m) {
    folders = session.invocation.importFolders;
    here = path::parent_path(session.invocation.inputs.front()).str();
  }

  bool run() {
    for (const ir::CppBlock &block : module.cpp)
      source(block.loc);
    for (const auto &kernel : module.kernels) {
      for (const ir::Work &work : kernel->works)
        source(work.bodyLoc);
      for (const ir::Function &function : kernel->functions)
        source(function.bodyLoc);
    }
    while (isGood && !waiting.empty()) {
      const Header next = waiting.back();
      waiting.pop_back();
      if (auto content = readSourceFile(next.path))
        header((*content)->getBuffer(), path::parent_path(next.path).str(), next.loc);
    }
    return isGood;
  }

private:
  struct Header {
    std::string path;
    SourceRange loc; // of the user's text that leads to it
  };

  void source(SourceRange range) {
    StringRef content = session.sources.text(range);
    SourceLoc begin = range.begin;
    while (isGood && !content.empty()) {
      const auto [line, rest] = content.split('\n');
      const StringRef shown = line.trim();
      const SourceLoc at = begin.advanced(static_cast<uint32_t>(shown.data() - line.data()));
      include(line, here, {at, at.advanced(static_cast<uint32_t>(shown.size()))});
      begin = begin.advanced(static_cast<uint32_t>(line.size() + 1));
      content = rest;
    }
  }

  void header(StringRef content, const std::string &folder, SourceRange loc) {
    while (isGood && !content.empty()) {
      const auto [line, rest] = content.split('\n');
      include(line, folder, loc);
      content = rest;
    }
  }

  // Comments and conditions are not looked at: a header that is named is one that may be read.
  void include(StringRef line, const std::string &folder, SourceRange loc) {
    line = line.ltrim();
    if (!line.consume_front("#"))
      return;
    line = line.ltrim();
    if (!line.consume_front("include"))
      return;
    line = line.ltrim();
    if (line.consume_front("\""))
      find(line.split('"').first, folder, loc);
    else if (line.consume_front("<"))
      find(line.split('>').first, here, loc);
  }

  void find(StringRef name, const std::string &first, SourceRange loc) {
    std::vector<std::string> candidates = {first};
    candidates.insert(candidates.end(), folders.begin(), folders.end());
    for (const std::string &folder : candidates) {
      llvm::SmallString<128> file(path::is_absolute(name) ? "" : folder);
      path::append(file, name);
      if (!llvm::sys::fs::exists(file))
        continue;
      check(file.str().str(), loc);
      // Compilers pass over a folder of that name.
      if (!llvm::sys::fs::is_directory(file))
        return;
    }
  }

  void check(const std::string &file, SourceRange loc) {
    if (!seen.insert(file).second || llvm::sys::fs::is_directory(file))
      return;
    if (std::error_code error = whyNotReadable(file)) {
      session.diags.report(loc, CannotReadHeader, file, error.message());
      isGood = false;
      return;
    }
    waiting.push_back({file, loc});
  }

  Session &session;
  const ir::Module &module;
  std::vector<std::string> folders;
  std::string here;
  std::set<std::string> seen;
  std::vector<Header> waiting;
  bool isGood = true;
};

} // namespace

bool checkHeaders(Session &session, const ir::Module &module) {
  return HeaderChecker(session, module).run();
}

} // namespace tsk::driver
