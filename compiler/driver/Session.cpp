#include "compiler/driver/Session.h"
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/Explanations.h"
#include "compiler/driver/Version.h"

#include "compiler/support/Files.h"
#include "compiler/support/JsonRenderer.h"
#include "compiler/support/SarifRenderer.h"
#include "compiler/support/TextRenderer.h"

#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef, std::string> CannotRead{kind::CannotRead,
                                                              "cannot read `{}`: {}"};
constexpr Diagnostic<llvm::StringRef, size_t> InputTooLarge{
    kind::InputTooLarge, "`{}` is too large; the limit is {} MiB"};

constexpr Diagnostic<unsigned> ErrorsNotShown{
    kind::ErrorsNotShown, "{} more errors are not shown; `--error-limit=0` shows all"};

static bool wantsColor(Color color) {
  if (color != Color::Auto)
    return color == Color::Always;
  const char *noColor = std::getenv("NO_COLOR"); // https://no-color.org
  return llvm::errs().has_colors() && !(noColor && *noColor);
}

static std::unique_ptr<DiagnosticConsumer> makeRenderer(const CommandLine &commandLine,
                                                        const SourceManager &sources) {
  if (commandLine.format == DiagnosticsFormat::Json)
    return std::make_unique<JsonRenderer>(sources, llvm::errs(), llvm::outs());
  if (commandLine.format == DiagnosticsFormat::Sarif)
    return std::make_unique<SarifRenderer>(sources, llvm::errs(),
                                           SarifRenderer::Tool{TSK_VERSION, explanation});
  return std::make_unique<TextRenderer>(sources, llvm::errs(), wantsColor(commandLine.color));
}

Session::Session(const CommandLine &commandLine)
    : readByPrograms(commandLine.format != DiagnosticsFormat::Text),
      renderer(makeRenderer(commandLine, sources)), diags(*renderer) {}

llvm::StringRef Session::inputName() const {
  llvm::StringRef input = invocation.inputs.front();
  return input == "-" ? "<stdin>" : input;
}

SourceLoc Session::readInput() { return readFile(*this, invocation.inputs.front()); }

void Session::finish() {
  if (diags.errorLimit == 0 || diags.distinctErrorCount() <= diags.errorLimit)
    return;
  unsigned hidden = diags.distinctErrorCount() - diags.errorLimit;
  diags.errorLimit = 0;
  diags.report({}, ErrorsNotShown, hidden);
}

SourceLoc readFile(Session &session, llvm::StringRef path) {
  auto text = readSourceFile(path);
  if (text)
    return session.sources.addBuffer(std::move(*text), path == "-" ? "<stdin>" : path);
  if (text.getError() == std::errc::file_too_large)
    session.diags.report({}, InputTooLarge, path, MaxSourceBytes >> 20);
  else
    session.diags.report({}, CannotRead, path, text.getError().message());
  return {};
}

} // namespace tsk::driver
