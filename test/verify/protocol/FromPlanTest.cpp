// Plans, as text, judged by the engine.
#include "compiler/verify/proof/FromPlan.h"
#include "compiler/plan/Text.h"
#include "compiler/verify/protocol/Judge.h"

#include <catch2/catch.hpp>

using namespace tsk;
using protocol::Judgement;

static const std::string Copy = R"(plan tma_copy {
  target sm_90a;
  warps 8;
  min_ctas 1;
  shared 65600;
  scalar rows : i32 dimension;
  param src, dst;
  field box.data;
  work box.load, box.column, output.store;
  assume rows % 64 == 0;
  smem box.data stages 4 bytes 16384 align 128 at 0;
  mbarrier box.full stages 4 arrivals 1 at 65536 guards box;
  mbarrier box.empty stages 4 arrivals 128 at 65568 guards box;
  task Store warps 0 .. 4 {
    cursor box stages 4 parity 0;
    for r in 0 .. rows step 64 {
      wait box.full[box];
      let v : tsk::array<tsk::f16, BOX> = call box.column() reads box.data[box];
      arrive box.empty[box];
      advance box;
      call output.store(r, block.x * 128, v) writes param dst;
    }
  }
  task Load warps 4 .. 5 single_lane {
    cursor box stages 4 parity 1;
    for r in 0 .. ceil_div(rows, 64) {
      wait box.empty[box];
      arrive_expect box.full[box] bytes 16384 by leader;
      call box.load(r, block.x * 128) by leader writes box.data[box] by tma completes box.full[box] bytes 16384;
      advance box;
    }
  }
}
)";

namespace {
struct Collector : DiagnosticConsumer {
  std::string messages;
  void handle(const Report &report) override { messages += report.message + "\n"; }
};
} // namespace

static std::string judgePlan(std::string text, const std::string &from = "",
                             const std::string &to = "") {
  if (!from.empty()) {
    size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  SourceManager sources;
  Collector collector;
  DiagnosticEngine diagnostics(collector);
  auto plan = plan::parsePlan(
      sources, sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "a.plan"),
      diagnostics);
  INFO(collector.messages);
  REQUIRE(plan);
  proof::Translation translation = proof::fromPlan(*plan);
  if (!translation.unsupported.empty())
    return "unsupported: " + translation.unsupported.front().what;
  protocol::Model model = protocol::buildModel(translation.program);
  protocol::Verdict verdict = protocol::judge(model);
  if (verdict.judgement == Judgement::Unknown)
    return "unknown: " + verdict.reason;
  if (verdict.judgement == Judgement::Proved)
    return "proved";
  // The finding leads back to the step's place in the text.
  const protocol::Fault &fault = *verdict.fault;
  std::string line;
  if (fault.pc >= 0) {
    unsigned provenance = model.agents[fault.agent].code[fault.pc].provenance;
    SourceRange place = translation.origins[provenance].step->loc;
    line = sources.lineText(place.begin).trim().str();
  }
  return std::string(protocol::titleOf(fault.kind)) + ": " + line;
}

TEST_CASE("the plan of the copy is proved for all trip counts") {
  CHECK(judgePlan(Copy) == "proved");
}

TEST_CASE("bounds that are not provably equal are independent") {
  // Two loads and one turn of the reader is the smallest case.
  CHECK(judgePlan(Copy, "ceil_div(rows, 64)", "ceil_div(rows, 32)").substr(0, 5) == "exit:");
  CHECK(judgePlan(Copy, "0 .. rows step 64", "1 .. ceil_div(rows, 64) + 1") == "proved");
}

TEST_CASE("faults of a plan are found at their step") {
  CHECK(judgePlan(Copy, "arrivals 128", "arrivals 4") == "overrun: arrive box.empty[box];");
  CHECK(judgePlan(Copy, "arrivals 128", "arrivals 160") == "hang: wait box.empty[box];");
  CHECK(judgePlan(Copy, "bytes 16384 by leader", "bytes 8192 by leader").substr(0, 5) == "hang:");
  CHECK(judgePlan(Copy, "      arrive box.empty[box];\n", "") == "hang: wait box.empty[box];");
  CHECK(judgePlan(Copy, "      wait box.empty[box];\n", "").find("arrive_expect") !=
        std::string::npos);
  CHECK(judgePlan(Copy, "parity 1", "parity 0").substr(0, 5) == "hang:");
  CHECK(judgePlan(Copy, "      wait box.full[box];\n", "").substr(0, 10) == "unwritten:");
}

TEST_CASE("guards of a loop and conditions") {
  CHECK(judgePlan(Copy, "      arrive box.empty[box];\n",
                  "      if (first(r)) { arrive box.empty[box]; }\n")
            .substr(0, 5) == "hang:");
}

TEST_CASE("a constant stage that nobody wrote, or that another wrote") {
  const std::string head = R"(plan p {
    target sm_90a; warps 2; min_ctas 1; shared 80;
    field x; work w;
    smem x stages 1 bytes 64 align 16 at 0;
    mbarrier full stages 1 arrivals 32 at 64;
    task P warps 0 .. 1 { )";
  CHECK(judgePlan(head + R"(call w() writes x[0]; arrive full; }
    task C warps 1 .. 2 { wait full parity 0; call w() reads x[0]; }
  })") == "proved");
  CHECK(judgePlan(head + R"(call w() reads x[0];  arrive full; }
    task C warps 1 .. 2 { wait full parity 0; }
  })")
            .substr(0, 10) == "unwritten:");
}

TEST_CASE("bytes that are announced when the phase may be over") {
  // Nobody waits for the phase; the arrival alone can complete it.
  CHECK(judgePlan(R"(plan p {
    target sm_90a; warps 2; min_ctas 1; shared 80;
    work w;
    mbarrier full stages 1 arrivals 1 at 64;
    task P warps 0 .. 1 single_lane { expect full bytes 64 by leader; }
    task A warps 1 .. 2 single_lane { arrive full; }
  })")
            .substr(0, 12) == "late-expect:");
}

TEST_CASE("warps share a call, not two") {
  const std::string twoWarps = R"(plan p {
    target sm_90a; warps 2; min_ctas 1; shared 64;
    field x; work w, change;
    smem x stages 1 bytes 64 align 16 at 0;
    task P warps 0 .. 2 {
      call w() writes x[0];
      sync task;
      STEPS
    }
  })";
  auto with = [&](const std::string &steps) { return judgePlan(twoWarps, "STEPS", steps); };
  CHECK(with("call change() reads x[0] writes x[0];") == "proved");
  CHECK(with("for i in 0 .. 2 { call change() reads x[0] writes x[0]; }").substr(0, 5) == "race:");
  CHECK(with("for i in 0 .. 2 { call change() reads x[0] writes x[0]; sync task; }") == "proved");
}
