#include "compiler/driver/HostCompiler.h"
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/StringSaver.h"

#include <cstdlib>

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef, llvm::StringRef> ToolNotFound{kind::ToolNotFound,
                                                                    "`{}` was not found; {}"};
constexpr Diagnostic<std::string> BodyDoesNotCompile{kind::BodyDoesNotCompile,
                                                     "the C++ compiler says: {}"};

llvm::StringRef HostCompiler::name() const { return llvm::sys::path::filename(words.front()); }

// LLVM takes every name with a slash for a program.
static std::optional<std::string> findProgram(llvm::StringRef name) {
  if (auto path = llvm::sys::findProgramByName(name); path && llvm::sys::fs::can_execute(*path))
    return *path;
  return std::nullopt;
}

// The whole text may be the path of a program, blanks included; else it is words, as in a shell.
static std::vector<std::string> wordsOf(llvm::StringRef text) {
  if (findProgram(text))
    return {text.str()};
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char *, 4> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

std::optional<HostCompiler> findHostCompiler(llvm::StringRef asked, DiagnosticEngine &diags) {
  const char *fromEnvironment = std::getenv("CXX");
  if (asked.empty() && fromEnvironment && *fromEnvironment)
    asked = fromEnvironment;
  if (!asked.trim().empty()) {
    HostCompiler compiler{wordsOf(asked)};
    if (auto path = findProgram(compiler.words.front())) {
      compiler.words.front() = *path;
      return compiler;
    }
    diags.report({}, ToolNotFound, asked, "`--cxx` and `$CXX` name a C++ compiler");
    return std::nullopt;
  }
  for (llvm::StringRef name : {"c++", "g++", "clang++"})
    if (auto path = findProgram(name))
      return HostCompiler{{*path}};
  diags.report({}, ToolNotFound, "c++",
               "tests on the simulator are compiled by the machine's C++ compiler; install g++ or "
               "clang, or name one with `--cxx`");
  return std::nullopt;
}

// ---- What the compiler says
// ----------------------------------------------------------------------

namespace {

// "file:12:5: error: text", as GCC and Clang write it.
struct Message {
  llvm::StringRef file, kind, text;
  unsigned line = 0, column = 0;
};

// "12:" at the front of `text`.
bool takeNumber(llvm::StringRef &text, unsigned &number) {
  return !text.consumeInteger(10, number) && text.consume_front(":");
}

std::optional<Message> parseMessage(llvm::StringRef line) {
  for (size_t at = line.find(':'); at != llvm::StringRef::npos; at = line.find(':', at + 1)) {
    Message message;
    message.file = line.take_front(at).trim();
    llvm::StringRef rest = line.drop_front(at + 1);
    if (!takeNumber(rest, message.line) || !takeNumber(rest, message.column))
      continue;
    rest = rest.ltrim();
    const size_t colon = rest.find(": ");
    message.kind = rest.take_front(colon);
    message.text = colon == llvm::StringRef::npos ? "" : rest.drop_front(colon + 2);
    return message;
  }
  return std::nullopt;
}

class OutputReader {
public:
  OutputReader(const SourceManager &s, DiagnosticEngine &d) : sources(s), diags(d) {}

  bool read(llvm::StringRef output) {
    llvm::SmallVector<llvm::StringRef, 64> lines;
    output.split(lines, '\n');
    for (llvm::StringRef line : lines)
      if (const std::optional<Message> message = parseMessage(line))
        onMessage(*message);
    return found;
  }

private:
  void onMessage(const Message &message) {
    const SourceRange place = placeOf(message);
    const bool isError = message.kind == "error" || message.kind == "fatal error";
    if (message.kind == "warning") {
      context = {};
    } else if (isError && (place.isValid() || context.isValid())) {
      // Of an error in a header, GCC names the use before it, Clang in a note behind it.
      report(place.isValid() ? place : context, message.text);
      context = {};
      pending.clear();
    } else if (isError) {
      pending = message.text.str();
    } else if (place.isValid() && !pending.empty()) {
      report(place, pending);
      pending.clear();
    } else if (place.isValid() && message.kind.contains("required from")) {
      context = place;
    }
  }

  // The simulator's types stand behind names that the user knows without `sim`.
  void report(SourceRange place, llvm::StringRef text) {
    std::string plain;
    for (size_t at = text.find("tsk::sim::"); at != llvm::StringRef::npos;
         at = text.find("tsk::sim::")) {
      plain += text.take_front(at).str() + "tsk::";
      text = text.drop_front(at + llvm::StringRef("tsk::sim::").size());
    }
    diags.report(place, BodyDoesNotCompile, plain + text.str());
    found = true;
  }

  SourceRange placeOf(const Message &message) const {
    const SourceLoc loc = sources.locate(message.file, message.line, message.column);
    return loc.isValid() ? SourceRange::at(loc) : SourceRange();
  }

  const SourceManager &sources;
  DiagnosticEngine &diags;
  bool found = false;
  SourceRange context; // the latest use in the .tsk file that an error may be about
  std::string pending; // an error whose use has not been named yet
};

} // namespace

bool reportCompilerErrors(llvm::StringRef output, const SourceManager &sources,
                          DiagnosticEngine &diags) {
  return OutputReader(sources, diags).read(output);
}

} // namespace tsk::driver
