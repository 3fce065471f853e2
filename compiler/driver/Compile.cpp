// `tskc FILE`: verifies a file and writes what --emit asks for.
#include "compiler/driver/Compilation.h"
#include "compiler/driver/DependencyRule.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/Verbs.h"

#include "compiler/codegen/Cuda.h"
#include "compiler/ir/Text.h"
#include "compiler/plan/Text.h"
#include "compiler/syntax/AstDump.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

using llvm::StringRef;

namespace {
// What a run writes, and where to.
struct Written {
  std::string output; // the main output's path
  std::vector<std::string> paths;
};
} // namespace

static Phase phaseFor(Emit emit) {
  if (emit == Emit::Ast)
    return Phase::Syntax;
  return emit == Emit::Ir ? Phase::Sema : Phase::Plan;
}

// "dir/copy.tsk.cu" -> "dir/copy.tsk.h"
static std::string headerPath(StringRef source) {
  StringRef stem = source;
  if (!stem.consume_back(".cu"))
    return source.str() + ".h";
  return stem.str() + ".h";
}

static std::string textOf(const Session &session, const Compilation &compilation, Emit emit) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (emit == Emit::Ast)
    ast::dump(*compilation.file, session.sources, os);
  else if (emit == Emit::Ir)
    ir::print(*compilation.module, &session.sources, os);
  else
    for (const plan::Plan &plan : compilation.plans)
      plan::print(plan, &session.sources, os);
  return text;
}

// Code goes to files beside the caller, `copy.tsk.cu` and `copy.tsk.h`, unless -o says otherwise.
static Written addCode(const Session &session, const Compilation &compilation,
                       OutputFiles &outputs) {
  const Invocation &invocation = session.invocation;
  StringRef input = session.invocation.inputs.front();
  std::string name = input == "-" ? "stdin.tsk" : llvm::sys::path::filename(input).str();
  Written written;
  bool isHeader = invocation.emit == Emit::Header;
  written.output = invocation.output;
  if (written.output.empty())
    written.output = isHeader ? "-" : name + ".cu";
  std::string source = written.output == "-" || isHeader ? name + ".cu" : written.output;
  std::string header = headerPath(source);

  codegen::CudaOptions options;
  options.sourceName = llvm::sys::path::filename(source).str();
  options.headerName = llvm::sys::path::filename(header).str();
  options.nameSpace = invocation.cppNamespace;
  codegen::CudaText text =
      codegen::emitCuda(*compilation.module, compilation.plans, session.sources, options);
  written.paths.push_back(written.output);
  outputs.add(written.output, std::move(isHeader ? text.header : text.source));
  if (!isHeader && written.output != "-") {
    written.paths.push_back(header);
    outputs.add(header, std::move(text.header));
  }
  return written;
}

static void addDependencies(const Session &session, const Compilation &compilation,
                            const Written &written, OutputFiles &outputs) {
  const Invocation &invocation = session.invocation;
  std::vector<std::string> files = {invocation.inputs.front()};
  if (compilation.module)
    files = compilation.module->dependencies;
  for (StringRef file : files)
    outputs.addInput(file);
  if (!invocation.writeDependencies)
    return;
  std::string rulePath = invocation.dependencyFile;
  if (rulePath.empty())
    rulePath = (written.output == "-" ? invocation.inputs.front() : written.output) + ".d";
  const auto &targets =
      invocation.dependencyTargets.empty() ? written.paths : invocation.dependencyTargets;
  outputs.add(rulePath, dependencyRule(targets, files, invocation.phonyTargets));
}

ExitCode runCompile(Session &session) {
  const Invocation &invocation = session.invocation;
  Compilation compilation(session);
  // The task graphs are shown with all that the file asks for; code is emitted without tests.
  if (!compilation.run(phaseFor(invocation.emit), /*withTests=*/invocation.emit == Emit::Ir))
    return ExitErrors;

  OutputFiles outputs;
  Written written;
  if (invocation.emit == Emit::Cuda || invocation.emit == Emit::Header) {
    compilation.warnWithoutKernel();
    written = addCode(session, compilation, outputs);
  } else {
    written.output = invocation.output.empty() ? "-" : invocation.output;
    written.paths.push_back(written.output);
    outputs.add(written.output, textOf(session, compilation, invocation.emit));
  }
  addDependencies(session, compilation, written, outputs);
  outputs.write(session.diags, invocation.keepUnchanged);
  return session.exitCode();
}

} // namespace tsk::driver
