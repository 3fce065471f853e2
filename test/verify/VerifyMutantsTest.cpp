// Every protocol step of every sample's plan deleted, doubled, swapped with the next one and moved
// to its block's ends, judged by verify() as tskc calls it: rejected, or right in every
// interleaving of a small case.
#include "compiler/ir/Fold.h"
#include "compiler/plan/Text.h"
#include "compiler/verify/Verify.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "test/verify/oracle/Explorer.h"

#include "llvm/ADT/STLExtras.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

using namespace tsk;

namespace {

struct Collector : DiagnosticConsumer {
  void handle(const Report &report) override { reports.push_back(report); }
  std::vector<Report> reports;
};

std::string read(const std::filesystem::path &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path.string());
  REQUIRE(buffer);
  return (*buffer)->getBuffer().str();
}

// The texts of the plans that tskc makes of the samples.
std::vector<std::string> samplePlans() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(TSK_SAMPLES))
    if (entry.path().extension() == ".tsk")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> plans;
  auto output = std::filesystem::temp_directory_path() /
                ("tsk-mutants-" + std::to_string(std::hash<std::string>()(TSK_TSKC)));
  for (const auto &file : files) {
    std::string command = std::string("'") + TSK_TSKC + "' --emit=plan -o '" + output.string() +
                          "' '" + file.string() + "' > /dev/null";
    INFO(command);
    REQUIRE(std::system(command.c_str()) == 0);
    llvm::SmallVector<llvm::StringRef> parts;
    std::string text = read(output);
    llvm::StringRef(text).split(parts, "\nplan ", -1, /*KeepEmpty=*/false);
    for (llvm::StringRef part : parts)
      plans.push_back((part.starts_with("plan ") ? "" : "plan ") + part.str());
  }
  std::filesystem::remove(output);
  return plans;
}

struct Parsed {
  explicit Parsed(const std::string &text) : engine(collector) {
    plan = plan::parsePlan(
        sources, sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "sample.plan"),
        engine);
    for (const Report &report : collector.reports)
      UNSCOPED_INFO(report.message);
    REQUIRE(plan);
  }
  SourceManager sources;
  Collector collector;
  DiagnosticEngine engine;
  std::unique_ptr<plan::Plan> plan;
};

bool isProtocol(const plan::Step &step) {
  switch (step.kind) {
  case plan::StepKind::Call:
    return llvm::any_of(step.accesses, [](const plan::Access &each) { return bool(each.field); });
  case plan::StepKind::Let:
  case plan::StepKind::Var:
  case plan::StepKind::Assign:
  case plan::StepKind::For:
  case plan::StepKind::ParallelFor:
  case plan::StepKind::If:
    return false;
  default:
    return true;
  }
}

// The mutants of one step, each a change of its region.
using Change = void (*)(std::vector<plan::Step> &, size_t);
constexpr std::pair<const char *, Change> Changes[] = {
    {"delete", [](std::vector<plan::Step> &steps, size_t at) { steps.erase(steps.begin() + at); }},
    {"double",
     [](std::vector<plan::Step> &steps, size_t at) {
       plan::Step copy = steps[at];
       steps.insert(steps.begin() + at, std::move(copy));
     }},
    {"swap",
     [](std::vector<plan::Step> &steps, size_t at) {
       if (at + 1 < steps.size())
         std::swap(steps[at], steps[at + 1]);
     }},
    {"to the front",
     [](std::vector<plan::Step> &steps, size_t at) {
       std::rotate(steps.begin(), steps.begin() + at, steps.begin() + at + 1);
     }},
    {"to the end",
     [](std::vector<plan::Step> &steps, size_t at) {
       std::rotate(steps.begin() + at, steps.begin() + at + 1, steps.end());
     }},
};

// Whether the explorer knows all that is in a plan.
bool isExplorable(const plan::Plan &plan) {
  for (const plan::Region &region : plan.regions)
    for (const plan::Step &step : region.steps)
      switch (step.kind) {
      case plan::StepKind::Wait:
      case plan::StepKind::Arrive:
      case plan::StepKind::ArriveExpect:
      case plan::StepKind::Expect:
      case plan::StepKind::Advance:
      case plan::StepKind::Call:
      case plan::StepKind::For:
        break;
      default:
        return false;
      }
  return true;
}

