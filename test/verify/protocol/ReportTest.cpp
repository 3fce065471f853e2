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

TEST_CASE("the scenario of a fault in every tile holds the numbers of the tiles") {
  std::string tiles = "symbol T\ntile symbol n\ntile symbol m\nrequire n >= m, m >= n\n"
                      "bar full[3] 1, empty[3] 1\n";
  std::string text = report(
      (tiles + "warp P { tiles T { loop n { wait empty[p]!; aexpect full[p] 8; next p } } }\n"
               "warp C { tiles T { loop m { wait full[c]; arrive empty[c]; next c } } }\n")
          .c_str());
  INFO(text);
  CHECK(text.find("V1 hang") == 0);
  CHECK(text.find("(T = 1, n = 1, m = 1)") != std::string::npos);
}
