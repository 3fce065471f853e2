#include "compiler/driver/Explanations.h"

#include "compiler/support/TextRenderer.h" // spelling, codeName

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tsk::driver {

using llvm::StringRef;

static constexpr llvm::StringLiteral Pages[] = {
#include "compiler/driver/Explanations.inc"
};

StringRef explanation(const DiagnosticInfo &diagnostic) {
  std::string heading = "\n## " + codeName(diagnostic.code) + "\n";
  for (StringRef page : Pages) {
    size_t at = page.find(heading);
    if (at == StringRef::npos)
      continue;
    StringRef rest = page.drop_front(at + heading.size());
    return rest.take_front(rest.find("\n## ")).trim('\n');
  }
  return {};
}

void printDiagnosticsMarkdown(llvm::raw_ostream &os) {
  os << "# Diagnostics\n\n"
        "<!-- Generated from compiler/*/*Diagnostics.md by `./dev docs`. Do not edit. -->\n\n"
        "`tskc explain CODE` prints the same on the terminal. The first digits say who speaks: 0 "
        "command line and\nfiles, 1 language, 2 verifier, 3 bodies, 4 plan and budgets, 5 "
        "generated "
        "code. A code never changes its meaning.\n\n"
        "With `--diagnostics-format=json` or `=sarif` programs can read them "
        "([how](json.md)).\n";
  std::vector<DiagnosticInfo> sorted(allDiagnostics().begin(), allDiagnostics().end());
  std::sort(sorted.begin(), sorted.end(),
            [](const DiagnosticInfo &a, const DiagnosticInfo &b) { return a.code < b.code; });
  for (const DiagnosticInfo &each : sorted)
    os << "\n## " << codeName(each.code) << ' ' << each.flag << " (" << spelling(each.severity)
       << ")\n\n"
       << explanation(each) << '\n';
}

} // namespace tsk::driver
