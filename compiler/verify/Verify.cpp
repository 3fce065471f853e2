#include "compiler/verify/Verify.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/checks/Checks.h"
#include "compiler/verify/report/Explain.h"
#include "compiler/verify/structure/Structure.h"

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, size_t> NothingChecked{
    kind::NothingChecked,
    "the verifier could not check `{}`: every run it tried has more than {} steps"};

class Runner {
public:
  Runner(const plan::Plan &thePlan, DiagnosticEngine &engine, const VerifyOptions &theOptions,
         VerifyResult &theResult)
      : options(theOptions), diags(engine), result(theResult), model(thePlan), coordinates(thePlan),
        items(model), choices(planChoices(thePlan, coordinates, theOptions.maxRuns)) {}

  void run() {
    describeCoverage();
    for (const Choices &choice : choices.runs)
      if (!tryOne(choice))
        return;
    if (skipped)
      result.limits.push_back(
          fmt::format("{} of {} combinations were left out: their runs are too long", skipped,
                      choices.runs.size()));
    if (result.runs == 0) {
      result.verdict = VerifyResult::Verdict::Unknown;
      diags.report({}, NothingChecked, model.plan().kernel, options.maxStepsPerRun);
    }
  }

private:
  // False: a fault was found, or there is no use in going on.
  bool tryOne(const Choices &choice) {
    size_t left = result.steps < options.maxSteps ? options.maxSteps - result.steps : 0;
    std::optional<Program> program =
        expand(model, coordinates, choice, std::min(options.maxStepsPerRun, left));
    if (!program) {
      ++skipped;
      return true;
    }
    CanonicalRun run(model, items, *program);
    std::optional<Finding> finding = run.run();
    ++result.runs;
    result.steps += program->size();
    if (!finding)
      return true;
    result.verdict = VerifyResult::Verdict::Fault;
    // Once more for the record: runs are deterministic, and most need none.
    CanonicalRun recorded(model, items, *program);
    recorded.recordsEvents = true;
    recorded.run();
    explain({model, coordinates, choice, *program, recorded, options.showsTimelines}, *finding,
            diags);
    return false;
  }

  void describeCoverage() {
    for (size_t i = 0; i < coordinates.all().size(); ++i) {
      const Coordinate &coordinate = coordinates.all()[i];
      CheckedCoordinate checked{coordinate.text, {}};
      for (int64_t value : choices.values[i])
        checked.values.push_back(coordinate.kind == Coordinate::Kind::Trips
                                     ? fmt::format("{}", value)
                                     : spelling(static_cast<BranchPattern>(value)).str());
      result.coordinates.push_back(std::move(checked));
      if (coordinate.kind == Coordinate::Kind::Trips && coordinate.dependsOnLoop)
        result.limits.push_back(fmt::format(
            "`{}` changes with an enclosing loop; each run takes one number for all its iterations",
            coordinate.text));
    }
    for (ir::ExprId assumption : model.plan().assumptions)
      result.assumptions.push_back(coordinates.knowledge().text(assumption));
    if (choices.isReduced)
      result.limits.push_back("there are too many combinations of trip counts and branches to try "
                              "all of the usual ones");
  }

  const VerifyOptions &options;
  DiagnosticEngine &diags;
  VerifyResult &result;
  Model model;
  Coordinates coordinates;
  Items items;
  ChoicePlan choices;
  size_t skipped = 0;
};

} // namespace

bool verify(const plan::Plan &plan, DiagnosticEngine &diags, const VerifyOptions &options,
            VerifyResult &result) {
  bool isGood = checkBudgets(plan, diags);
  isGood &= checkUniformity(plan, diags);
  isGood &= !options.checksLanes || checkLanes(plan, diags);
  isGood &= checkModelled(plan, diags);
  if (!isGood) {
    result.verdict = VerifyResult::Verdict::Fault;
    return false;
  }
  Runner(plan, diags, options, result).run();
  return result.verdict == VerifyResult::Verdict::Clean;
}

bool verify(const ir::Kernel &kernel, const plan::Plan &plan, DiagnosticEngine &diags,
            const VerifyOptions &options, VerifyResult &result) {
  if (!checkStructure(kernel, diags, options)) {
    result.verdict = VerifyResult::Verdict::Fault;
    return false;
  }
  return verify(plan, diags, options, result);
}

std::string describe(const VerifyResult &result) {
  std::string text;
  switch (result.verdict) {
  case VerifyResult::Verdict::Fault:
    return "a fault was found\n";
  case VerifyResult::Verdict::Unknown:
    text = "not checked: every run is too long\n";
    break;
  case VerifyResult::Verdict::Clean:
    text = fmt::format("no fault in {} run{}, each judged for all interleavings\n", result.runs,
                       result.runs == 1 ? "" : "s");
    break;
  }
  for (const CheckedCoordinate &coordinate : result.coordinates)
    text +=
        fmt::format("checked for `{}`: {}\n", coordinate.text, fmt::join(coordinate.values, ", "));
  for (const std::string &assumption : result.assumptions)
    text += fmt::format("assuming `{}`\n", assumption);
  for (const std::string &limit : result.limits)
    text += limit + "\n";
  return text;
}

} // namespace tsk::verify
