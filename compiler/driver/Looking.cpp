// The verbs that only look: check, graph, report.
#include "compiler/driver/Compilation.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/Verbs.h"
#include "compiler/driver/VerdictJson.h"

#include "compiler/codegen/report/Graph.h"
#include "compiler/codegen/report/Report.h"
#include "compiler/verify/report/ScheduleTable.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

namespace tsk::driver {

// Compiles up to `phase` and writes what `write` makes of it to -o or standard output.
static ExitCode look(Session &session, Phase phase,
                     llvm::function_ref<void(const Compilation &, llvm::raw_ostream &)> write) {
  Compilation compilation(session);
  if (!compilation.run(phase))
    return ExitErrors;
  if (session.invocation.verb != Verb::Check) // which libraries without kernels may pass
    compilation.warnWithoutKernel();
  std::string text;
  llvm::raw_string_ostream os(text);
  write(compilation, os);
  OutputFiles outputs;
  for (llvm::StringRef file : compilation.module->dependencies)
    outputs.addInput(file);
  outputs.add(session.invocation.output.empty() ? "-" : session.invocation.output, std::move(text));
  outputs.write(session.diags, /*keepUnchanged=*/false);
  return session.exitCode();
}

// One object a kernel, among the diagnostics; faulty ones too.
static ExitCode checkForPrograms(Session &session) {
  Compilation compilation(session);
  compilation.run(Phase::Plan);
  if (!compilation.module)
    return session.exitCode();
  for (const auto &kernel : compilation.module->kernels)
    session.sayResult(
        describeVerdict(compilation, *kernel, session.sources, session.invocation.table));
  return session.exitCode();
}

static void writeVerdict(llvm::StringRef kernel, llvm::StringRef verdict, llvm::raw_ostream &os) {
  os << kernel << ":\n";
  for (auto [line, rest] = verdict.split('\n'); !line.empty();
       std::tie(line, rest) = rest.split('\n'))
    os << "  " << line << '\n';
}

ExitCode runCheck(Session &session) {
  if (session.isReadByPrograms())
    return checkForPrograms(session);
  return look(session, Phase::Plan, [&](const Compilation &compilation, llvm::raw_ostream &os) {
    for (size_t i = 0; i < compilation.plans.size(); ++i) {
      if (!session.invocation.table) {
        writeVerdict(compilation.plans[i].kernel, verify::describe(compilation.verdicts[i]), os);
        continue;
      }
      verify::printScheduleTable(compilation.plans[i], compilation.verdicts[i], os);
    }
  });
}

ExitCode runGraph(Session &session) {
  return look(session, Phase::Sema, [](const Compilation &compilation, llvm::raw_ostream &os) {
    codegen::writeGraph(*compilation.module, os);
  });
}

ExitCode runReport(Session &session) {
  return look(session, Phase::Plan, [&](const Compilation &compilation, llvm::raw_ostream &os) {
    std::vector<codegen::PlannedKernel> kernels;
    for (size_t i = 0; i < compilation.plans.size(); ++i) {
      const ir::Kernel &kernel = *compilation.module->kernels[i];
      kernels.push_back({kernel, compilation.plans[i], compilation.targetOf(kernel)});
    }
    if (session.invocation.jsonReport)
      return codegen::writeReportJson(kernels, os);
    for (const codegen::PlannedKernel &kernel : kernels)
      codegen::writeReport(kernel, os);
  });
}

} // namespace tsk::driver
