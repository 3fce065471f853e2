// Both sides of a finding.
#include "compiler/verify/protocol/Report.h"
#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/protocol/Reader.h"

#include <catch2/catch.hpp>

using namespace tsk::protocol;

static std::string report(const char *text) {
  ReadError error;
  std::optional<Program> program = readProgram(text, error);
  REQUIRE(program);
  Model model = buildModel(*program);
  Verdict verdict = judge(model);
  return describe(model, verdict, explain(model, verdict));
}

TEST_CASE("a race names both accesses, their iterations and the smallest scenario") {
  std::string text = report("symbol n\ncell s\nwarp W { loop n {\nwr s\nsync 0 64 } }\n"
                            "warp R { loop n { sync 0 64\nrd s } }\n");
  INFO(text);
  CHECK(text.find("V2 race on s (n = 2)\n") == 0);
  CHECK(text.find("W at 4: wr s, iteration 1") != std::string::npos);
  CHECK(text.find("R at 7: rd s, iteration 0") != std::string::npos);
}

TEST_CASE("a missed phase names the wait that is overtaken") {
  std::string text = report("symbol n >= 2\nbar b 1\nwarp A { loop n {\narrive b\nsync 0 64 } }\n"
                            "warp B { loop n { sync 0 64 } }\n"
                            "warp O { wait b parity 0 }\n");
  INFO(text);
  CHECK(text.find("V3") == 0);
}
