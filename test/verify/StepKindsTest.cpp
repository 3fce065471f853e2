// What each kind of step, access and scope means to the proof. A new kind has no entry here and
// fails the test until somebody has said what it means: nothing of a plan is ever passed over.
#include "compiler/plan/Text.h"
#include "compiler/verify/proof/FromPlan.h"

#include <catch2/catch.hpp>

#include <set>

using namespace tsk;
using plan::StepKind;

namespace {

struct Collector : DiagnosticConsumer {
  void handle(const Report &report) override { FAIL(report.message); }
};

struct Entry {
  StepKind kind;
  const char *text;    // of a task with two warps
  const char *program; // of the task; or "!" and what has no translation
};

constexpr const char *Head =
    "plan p { scalar n : i32; smem x stages 2 bytes 64; mbarrier b arrivals 1; named t id 1 "
    "threads 64; task A warps 0 .. 2 { cursor c stages 2; ";

constexpr Entry Entries[] = {
    {StepKind::Wait, "wait b parity 1;", "wait"},
    {StepKind::Wait, "wait b parity 1 by leader;", "leader{wait}"},
    {StepKind::TryWait, "try_wait b parity 0;", "try"},
    {StepKind::Arrive, "arrive b;", "arrive 32"},
    {StepKind::Arrive, "arrive b by warp;", "arrive 1"},
    {StepKind::Arrive, "arrive t;", "narrive 64"},
    {StepKind::ArriveExpect, "arrive_expect b bytes 8 by leader;", "leader{aexpect 8}"},
    {StepKind::ArriveExpect, "arrive_expect b bytes 8;", "expect 256 arrive 32"},
    {StepKind::Expect, "expect b bytes 8;", "expect 256"},
    {StepKind::Advance, "advance c;", "next 1"},
    {StepKind::Sync, "sync cta;", "sync 64"},
    {StepKind::Sync, "sync t;", "sync 64"},
    {StepKind::Fence, "fence proxy_async;", "pfence"},
    {StepKind::Fence, "fence wgmma;", ""}, // of registers, which are no cells
    {StepKind::CommitGroup, "commit_group wgmma;", "gcommit"},
    {StepKind::CommitGroup, "commit_group bulk by leader;", "leader{scommit}"},
    {StepKind::WaitGroup, "wait_group wgmma 1;", "gwait 1"},
    {StepKind::WaitGroup, "wait_group bulk 0 read by warp;", "swaitread 0"},
    {StepKind::Call, "call w() reads x[c] by wgmma writes acc by wgmma;", "gmma rd"},
    {StepKind::Call, "call w() by warp reads x[1] by tma;", "store rd"},
    {StepKind::Call, "call w() reads x[c] writes x[1];", "access rd wr"},
    {StepKind::Call, "call w();", "access"}, // only to be shown
    {StepKind::Let, "let k = n + 1; for i in 0 .. k { arrive b; }", "loop 1*n+1{arrive 32}"},
    {StepKind::Var, "var s = 0;", ""},
    {StepKind::Assign, "var s = 0; s = 1;", ""},
    // What is assigned may be anything: a choice by it has no translation.
    {StepKind::Assign, "var s = 0; for i in 0 .. n { if (s > 0) { sync t; } s = i; }", "!"},
    {StepKind::For, "for i in 0 .. n { arrive b; }", "loop 1*n+0{arrive 32}"},
    {StepKind::For, "for i in 0 .. 3 { arrive b; }", "loop 3{arrive 32}"},
    {StepKind::For, "for i in 0 .. n { let k = i; }", ""},
    {StepKind::ParallelFor, "parallel for i in 0 .. n across task { call w() writes x[1]; }",
     "loop 1{access wr}"},
    {StepKind::If, "if (n > 2) { arrive b; } else { sync t; }",
     "if n > 2 or not{arrive 32}else{sync 64}"},
    {StepKind::If, "for i in 0 .. n { if (first(i)) { arrive b; } }",
     "loop 1*n+0{first{arrive 32}}"},
};

class Writer {
public:
  explicit Writer(const protocol::Program &written) : program(written) {}

  std::string text(const protocol::Region &region) const {
    std::string result;
    for (const protocol::Node &node : region)
      result += (result.empty() ? "" : " ") + text(node);
    return result;
  }

private:
  std::string text(const protocol::Node &node) const {
    std::string body = "{" + text(node.body) + "}";
    if (!node.elseBody.empty())
      body += "else{" + text(node.elseBody) + "}";
    switch (node.kind) {
    case protocol::NodeKind::Op:
      return text(node.op);
    case protocol::NodeKind::Loop:
      return "loop " + text(node.count) + body;
    case protocol::NodeKind::Tiles:
      return "tiles " + text(node.count) + body;
    case protocol::NodeKind::First:
      return "first" + body;
    case protocol::NodeKind::Last:
      return "last" + body;
    case protocol::NodeKind::Every:
      return fmt::format("every {} {}", node.modulus, node.remainder) + body;
    case protocol::NodeKind::If:
      return "if " + program.symbols[node.symbol].name + " or not" + body;
    case protocol::NodeKind::Leader:
      return "leader" + body;
    case protocol::NodeKind::Warps:
      return fmt::format("warps {} {}", node.firstWarp, node.endWarp) + body;
    case protocol::NodeKind::OnRanks:
      return "rank" + body;
    }
    return "";
  }

