#include "compiler/verify/Verify.h"
#include "compiler/verify/Findings.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/proof/FromPlan.h"

#include <set>

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string> NotJudged{kind::NotJudged,
                                                         "the verifier has no model of {}{}"};
constexpr Diagnostic<std::string, std::string> NotOfPlans{kind::NotJudged, "{}{}"};

constexpr Property Properties[] = {
#define TSK_PROPERTY(Id, Name, Sentence) {Id, Name, Sentence},
#include "compiler/verify/Properties.def"
};

} // namespace

llvm::ArrayRef<Property> allProperties() { return Properties; }

// Those of the task graph were asked where there is one.
static bool isAsked(const Property &property, const ir::Kernel *kernel) {
  if (property.id == "V7")
    return kernel;
  if (property.id == "V10")
    return kernel && kernel->depends;
  return true;
}

static std::string rangeOf(const protocol::Symbol &symbol) {
  std::string where = symbol.isPerTile ? ", another one in each iteration" : "";
  if (symbol.isCondition)
    return fmt::format("`{}` or not{}", symbol.name, where);
  if (symbol.max < INT_MAX)
    return fmt::format("`{}` from {} to {}{}", symbol.name, std::max(0, symbol.min), symbol.max,
                       where);
  return symbol.min > 0 ? fmt::format("`{}` >= {}{}", symbol.name, symbol.min, where)
                        : fmt::format("`{}`{}", symbol.name, where);
}

// What works return is what their text says; that threads agree on it is declared, not seen.
static void assumeResults(const plan::Plan &plan, VerifyResult &result) {
  std::set<std::string> names;
  for (const ir::Value &value : plan.tables.values)
    if (value.kind == ir::Value::Kind::Result && value.uniformity != ir::Uniformity::Thread)
      names.insert(value.name);
  for (const std::string &name : names)
    result.assumptions.push_back(
        fmt::format("that `{}` is the same for all threads, as its work says (`uniform`)", name));
}

static bool isMulticast(const plan::Plan &plan) {
  for (const plan::Region &region : plan.regions)
    for (const plan::Step &step : region.steps)
      for (const plan::Access &access : step.accesses)
        if (countAlong(plan.cluster, access.multicast) > 1)
          return true;
  return false;
}

static void describeScope(const plan::Plan &plan, const protocol::Program &program,
                          const VerifyOptions &options, VerifyResult &result) {
  for (const Property &property : Properties)
    if (isAsked(property, options.kernel))
      result.proved.push_back(&property);
  for (const protocol::Symbol &symbol : program.symbols)
    if (symbol.min != symbol.max)
      result.ranges.push_back(rangeOf(symbol));
  proof::Facts facts(plan), withoutRequires(plan, proof::Facts::Learn::Nothing);
  for (ir::ExprId assumption : plan.assumptions) // `cols % 1 == 0` of an instance assumes nothing
    if (withoutRequires.all().truthValue(withoutRequires.term(assumption)) != true)
      result.assumptions.push_back(fmt::format("`{}`", facts.text(assumption)));
  if (!options.judgesPlaces)
    result.assumptions.push_back(
        "that the threads of one call stay inside of its stages, fill them "
        "and do not meet in what it writes");
  if (!options.judgesPlaces && isMulticast(plan))
    result.assumptions.push_back(
        "that CTAs which load slices for each other name the same tile, in the same iteration");
  assumeResults(plan, result);
}

bool verify(const plan::Plan &plan, DiagnosticEngine &diags, const VerifyOptions &options,
            VerifyResult &result) {
  result = {};
  bool isGood = checkBudgets(plan, diags);
  isGood &= checkUniformity(plan, diags);
  isGood &= checkLoopSteps(plan, diags);
  isGood &= !options.checksLanes || checkLanes(plan, diags);
  isGood &= checkPeers(plan, diags);
  Outcome worst = checkInFlight(plan, diags, result.assumptions);
  const bool isTileShown = !options.judgesPlaces || checkMulticast(plan, diags);
  worst = std::max(worst, checkGlobalMemory(plan, options.kernel, diags, result.assumptions));
  if (!isGood || !isTileShown || worst != Outcome::Right) {
    using Verdict = VerifyResult::Verdict;
    result.verdict = !isGood || worst == Outcome::Fault ? Verdict::Fault : Verdict::Unknown;
    return false;
  }
  proof::Translation translation = proof::fromPlan(plan, nullptr, options.kernel);
  for (const proof::Unsupported &each : translation.unsupported)
    diags.report(each.loc, each.isSentence ? NotOfPlans : NotJudged, each.what,
                 each.wayOut.empty() ? "" : "; " + each.wayOut);
  if (!translation.unsupported.empty())
    return false;
  findAll(plan, translation, diags, options, result);
  if (result.verdict != VerifyResult::Verdict::Proved)
    return false;
  warnOfUnusedItems(plan, diags);
  describeScope(plan, translation.program, options, result);
  return true;
}

std::string describe(const VerifyResult &result) {
  switch (result.verdict) {
  case VerifyResult::Verdict::Fault:
    return "a fault was found\n";
  case VerifyResult::Verdict::Unknown:
    return "not proved\n";
  case VerifyResult::Verdict::Proved:
    break;
  }
  std::string text = "proved in every interleaving: ";
  for (const Property *property : result.proved)
    text += fmt::format("{}{} {}", property == result.proved.front() ? "" : ", ", property->id,
                        property->name);
  text += "\n";
  for (const std::string &range : result.ranges)
    text += fmt::format("for every {}\n", range);
  for (const std::string &assumption : result.assumptions)
    text += fmt::format("assuming {}\n", assumption);
  return text;
}

} // namespace tsk::verify
