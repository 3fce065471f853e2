#include "compiler/driver/SelfCheck.h"

#include "compiler/ir/Text.h"
#include "compiler/plan/Text.h"

#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

namespace {
// Nothing that the compiler printed itself may be wrong.
class NoErrors : public DiagnosticConsumer {
public:
  void handle(const Report &report) override {
    if (report.severity == Severity::Error)
      TSK_UNREACHABLE(report.message.c_str());
  }
};
} // namespace

template <typename T> static std::string text(const T &value) {
  std::string result;
  llvm::raw_string_ostream os(result);
  print(value, nullptr, os);
  return result;
}

// What `text` becomes when it is read and printed.
template <typename Read> static std::string reread(const std::string &text, Read read) {
  SourceManager sources;
  NoErrors consumer;
  DiagnosticEngine diags(consumer);
  SourceLoc begin = sources.addBuffer(llvm::MemoryBuffer::getMemBuffer(text), "<printed>");
  auto again = read(sources, begin, diags);
  TSK_CHECK(again, "a printed text that cannot be read");
  return driver::text(*again);
}

void checkRoundTrip(const ir::Kernel &kernel) {
  std::string once = text(kernel);
  TSK_CHECK(reread(once, ir::parseKernel) == once, "a task graph that does not read back");
}

void checkRoundTrip(const plan::Plan &plan) {
  std::string once = text(plan);
  TSK_CHECK(reread(once, plan::parsePlan) == once, "a plan that does not read back");
}

void checkFixedPoint(const plan::Plan &plan) {
  std::string once = reread(text(plan), plan::parsePlan);
  TSK_CHECK(reread(once, plan::parsePlan) == once, "a plan that changes when it is read again");
}

} // namespace tsk::driver
