// `tskc fmt FILE…`: prints one file formatted, or with -i rewrites files, or with --check says
// which ones are not formatted.
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/OutputFiles.h"
#include "compiler/driver/Verbs.h"

#include "compiler/syntax/Formatter.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> NotFormatted{
    kind::NotFormatted, "`{}` is not formatted; `tskc fmt -i` formats it"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> SeveralInputs{
    kind::SeveralInputs, "`{}` is a second input; without `-i` or `--check`, `tskc {}` prints one"};

static void formatOne(Session &session, llvm::StringRef path, OutputFiles &outputs) {
  const Invocation &invocation = session.invocation;
  SourceLoc text = readFile(session, path);
  if (!text.isValid())
    return;
  std::optional<std::string> formatted = syntax::format(session.sources, text, session.diags);
  if (!formatted)
    return;
  bool isChanged =
      *formatted != session.sources.bufferText(text) || session.sources.hadLoneReturns(text);
  if (invocation.checkFormat) {
    if (isChanged)
      session.diags.report({}, NotFormatted, session.sources.bufferName(text));
  } else if (!invocation.inPlace) {
    outputs.add(invocation.output.empty() ? "-" : invocation.output, std::move(*formatted));
  } else if (isChanged && path != "-") {
    outputs.add(path, std::move(*formatted));
  } else if (path == "-") {
    outputs.add("-", std::move(*formatted));
  }
}

ExitCode runFmt(Session &session) {
  const Invocation &invocation = session.invocation;
  if (invocation.inputs.size() > 1 && !invocation.inPlace && !invocation.checkFormat) {
    session.diags.report({}, SeveralInputs, invocation.inputs[1], "fmt");
    return ExitUsage;
  }
  OutputFiles outputs;
  for (llvm::StringRef path : invocation.inputs)
    formatOne(session, path, outputs);
  // Of several files, the sound ones are formatted even where another has errors.
  outputs.write(session.diags, /*keepUnchanged=*/false);
  return session.exitCode();
}

} // namespace tsk::driver
