// `tskc explain CODE…`: diagnostics, and the properties that are proved.
#include "compiler/driver/DriverDiagnostics.h"
#include "compiler/driver/Explanations.h"
#include "compiler/driver/Verbs.h"

#include "compiler/support/TextRenderer.h" // spelling, codeName
#include "compiler/verify/Verify.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

constexpr Diagnostic<llvm::StringRef> UnknownCode{
    kind::UnknownCode, "there is no diagnostic `{}`; codes look like `TSK1101`"};

// By code (`TSK1101`, `1101`) or by name (`unknown-name`).
static const DiagnosticInfo *find(llvm::StringRef word) {
  llvm::StringRef digits = word;
  digits.consume_front_insensitive("TSK");
  unsigned code = 0;
  bool isCode = !digits.getAsInteger(10, code);
  const auto *found = llvm::find_if(allDiagnostics(), [&](const DiagnosticInfo &each) {
    return isCode ? each.code == code : each.flag == word;
  });
  return found == allDiagnostics().end() ? nullptr : found;
}

// `V2`, as `tskc check --table` names what is proved.
static bool explainProperty(llvm::StringRef word) {
  for (const verify::Property &property : verify::allProperties()) {
    if (!word.equals_insensitive(property.id))
      continue;
    llvm::outs() << property.id << ' ' << property.name << ": " << property.sentence
                 << "\n\nA property that `tskc check` proves of each kernel.\n";
    const std::string mention = ("Property " + property.id + ",").str();
    for (const DiagnosticInfo &each : allDiagnostics())
      if (explanation(each).contains(mention))
        llvm::outs() << "  " << codeName(each.code) << ' ' << each.flag << '\n';
    return true;
  }
  return false;
}

ExitCode runExplain(Session &session) {
  for (llvm::StringRef word : session.invocation.inputs) {
    if (explainProperty(word))
      continue;
    const DiagnosticInfo *diagnostic = find(word);
    if (!diagnostic) {
      session.diags.report({}, UnknownCode, word);
      continue;
    }
    llvm::outs() << codeName(diagnostic->code) << ' ' << diagnostic->flag << " ("
                 << spelling(diagnostic->severity) << ")\n\n"
                 << explanation(*diagnostic) << '\n';
  }
  return session.exitCode();
}

} // namespace tsk::driver