// The same plan with loops that run `trips` times, for the explorer.
void fixTrips(plan::Plan &plan, int64_t trips) {
  auto constant = [&](int64_t value) {
    ir::Expr expr;
    expr.op = ir::ExprOp::IntConst;
    expr.type = ir::Type::ofScalar(ir::ScalarType::I32);
    expr.value = value;
    return plan.tables.exprs.add(std::move(expr));
  };
  for (plan::Region &region : plan.regions)
    for (plan::Step &step : region.steps) {
      // The explorer knows fields alone.
      llvm::erase_if(step.accesses, [](const plan::Access &access) { return !access.field; });
      if (step.kind == plan::StepKind::For || step.kind == plan::StepKind::ParallelFor) {
        step.loop.lower = constant(0);
        step.loop.upper = constant(trips);
        step.loop.step = constant(1);
      }
    }
}

bool multiplies(const plan::Step &step) {
  return llvm::any_of(step.accesses, [](const plan::Access &access) {
    return access.isWrite && access.mechanism == ir::Mechanism::Wgmma;
  });
}

// A multiplication before a loop of others.
bool isFirstProduct(const plan::Plan &plan, size_t region, size_t at) {
  const std::vector<plan::Step> &steps = plan.regions[plan.regions.idAt(region)].steps;
  return multiplies(steps[at]) && llvm::any_of(steps, [&](const plan::Step &loop) {
           return loop.kind == plan::StepKind::For &&
                  llvm::any_of(plan.regions[loop.body].steps, multiplies);
         });
}

} // namespace

TEST_CASE("no mutant of a sample's plan escapes verify()") {
  unsigned mutants = 0, rejected = 0, equivalent = 0, beyond = 0;
  for (const std::string &text : samplePlans()) {
    Parsed original(text);
    verify::VerifyResult result;
    INFO(text);
    REQUIRE(verify::verify(*original.plan, original.engine, {}, result));
    for (size_t r = 0; r < original.plan->regions.size(); ++r)
      for (size_t at = 0; at < original.plan->regions[original.plan->regions.idAt(r)].steps.size();
           ++at) {
        if (!isProtocol(original.plan->regions[original.plan->regions.idAt(r)].steps[at]))
          continue;
        for (const auto &[name, change] : Changes) {
          Parsed mutant(text);
          change(mutant.plan->regions[mutant.plan->regions.idAt(r)].steps, at);
          ++mutants;
          verify::VerifyOptions options;
          options.showsTimelines = false;
          if (!verify::verify(*mutant.plan, mutant.engine, options, result)) {
            REQUIRE_FALSE(mutant.collector.reports.empty());
            // Without the first product, or with it elsewhere, all others are in a loop that may
            // not run: of no other mutant is it unknown.
            const bool isOpen = mutant.collector.reports[0].kind == kind::RegistersNotShown;
            INFO("region " << r << " step " << at << ": " << name);
            const bool isBefore = llvm::StringRef(name) == "to the front";
            CHECK((!isOpen || isBefore || isFirstProduct(*original.plan, r, at)));
            CHECK((isOpen || result.verdict != verify::VerifyResult::Verdict::Unknown));
            ++rejected;
            continue;
          }
          // Proved for every trip count: so it has to be right for some.
          bool isComplete = isExplorable(*mutant.plan);
          for (int64_t trips : {0, 1, 2, 3, 5}) {
            if (!isExplorable(*mutant.plan))
              break;
            fixTrips(*mutant.plan, trips);
            oracle::Exploration all = oracle::explore(*mutant.plan, 3000, /*stopsAtFirst=*/true);
            INFO("region " << r << " step " << at << ": " << name << ", " << trips
                           << " trips: " << all.first);
            CHECK(all.faults == 0);
            isComplete &= all.isComplete;
          }
          ++(isComplete ? equivalent : beyond);
        }
      }
  }
  WARN("mutants " << mutants << ": rejected " << rejected << ", equivalent " << equivalent
                  << ", equivalent as far as the explorer went " << beyond);
  CHECK(rejected > mutants / 2); // else they are no test
}
