// From argv to an Invocation.
#pragma once

#include "compiler/driver/Invocation.h"
#include "compiler/support/Diagnostics.h"

#include "llvm/Option/ArgList.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"

namespace tsk::driver {

enum class DiagnosticsFormat : uint8_t { Text, Json, Sarif };
enum class Color : uint8_t { Auto, Always, Never };

// Parsed in two steps, because how to report a fault in the command line is itself an option: the
// constructor splits the words and reads the two options about reporting, readInvocation() judges
// all the others.
class CommandLine {
public:
  CommandLine(int argc, const char *const *argv);

  DiagnosticsFormat format = DiagnosticsFormat::Text;
  Color color = Color::Auto;

  bool asks(OptionId option) const { return arguments.hasArg(option); }
  llvm::StringRef valueOf(OptionId option) const { return arguments.getLastArgValue(option); }
  Verb verb() const { return chosenVerb; }
  bool knowsVerb() const { return unknownVerb.empty(); }

  // False after a fault in the command line, which was reported. Sets the engine's policy too.
  bool readInvocation(Invocation &invocation, DiagnosticEngine &diags) const;

private:
  void expandResponseFiles(int argc, const char *const *argv);
  void chooseVerb();
  bool checkWords(DiagnosticEngine &diags) const;
  void reportUnknownOption(llvm::StringRef word, DiagnosticEngine &diags) const;
  void readModel(Invocation &invocation, DiagnosticEngine &diags) const;
  static void checkArch(const Invocation &invocation, DiagnosticEngine &diags);
  static void checkPasses(const Invocation &invocation, DiagnosticEngine &diags);
  void readNumber(OptionId option, Invocation &invocation, DiagnosticEngine &diags) const;
  bool checkAlone(OptionId asked, DiagnosticEngine &diags) const;
  bool readInputs(Invocation &invocation, DiagnosticEngine &diags) const;
  bool readDefines(Invocation &invocation, DiagnosticEngine &diags) const;
  void readWarnings(DiagnosticEngine &diags) const;
  void readDependencies(Invocation &invocation) const;

  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char *, 32> words;
  std::string responseFileError;
  std::string unknownVerb; // what stands where a verb was expected
  Verb chosenVerb = Verb::Compile;
  llvm::opt::InputArgList arguments;
  unsigned missingIndex = 0;
  unsigned missingCount = 0;
};

} // namespace tsk::driver
