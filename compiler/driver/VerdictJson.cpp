#include "compiler/driver/VerdictJson.h"

#include "compiler/codegen/report/Report.h"
#include "compiler/support/JsonRenderer.h"
#include "compiler/verify/report/ScheduleTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

namespace json = llvm::json;

static llvm::StringRef wordFor(verify::VerifyResult::Verdict verdict) {
  switch (verdict) {
  case verify::VerifyResult::Verdict::Proved:
    return "proved";
  case verify::VerifyResult::Verdict::Fault:
    return "fault";
  case verify::VerifyResult::Verdict::Unknown:
    break;
  }
  return "unknown";
}

static json::Array texts(const std::vector<std::string> &list) {
  json::Array result;
  for (const std::string &each : list)
    result.push_back(json::fixUTF8(each));
  return result;
}

// What some function writes as JSON text, as a value.
static json::Value parsed(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  std::string text;
  llvm::raw_string_ostream os(text);
  write(os);
  return llvm::cantFail(json::parse(text));
}

static json::Object tableOf(const Compilation &compilation, const ir::Kernel &kernel,
                            const plan::Plan &plan, const SourceManager &sources) {
  json::Object table;
  const codegen::PlannedKernel planned{kernel, plan, compilation.targetOf(kernel)};
  json::Value plans = parsed([&](llvm::raw_ostream &os) { codegen::writeReportJson(planned, os); });
  table["plan"] = std::move(plans.getAsArray()->front());
  if (std::optional<Timeline> run = verify::showRun(plan))
    table["run"] = parsed([&](llvm::raw_ostream &os) {
      json::OStream out(os);
      out.object([&] { writeTimeline(out, sources, *run); });
    });
  return table;
}

json::Object describeVerdict(const Compilation &compilation, const ir::Kernel &kernel,
                             const SourceManager &sources, bool withTable) {
  json::Object object{{"kernel", kernel.name}, {"target", compilation.targetOf(kernel).name.str()}};
  const auto plan = llvm::find_if(
      compilation.plans, [&](const plan::Plan &each) { return each.kernel == kernel.name; });
  if (plan == compilation.plans.end()) {
    object["verdict"] = "rejected";
    return object;
  }
  const verify::VerifyResult &result = compilation.verdicts[plan - compilation.plans.begin()];
  object["verdict"] = wordFor(result.verdict);
  json::Array proved;
  for (const verify::Property *property : result.proved)
    proved.push_back(json::Object{
        {"id", property->id}, {"name", property->name}, {"sentence", property->sentence}});
  object["proved"] = std::move(proved);
  object["ranges"] = texts(result.ranges);
  object["assumptions"] = texts(result.assumptions);
  if (withTable)
    object["table"] = tableOf(compilation, kernel, *plan, sources);
  return object;
}

} // namespace tsk::driver