  std::string text(const protocol::Count &count) const {
    if (count.outer > 0) // of the loop so many further out
      return fmt::format("{}*[{}]{:+}", count.scale, count.outer, count.add);
    if (count.symbol < 0)
      return std::to_string(count.add);
    return fmt::format("{}*{}{:+}", count.scale, program.symbols[count.symbol].name, count.add);
  }

  std::string text(const protocol::Op &op) const {
    using protocol::OpKind;
    std::string result = protocol::spelling(op.kind);
    // The three queues' names, as in a program's text.
    static constexpr const char *Queues[][4] = {{"gmma", "gcommit", "gwait", "gwaitread"},
                                                {"store", "scommit", "swait", "swaitread"},
                                                {"group", "cpcommit", "cpwait", "cpwaitread"}};
    const char *const *queue = Queues[static_cast<size_t>(op.queue)];
    if (op.kind == OpKind::Group)
      result = queue[0];
    if (op.kind == OpKind::GroupCommit)
      return queue[1];
    if (op.kind == OpKind::GroupWait)
      result = queue[op.readOnly ? 3 : 2];
    if (op.kind != OpKind::Wait && op.kind != OpKind::TryWait && op.kind != OpKind::Access &&
        op.kind != OpKind::ProxyFence && op.kind != OpKind::Group &&
        op.kind != OpKind::ClusterArrive && op.kind != OpKind::ClusterWait)
      result += fmt::format(" {}", op.n);
    for (const protocol::CellRef &cell : op.cells)
      result += cell.isWrite ? " wr" : " rd";
    return result;
  }

  const protocol::Program &program;
};

std::string translated(const plan::Plan &plan) {
  proof::Translation translation = proof::fromPlan(plan);
  if (!translation.unsupported.empty())
    return "!" + translation.unsupported.front().what;
  return Writer(translation.program).text(translation.program.tasks[0].body);
}

std::unique_ptr<plan::Plan> parse(const std::string &text) {
  SourceManager sources;
  Collector collector;
  DiagnosticEngine engine(collector);
  SourceLoc begin = sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "p.plan");
  return plan::parsePlan(sources, begin, engine);
}

bool has(const plan::Plan &plan, StepKind kind) {
  for (const plan::Region &region : plan.regions)
    for (const plan::Step &step : region.steps)
      if (step.kind == kind)
        return true;
  return false;
}

} // namespace

TEST_CASE("every kind of step has a meaning") {
  std::set<StepKind> known;
  for (const Entry &entry : Entries) {
    INFO(entry.text);
    std::unique_ptr<plan::Plan> plan = parse(std::string(Head) + entry.text + " } }");
    REQUIRE(plan);
    REQUIRE(has(*plan, entry.kind));
    known.insert(entry.kind);
    std::string program = translated(*plan);
    if (llvm::StringRef(entry.program) == "!")
      CHECK(program.substr(0, 1) == "!");
    else
      CHECK(program == entry.program);
  }
#define TSK_STEP(Name, Mnemonic)                                                                   \
  {                                                                                                \
    INFO("no entry for the step " Mnemonic);                                                       \
    CHECK(known.count(StepKind::Name) == 1);                                                       \
  }
#include "compiler/plan/Steps.def"
}

TEST_CASE("every mechanism has a meaning or is refused") {
  using ir::Mechanism;
  struct Case {
    bool isWrite, completes;
    std::vector<std::string> programs; // by mechanism
  };
  const Case cases[] = {
      {true,
       true,
       {"leader{access wr}", "leader{group wr} leader{cparrive 1}", "leader{load 64 wr}", "!", "!",
        "!", "!", "!"}},
      {true, false, {"leader{access wr}", "!", "!", "!", "!", "!", "!", "!"}},
      {false,
       false,
       {"leader{access rd}", "!", "leader{store rd}", "leader{gmma rd}", "!", "!", "!", "!"}},
  };
  for (const Case &each : cases) {
    // Mechanism has no list of its own; its last enumerator is the count.
    REQUIRE(each.programs.size() == static_cast<size_t>(Mechanism::Cta) + 1);
    for (size_t i = 0; i < each.programs.size(); ++i) {
      auto mechanism = static_cast<Mechanism>(i);
      std::unique_ptr<plan::Plan> plan =
          parse(std::string(Head) + "call w() by leader writes x[1]; } }");
      for (plan::Region &region : plan->regions)
        for (plan::Step &step : region.steps) {
          step.accesses[0].mechanism = mechanism;
          step.accesses[0].isWrite = each.isWrite;
          step.accesses[0].bytes = 64;
          if (each.completes)
            step.accesses[0].completes = plan->barriers.idAt(0);
        }
      INFO(words::spelling(mechanism).str() << (each.isWrite ? " writes" : " reads"));
      std::string program = translated(*plan);
      CHECK((each.programs[i] == "!" ? program.substr(0, 1) : program) == each.programs[i]);
    }
  }
}

