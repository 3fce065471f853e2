// Launches: what is computed of one, which ones a search finds, and how many steps they take.
#include "compiler/plan/Text.h"
#include "compiler/verify/Verify.h"
#include "compiler/verify/proof/Witness.h"

#include <catch2/catch.hpp>

using namespace tsk;

namespace {

struct Collector : DiagnosticConsumer {
  void handle(const Report &report) override { messages.push_back(report.message); }
  std::vector<std::string> messages;
};

struct Parsed {
  explicit Parsed(const std::string &text) : engine(collector) {
    SourceLoc begin =
        sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy("plan p {" + text + "}"), "p");
    plan = plan::parsePlan(sources, begin, engine);
    REQUIRE(plan);
  }
  const ir::Loop &loop() const {
    for (const plan::Region &region : plan->regions)
      for (const plan::Step &step : region.steps)
        if (step.kind == plan::StepKind::For)
          return step.loop;
    FAIL("no loop");
    std::abort();
  }
  SourceManager sources;
  Collector collector;
  DiagnosticEngine engine;
  std::unique_ptr<plan::Plan> plan;
};

// A chain of `let`s, each made of the one before.
std::string chain(const std::string &first, const std::string &left, const std::string &right,
                  int count) {
  std::string text = fmt::format("let a0 uniform kernel : i32 = {};", first);
  for (int i = 0; i < count; ++i)
    text += fmt::format("let a{} uniform kernel : i32 = {}a{}{};", i + 1, left, i, right);
  return text + fmt::format("for i in 0 .. a{} {{ }}", count);
}

// The trips of the loop behind a chain where `n` is 5.
std::optional<int64_t> trips(const std::string &lets) {
  Parsed parsed("scalar n : i32; task A warps 0 .. 1 {" + lets + "}");
  const proof::Computer computer(*parsed.plan, nullptr);
  proof::Launch launch(&computer);
  launch.set(parsed.plan->scalars.idAt(0), ir::ConstantScalar::ofInt(5));
  const proof::Computed found = computer.trips(parsed.loop(), launch);
  return found.isKnown() ? std::optional(found.value.value) : std::nullopt;
}

} // namespace

TEST_CASE("a chain of definitions has its value, however long it is") {
  CHECK(trips(chain("n", "", " + 1", 3)) == 8);
  CHECK(trips(chain("n", "", " + 1", 5000)) == 5005);
}

TEST_CASE("what is set anew is computed anew") {
  Parsed parsed("scalar n : i32; task A warps 0 .. 1 { for i in 0 .. n * 2 { } }");
  const proof::Computer computer(*parsed.plan, nullptr);
  proof::Launch launch(&computer);
  for (int64_t n : {3, 4}) {
    launch.set(parsed.plan->scalars.idAt(0), ir::ConstantScalar::ofInt(n));
    const proof::Launch copy = launch;
    CHECK(computer.trips(parsed.loop(), copy).value.value == 2 * n);
    CHECK(computer.trips(parsed.loop(), launch).value.value == 2 * n);
  }
}

TEST_CASE("each search for launches begins afresh") {
  Parsed parsed("scalar n : i32; task A warps 0 .. 1 { for i in 0 .. n { } }");
  proof::Witness witness(*parsed.plan, nullptr);
  auto count = [&] {
    int found = 0;
    witness.findAny(40, [&](const proof::Launch &) { return ++found < 0; });
    return found;
  };
  const int first = count();
  CHECK(first > 1);
  CHECK(count() == first);
}

TEST_CASE("what must leave a remainder has launches") {
  for (const char *requirement : {"n % 128 == 0 && n > 0", "n % 100 == 0 && n % 128 == 0 && n > 0",
                                  "n % 96 == 95 && n % 7 == 3"}) {
    Parsed parsed(fmt::format(
        "scalar n : i32; assume {}; task A warps 0 .. 1 {{ for i in 0 .. n {{ }} }}", requirement));
    proof::Witness witness(*parsed.plan, nullptr);
    INFO(requirement);
    CHECK(witness.findAny(40, [](const proof::Launch &) { return true; }));
  }
}

TEST_CASE("all launches that are tried have one budget of steps") {
  // Each of many launches takes as long as the whole, and none has the fault: n * n is not
  // negative.
  Parsed parsed(R"(
    scalar n : i32; scalar m : i32; assume n < 1000 && n > -1000;
    mbarrier b arrivals 1; mbarrier d arrivals 1;
    task A warps 0 .. 1 single_lane {
      cursor c stages 1 parity 0;
      for k in 0 .. 50 { arrive d[c]; wait d[c]; advance c; }
      if (n * n >= 0) { arrive b; } else { }
      if (m > 3) { arrive d[c]; } else { arrive d[c]; }
    }
    task B warps 1 .. 2 single_lane { wait b parity 0; })");
  auto verdict = [&](uint64_t maxSteps) {
    verify::VerifyOptions options;
    options.maxSteps = maxSteps;
    verify::VerifyResult result;
    verify::verify(*parsed.plan, parsed.engine, options, result);
    CHECK(result.verdict == verify::VerifyResult::Verdict::Unknown);
    return result.steps;
  };
  const uint64_t enough = verdict(1000000);
  CHECK(enough > 1000);
  // The proof of the whole has as many.
  CHECK(verdict(enough / 8) <= 2 * (enough / 8) + 100);
}
