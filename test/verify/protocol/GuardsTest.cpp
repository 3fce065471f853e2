// Guards of outer loops, questions about the size of a number, warps that are told apart: the proof
// against every interleaving of every small case.
#include "BruteForce.h"

#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/protocol/Reader.h"
#include "compiler/verify/protocol/Run.h"

#include <catch2/catch.hpp>

using namespace tsk::protocol;

// Whether the program is proved. Checks each pair of trip counts up to 5 against the explorer.
static bool isProved(const std::string &text) {
  ReadError error;
  std::optional<Program> program = readProgram(text, error);
  INFO(text << error.line << ":" << error.column << ": " << error.message);
  REQUIRE(program);
  Model model = buildModel(*program);
  REQUIRE(model.unsupported == "");
  Verdict verdict = judge(model);
  INFO(verdict.reason);
  REQUIRE(verdict.judgement != Judgement::Unknown);
  bool isClean = true;
  for (int n = 0; n <= 5; ++n)
    for (int m = 0; m <= 5; ++m) {
      Scenario scenario;
      scenario.values = {n, m};
      scenario.values.resize(program->symbols.size());
      oracle::Exploration all = oracle::explore(oracle::expand(*program, scenario), 200000);
      REQUIRE(all.isComplete);
      Machine machine(model);
      INFO("n = " << n << ", m = " << m << ": " << all.why);
      CHECK(runScenario(machine, scenario).has_value() == !all.faults.empty());
      isClean &= all.faults.empty();
    }
  bool proved = verdict.judgement == Judgement::Proved;
  CHECK(proved == isClean);
  return proved;
}

static std::string two(const std::string &first, const std::string &second) {
  return "symbol n\nsymbol m\nwarp P { " + first + " }\nwarp C { " + second + " }\n";
}

TEST_CASE("guards of a loop further out") {
  std::string sync = "sync 1 64";
  CHECK(isProved(two("loop n { loop m { first out 1 { " + sync + " } } }",
                     "if n { loop m { " + sync + " } }")));
  CHECK_FALSE(isProved(
      two("loop n { loop m { first out 1 { " + sync + " } } }", "loop m { " + sync + " }")));
  CHECK(isProved(two("loop n { loop m { last out 1 { " + sync + " } } }",
                     "if n { loop m { " + sync + " } }")));
  CHECK(isProved(two("loop n { loop m { last out 1 { " + sync + " } else { sync 2 64 } } }",
                     "loop n { last { loop m { " + sync + " } } else { loop m { sync 2 64 } } }")));
  CHECK_FALSE(isProved(two("loop n { loop m { last out 1 { " + sync + " } } }",
                           "loop n { last { loop n { " + sync + " } } }")));
  CHECK(isProved(two("loop n { loop m { every 2 1 out 1 { " + sync + " } } }",
                     "loop n { every 2 1 { loop m { " + sync + " } } }")));
  CHECK_FALSE(isProved(two("loop n { loop m { every 2 1 out 1 { " + sync + " } } }",
                           "loop n { every 2 0 { loop m { " + sync + " } } }")));
}

TEST_CASE("questions about the size of a number") {
  CHECK(isProved(two("if n > 2 { sync 1 64 }", "loop n - 2 { first { sync 1 64 } }")));
  CHECK_FALSE(isProved(two("if n > 2 { sync 1 64 }", "loop n - 1 { first { sync 1 64 } }")));
  CHECK_FALSE(isProved(two("if n > 3 { sync 1 64 }", "loop n - 2 { first { sync 1 64 } }")));
  CHECK(isProved(two("loop n { sync 1 64 } if n > 1 { loop n - 1 { sync 2 64 } }",
                     "loop n { sync 1 64 } loop n - 1 { sync 2 64 }")));
  CHECK(isProved(two("if n > 1 { if m > 2 { sync 1 64 } else { sync 2 64 } }",
                     "loop n - 1 { first { if m > 2 { sync 1 64 } else { sync 2 64 } } }")));
}

TEST_CASE("iterations that are copies") {
  // The first two of a loop, each where there are so many, and the rest.
  CHECK(isProved(two("loop n { first { sync 1 64 } } loop n - 1 { first { sync 1 64 } } "
                     "loop n - 2 { sync 1 64 }",
                     "loop n { sync 1 64 }")));
  CHECK_FALSE(isProved(two("loop n { first { sync 1 64 } } loop n - 1 { first { sync 1 64 } } "
                           "loop n - 3 { sync 1 64 }",
                           "loop n { sync 1 64 }")));
}

TEST_CASE("warps that are told apart") {
  std::string head = "symbol n\nsymbol m\ncell s\nwarp W*4 { ";
  CHECK(isProved(head + "loop n { warps 0 2 { sync 1 64 } warps 2 4 { sync 2 64 } } }\n"));
  CHECK_FALSE(isProved(head + "loop n { warps 0 3 { sync 1 64 } warps 3 4 { sync 2 64 } } }\n"));
  CHECK(isProved(head + "warps 0 1 { wr s } warps 0 2 { sync 1 64 } warps 1 2 { rd s } }\n"));
  CHECK_FALSE(isProved(head + "warps 0 1 { wr s } warps 0 2 { sync 1 64 } warps 2 3 { rd s } }\n"));
}
