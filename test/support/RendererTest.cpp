#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/support/JsonRenderer.h"
#include "compiler/support/TextRenderer.h"

#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace tsk;

namespace {
// A report with everything that a report can hold, about line 2.
struct Example {
  SourceManager sources;
  SourceLoc begin =
      sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy("one\ntwo three\n"), "a.tsk");
  SourceRange two{begin.advanced(4), begin.advanced(7)};
  SourceRange three{begin.advanced(8), begin.advanced(13)};
  Report report{kind::UnknownOption,
                Severity::Error,
                two,
                "bad `two`",
                {{three, "see `three`"}, {{}, "without a place"}},
                {{two, "2", "write `2`"}, {{three.end, three.end}, ";\nfour", "add more"}},
                Timeline{"the run",
                         {"A", "Other"},
                         {{0, 1, "put", " in iteration 3 of `i`", two, true, false},
                          {1, 2, "get", "", three, false, true}}}};
};
} // namespace

TEST_CASE("a report as text") {
  Example example;
  std::string text;
  llvm::raw_string_ostream os(text);
  TextRenderer(example.sources, os, /*useColor=*/false).handle(example.report);
  CHECK(text == "a.tsk:2:1: error: bad `two` [TSK0001]\n"
                "    2 | two three\n"
                "      | ^~~\n"
                "a.tsk:2:5: note: see `three`\n"
                "    2 | two three\n"
                "      |     ^~~~~\n"
                "tskc: note: without a place\n"
                "tskc: note: the run:\n"
                "  time  A      Other\n"
                "     1  > put\n"
                "     2         get ...\n"
                "a.tsk:2:1: fix: write `2`\n"
                "    2 | 2 three\n"
                "a.tsk:2:10: fix: add more\n"
                "    2 | two three;\n"
                "    3 | four\n");
}

TEST_CASE("colour is added, nothing else changes") {
  Example example;
  std::string text;
  llvm::raw_string_ostream os(text);
  TextRenderer(example.sources, os, /*useColor=*/true).handle(example.report);
  CHECK(llvm::StringRef(text).contains("\x1b[1;31merror: \x1b[0m"));
}

TEST_CASE("a report as JSON is one line") {
  Example example;
  std::string text;
  llvm::raw_string_ostream os(text);
  example.report.message = "bad \"\xff\"";
  JsonRenderer(example.sources, os, os).handle(example.report);
  CHECK(
      text ==
      R"({"code":"TSK0001","flag":"unknown-option","severity":"error","message":"bad \"�\"",)"
      R"("file":"a.tsk","line":2,"column":1,"endLine":2,"endColumn":4,)"
      R"("notes":[{"message":"see `three`","file":"a.tsk","line":2,"column":5,"endLine":2,"endColumn":10},)"
      R"({"message":"without a place"}],)"
      R"("fixits":[{"title":"write `2`","file":"a.tsk","line":2,"column":1,"endLine":2,"endColumn":4,"replacement":"2"},)"
      R"({"title":"add more","file":"a.tsk","line":2,"column":10,"endLine":2,"endColumn":10,"replacement":";\nfour"}],)"
      R"("timeline":{"title":"the run","tasks":["A","Other"],"steps":[)"
      R"({"task":0,"time":1,"text":"put","detail":"in iteration 3 of `i`","marked":true,"blocked":false,)"
      R"("file":"a.tsk","line":2,"column":1,"endLine":2,"endColumn":4},)"
      R"({"task":1,"time":2,"text":"get","detail":"","marked":false,"blocked":true,)"
      R"("file":"a.tsk","line":2,"column":5,"endLine":2,"endColumn":10}]}})"
      "\n");
}

TEST_CASE("a long timeline is shown by its end, or by its beginning") {
  Timeline run{"", {"A"}, {}};
  for (unsigned time = 1; time <= 5; ++time)
    run.entries.push_back({0, time, fmt::format("step {}", time), "", {}, false, false});
  run.maxRows = 2;
  CHECK(render(run) == "  time  A\n   ...  (3 earlier rows)\n     4  step 4\n     5  step 5");
  run.keepsFirstRows = true;
  CHECK(render(run) == "  time  A\n     1  step 1\n     2  step 2\n   ...  (3 later rows)");
}