TEST_CASE("every scope of a barrier of threads has a meaning") {
  auto sync = [](const std::string &scope, unsigned warps) {
    return translated(*parse(fmt::format("plan p {{ task A warps 0 .. {} {{ sync {}; }} "
                                         "task B warps 6 .. 7 {{ }} }}",
                                         warps, scope)));
  };
  CHECK(sync("warp", 6) == "");
  CHECK(sync("warpgroup", 6) == "warps 0 4{sync 128} warps 4 6{sync 64}");
  CHECK(sync("warpgroup", 5) == "warps 0 4{sync 128}");
  CHECK(sync("task", 6) == "sync 192");
  CHECK(sync("task", 1) == "");
  CHECK(sync("cta", 6) == "sync 224");
  CHECK(sync("cluster", 6) == "carrive cwait");
}

TEST_CASE("iterations that are asked for by number are copies") {
  auto loop = [](const std::string &head, const std::string &condition) {
    return translated(*parse(
        fmt::format("{} for i in {} {{ if ({}) {{ sync t; }} }} }} }}", Head, head, condition)));
  };
  CHECK(loop("0 .. n", "i == 0") == "loop 1*n+0{first{sync 64}}");
  CHECK(loop("0 .. n", "i > 0") == "loop 1*n+0{first{}else{sync 64}}");
  CHECK(loop("4 .. n step 4", "i == 4") == "loop 1*ceil_div(n, 4)-1{first{sync 64}}");
  CHECK(loop("0 .. n", "i < 2") == "loop 1*n+0{first{sync 64}} loop 1*n-1{first{sync 64}}");
  CHECK(loop("0 .. n", "i == 1") == "loop 1*n-1{first{sync 64}}");
  CHECK(loop("0 .. n", "i % 3 == 1") == "loop 1*n+0{every 3 1{sync 64}}");
  CHECK(loop("2 .. n", "i % 3 == 1") == "loop 1*n-2{every 3 2{sync 64}}");
  CHECK(loop("0 .. n", "i + 1 < n") == "loop 1*n+0{last{}else{sync 64}}");
  CHECK(loop("0 .. n", "i == n - 1 || last(i)") == loop("0 .. n", "last(i) || last(i)"));
  CHECK(loop("0 .. n", "i == n - 2") == "loop 1*n-1{first{sync 64}}");
  CHECK(loop("0 .. n", "i + 2 < n") == "loop 1*n-2{sync 64}");
  CHECK(loop("0 .. n step 8", "i + 16 < n") == "loop 1*ceil_div(n, 8)-2{sync 64}");
  CHECK(loop("0 .. min(n, 2)", "true") == "loop 1*n+0{first{sync 64}} loop 1*n-1{first{sync 64}}");
  CHECK(loop("0 .. 3", "i == 1") == "loop 1{sync 64}");
}

TEST_CASE("outer loops of which something changes are tile loops") {
  auto task = [](const std::string &body) { return translated(*parse(Head + body + " } }")); };
  CHECK(task("for i in 0 .. n { for k in 0 .. i { sync t; } }") ==
        "loop 1*n+0{loop 1*[1]+0{sync 64}}");
  CHECK(task("for i in 2 .. n { for k in i .. 3 * i { if (last(k)) { sync t; } } }") ==
        "loop 1*n-2{loop 2*[1]+4{last{sync 64}}}");
  CHECK(task("for i in 0 .. n { for k in i .. n { sync t; } }") ==
        "tiles 1*n+0{loop 1*n - i+0{sync 64}}");
  CHECK(task("for i in 0 .. n { if (i * i > n) { sync t; } }") ==
        "tiles 1*n+0{if i * i > n or not{sync 64}}");
  CHECK(task("for i in 0 .. n { for k in 0 .. 4 { if (first(i) && last(k)) { sync t; } } }") ==
        "loop 1*n+0{loop 4{first{last{sync 64}}}}");
  CHECK(task("for k in 0 .. 3 { for j in 0 .. k { sync t; } }") == "loop 3{loop 1*[1]+0{sync 64}}");
  CHECK(task("for i in 0 .. n { for k in 0 .. n { for j in 0 .. k { sync t; } } }") ==
        "loop 1*n+0{loop 1*n+0{loop 1*[1]+0{sync 64}}}");
  CHECK(task("for i in 0 .. n { for k in 0 .. n { if (k * k > n) { sync t; } } }")[0] == '!');
}
