// What the verifier knows about trip counts and conditions.
#include "compiler/plan/Text.h"
#include "compiler/verify/Verify.h"
#include "compiler/verify/proof/FromPlan.h"

#include <catch2/catch.hpp>

using namespace tsk;

namespace {

struct Collector : DiagnosticConsumer {
  void handle(const Report &report) override { FAIL(report.message); }
};

struct Parsed {
  explicit Parsed(const std::string &text) : engine(collector) {
    SourceLoc begin =
        sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy("plan p {" + text + "}"), "p");
    plan = plan::parsePlan(sources, begin, engine);
    REQUIRE(plan);
  }
  SourceManager sources;
  Collector collector;
  DiagnosticEngine engine;
  std::unique_ptr<plan::Plan> plan;
};

std::vector<protocol::Symbol> symbolsOf(const plan::Plan &plan) {
  proof::Translation translation = proof::fromPlan(plan);
  for (const proof::Unsupported &each : translation.unsupported)
    FAIL(each.what);
  return translation.program.symbols;
}

// The symbols of two tasks whose loops have the given heads.
std::vector<std::string> symbols(const std::string &declarations, const std::string &first,
                                 const std::string &second) {
  Parsed parsed(fmt::format("{} mbarrier b arrivals 1;"
                            "task A warps 0 .. 1 single_lane {{ {} {{ arrive b; }} }}"
                            "task B warps 1 .. 2 single_lane {{ {} {{ arrive b; }} }}",
                            declarations, first, second));
  std::vector<std::string> result;
  for (const protocol::Symbol &symbol : symbolsOf(*parsed.plan))
    result.push_back(symbol.name);
  return result;
}

using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("equal trip counts are one symbol") {
  std::string n = "scalar n : i32; scalar m : i32;";
  CHECK(symbols(n, "for i in 0 .. n", "for j in 0 .. n") == Texts{"n"});
  CHECK(symbols(n, "for i in 0 .. n step 4", "for j in 0 .. ceil_div(n, 4)") ==
        Texts{"ceil_div(n, 4)"});
  CHECK(symbols(n, "for i in 0 .. n step 4", "for j in 0 .. (n + 3) / 4").size() == 1);
  CHECK(symbols(n, "for i in 0 .. n step 4", "for j in 0 .. (n + 4 - 1) / 4").size() == 1);
  CHECK(symbols(n, "for i in reversed 0 .. n + m", "for j in 0 .. m + n").size() == 1);
  CHECK(symbols(n, "let k = n * 2; for i in 0 .. k", "for j in 0 .. 2 * n").size() == 1);
}

TEST_CASE("linear ones share their symbol") {
  std::string n = "scalar n : i32; scalar m : i32;";
  CHECK(symbols(n, "for i in 0 .. n", "for j in 1 .. n") == Texts{"n"});
  CHECK(symbols(n, "for i in 0 .. n", "for j in 0 .. 2 * n + 1") == Texts{"n"});
  CHECK(symbols(n, "for i in 0 .. n step 4", "for j in 4 .. n step 4") == Texts{"ceil_div(n, 4)"});
  CHECK(symbols(n, "for i in 0 .. n", "for j in 0 .. max(n - 2, 0)") == Texts{"n"});
  CHECK(symbols(n, "for i in 0 .. min(n, 3)", "for j in 3 .. n") == Texts{"n"});
  CHECK(symbols(n, "for i in 0 .. max(n, 6)", "for j in 6 .. n").size() == 1);
  CHECK(symbols(n, "for i in 6 .. n", "for j in 3 .. max(n, 6) + 3").size() == 1);
  CHECK(symbols(n, "for i in 0 .. max(n, 6)", "for j in 5 .. n").size() == 2);
  CHECK(symbols(n + "assume n >= 6;", "for i in 0 .. max(n, 6)", "for j in 5 .. n") == Texts{"n"});
}

TEST_CASE("unequal ones are two, unless `requires` says otherwise") {
  std::string n = "scalar n : i32; scalar m : i32;";
  CHECK(symbols(n, "for i in 0 .. n", "for j in 0 .. m") == Texts{"n", "m"});
  CHECK(symbols(n, "for i in 0 .. n step 4", "for j in 0 .. n / 4") ==
        Texts{"ceil_div(n, 4)", "n / 4"});
  CHECK(symbols(n + "assume n % 4 == 0;", "for i in 0 .. n step 4", "for j in 0 .. n / 4") ==
        Texts{"n / 4"});
  CHECK(symbols(n + "assume n == m;", "for i in 0 .. n", "for j in 0 .. m").size() == 1);
  CHECK(symbols(n + "assume n == 2 * m;", "for i in 0 .. n", "for j in 0 .. m * 2").size() == 1);
  CHECK(symbols(n + "assume n == 3;", "for i in 0 .. n", "for j in 0 .. 3").empty());
}

