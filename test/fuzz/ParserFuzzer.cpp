// libFuzzer's way into the front half of the compiler: any bytes are parsed; what is accepted is
// formatted to a fixed point. Built with the preset `fuzz`, which needs clang.
//
//   build-fuzz/bin/parser-fuzzer -dict=test/fuzz/tsk.dict -max_len=8192 CORPUS test/syntax/inputs
#include "compiler/support/Check.h"
#include "compiler/syntax/AstDump.h"
#include "compiler/syntax/Formatter.h"
#include "compiler/syntax/Parser.h"

#include "llvm/Support/raw_ostream.h"

using namespace tsk;

namespace {

struct Silent : DiagnosticConsumer {
  void handle(const Report &report) override {
    TSK_CHECK(report.range.isValid() && report.range.begin <= report.range.end,
              "a syntax error has a place");
  }
};

std::optional<std::string> format(llvm::StringRef text) {
  SourceManager sources;
  SourceLoc buffer = sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "fuzz.tsk");
  Silent silent;
  DiagnosticEngine engine(silent);
  return syntax::format(sources, buffer, engine);
}

void dump(llvm::StringRef text) {
  SourceManager sources;
  SourceLoc buffer = sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "fuzz.tsk");
  Silent silent;
  DiagnosticEngine engine(silent);
  std::unique_ptr<ast::File> file = syntax::parseFile(sources, buffer, engine);
  llvm::raw_null_ostream nowhere;
  ast::dump(*file, sources, nowhere, {/*locations=*/true});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  dump(text);
  if (std::optional<std::string> once = format(text))
    TSK_CHECK(format(*once) == once, "formatting is a fixed point");
  return 0;
}
