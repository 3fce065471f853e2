// Thousands of spoiled texts of plans: each is refused with one message or read, and then what is
// printed reads back to the same and the verifier has a verdict.
#include "compiler/plan/Text.h"
#include "compiler/verify/Verify.h"

#include <catch2/catch.hpp>

#include <random>

using namespace tsk;

namespace {

struct Counter : DiagnosticConsumer {
  void handle(const Report &report) override { errors += report.severity == Severity::Error; }
  unsigned errors = 0;
};

constexpr const char *Text = R"(plan p {
  target sm_90a; warps 6; min_ctas 1; shared 4096;
  scalar n : i32 dimension; scalar f : f32; param a, b; assume n % 4 == 0 && n < 100;
  smem x stages 2 bytes 64 align 128; smem y bytes 32 at 0;
  mbarrier full stages 2 arrivals 1 guards x; mbarrier empty stages 2 arrivals 32 guards x;
  named turn id 1 threads 64;
  registers warps 0 .. 4 dec 40;
  tensor_map m : a to x box [8, 8] swizzle none;
  task P warps 0 .. 1 single_lane {
    cursor c stages 2 parity 1;
    for i in 0 .. n step 4 {
      wait empty[c];
      arrive_expect full[c] bytes 64 by leader;
      call x.load(i * 2, f) by leader writes x[c] by tma completes full[c] bytes 64 reads param a;
      advance c;
    }
  }
  task C warps 1 .. 2 {
    cursor c stages 2 parity 0;
    var s uniform kernel : f32 = 1.5f;
    for i in reversed 0 .. n / 4 unroll 2 {
      if (first(i) || n > 3) { wait full[c]; } else { wait full[c]; }
      let (u, v : tsk::array<f32, 4>) = call x.get(i) reads x[c];
      let w = s * 2.0f;
      s = w;
      fence proxy_async;
      arrive empty[c];
      advance c;
    }
    sync turn; sync cta; sync task;
    parallel for k in 0 .. 8 across cta { call o.put(k) writes param b; }
  }
  task D warps 2 .. 3 { sync turn; sync cta; try_wait full[1] parity 0; expect full[0] bytes 8 by warp; }
})";

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> result;
  for (char c : text) {
    bool isWord = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    bool joins = !result.empty() && isWord &&
                 (std::isalnum(static_cast<unsigned char>(result.back().back())) ||
                  result.back().back() == '_');
    if (joins)
      result.back() += c;
    else
      result.emplace_back(1, c);
  }
  return result;
}

std::string print(const plan::Plan &plan) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  plan::print(plan, nullptr, stream);
  return text;
}

std::unique_ptr<plan::Plan> parse(SourceManager &sources, const std::string &text,
                                  DiagnosticEngine &engine) {
  return plan::parsePlan(
      sources, sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "p.plan"), engine);
}

} // namespace

TEST_CASE("a spoiled plan is refused or read, never more") {
  const std::vector<std::string> original = wordsOf(Text);
  std::mt19937 engine(7);
  auto below = [&](size_t n) { return engine() % n; };
  unsigned read = 0;
  for (unsigned round = 0; round < 3000; ++round) {
    std::vector<std::string> spoiled = original;
    for (unsigned mutations = 1 + below(3); mutations > 0; --mutations) {
      size_t at = below(spoiled.size());
      switch (below(4)) {
      case 0:
        spoiled.erase(spoiled.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      case 1:
        spoiled[at] = original[below(original.size())];
        break;
      case 2:
        std::swap(spoiled[at], spoiled[below(spoiled.size())]);
        break;
      default:
        spoiled[at] = std::to_string(int64_t{1} << below(63));
      }
    }
    std::string text;
    for (const std::string &word : spoiled)
      text += word;
    INFO(text);

    SourceManager sources;
    Counter counter;
    DiagnosticEngine diags(counter);
    std::unique_ptr<plan::Plan> plan = parse(sources, text, diags);
    REQUIRE(counter.errors == (plan ? 0u : 1u));
    if (!plan)
      continue;
    ++read;
    std::string once = print(*plan);
    std::unique_ptr<plan::Plan> again = parse(sources, once, diags);
    INFO(once);
    REQUIRE(again);
    REQUIRE(print(*again) == once);
    verify::VerifyOptions options;
    options.maxSteps = 50000;
    verify::VerifyResult result;
    bool isClean = verify::verify(*plan, diags, options, result);
    REQUIRE(isClean == (counter.errors == 0));
    verify::describe(result);
  }
  // Mostly refused, but not always: otherwise the second half tests nothing.
  CHECK(read > 100);
}