TEST_CASE("bounds of trip counts come from dimensions and `requires`") {
  auto range = [](const std::string &declarations, const std::string &loop) {
    Parsed parsed(fmt::format("{} mbarrier b arrivals 1;"
                              "task A warps 0 .. 1 {{ {} {{ arrive b; }} }}",
                              declarations, loop));
    std::vector<protocol::Symbol> all = symbolsOf(*parsed.plan);
    REQUIRE(all.size() == 1);
    return std::pair(all[0].min, all[0].max);
  };
  CHECK(range("scalar n : i32;", "for i in 0 .. n").first == 0);
  CHECK(range("scalar n : i32 dimension;", "for i in 0 .. n step 64").first == 0);
  CHECK(range("scalar n : i32 dimension;", "for i in 0 .. n / 64").first == 0);
  CHECK(range("scalar n : i32; assume n >= 130 && n < 200;", "for i in 0 .. n / 64").first == 2);
  CHECK(range("scalar n : i32; assume n >= 130 && n < 257;", "for i in 0 .. n / 64").second == 4);
  CHECK(range("scalar n : i32; assume 5 < n;", "for i in 2 .. n").first == 6);
  // A number that may be negative: from -3 down there are no trips.
  CHECK(range("scalar n : i32;", "for i in 0 .. n + 3").first == -3);
}

TEST_CASE("conditions that ordinals or bounds decide are no symbols") {
  std::string n = "scalar n : i32; scalar f : i32;";
  auto with = [&](const std::string &condition) {
    return symbols(
        n, fmt::format("for i in 0 .. 4 {{ if ({}) {{ arrive b; }} }} if (true)", condition),
        "if (true)");
  };
  CHECK(with("first(i)").empty());
  CHECK(with("last(i) || i == 2").empty());
  CHECK(with("every(i, 2) && !(i % 3 == 1)").empty());
  CHECK(with("i + 2 < 4").empty());
  CHECK(with("f == 0") == Texts{"f == 0"});
  CHECK(with("f == 0 || f == 1") == Texts{"f == 1", "f == 0"});
  CHECK(with("f == 0 || f != 0").empty());
  CHECK(with("f < n && !(f >= n)") == Texts{"f < n"});
  n += "assume f > 3;";
  CHECK(with("f > 2").empty());
  CHECK(with("f == 1").empty());
}

namespace {

bool isProved(const std::string &text) {
  Parsed parsed(text);
  verify::VerifyResult result;
  return verify::verify(*parsed.plan, parsed.engine, {}, result);
}

} // namespace

TEST_CASE("a condition goes by the loop that it depends on") {
  // B asks outside the inner loop what A asks inside it: in no run do they disagree.
  CHECK(isProved("scalar f : i32; mbarrier full arrivals 1; mbarrier empty arrivals 1;"
                 "task A warps 0 .. 1 single_lane { cursor c parity 1;"
                 "  for t in 0 .. 3 { for k in 0 .. 3 {"
                 "    if (f > t) { wait empty[c]; arrive full[c]; advance c; } } } }"
                 "task B warps 1 .. 2 single_lane { cursor c;"
                 "  for t in 0 .. 3 { if (f > t) { for k in 0 .. 3 {"
                 "    wait full[c]; arrive empty[c]; advance c; } } } }"));
}

// Of two calls, and two values of a `var`, nothing says that they are equal.
TEST_CASE("what may change from one evaluation to the next is no one thing") {
  std::string f = "function f(i32) -> (i32) changes_by g; scalar n : i32;";
  CHECK(symbols(f, "if (f(n) > 0)", "if (f(n) > 0)").size() == 2);
  CHECK(symbols(f, "for i in 0 .. f(n)", "for i in 0 .. f(n)").size() == 2);
  CHECK(symbols(f, "if (f(n) == f(n))", "if (n < n)").size() == 1);
  CHECK(symbols(f, "let k = f(n); if (k == k)", "if (n < n)").empty());
  std::string g = "function f(i32) -> (i32); scalar n : i32;";
  CHECK(symbols(g, "if (f(n) > 0)", "if (f(n) > 0)").size() == 1);
  // A product and a sum of reals may be fused at one place and not at the other.
  std::string x = "scalar x : f32;";
  CHECK(symbols(x, "if (x * x + 1.0f > 0.0f)", "if (x * x + 1.0f > 0.0f)").size() == 2);
  CHECK(symbols(x, "if (x * x > 1.0f)", "if (x * x > 1.0f)").size() == 1);
}
