// The pipeline: from a file to verified plans. Every verb that compiles runs it as far as it needs.
#pragma once

#include "compiler/body/BodyMacros.h"
#include "compiler/body/BodyReading.h"
#include "compiler/driver/ExpectedFaults.h"
#include "compiler/driver/Session.h"
#include "compiler/driver/TimeReport.h"
#include "compiler/ir/Module.h"
#include "compiler/plan/Plan.h"
#include "compiler/syntax/Ast.h"
#include "compiler/target/Target.h"
#include "compiler/verify/Verify.h"

namespace tsk::driver {

// What a verb needs: all phases up to this one are run.
enum class Phase : uint8_t { Syntax, Sema, Plan };

// What --print-after takes, in the order in which they run.
std::vector<llvm::StringRef> passNames();

class Compilation {
public:
  explicit Compilation(Session &current) : session(current) {}

  // Runs the phases in order. False after errors, which are reported; what was made until then is
  // there to be looked at. With `withTests`, also the kernels that only tests ask for.
  bool run(Phase last, bool withTests = false);

  // Says so if nothing can come out because the file declares nothing to emit.
  void warnWithoutKernel() const;

  SourceLoc source; // the input's text
  std::unique_ptr<ast::File> file;
  std::unique_ptr<ir::Module> module;
  std::vector<plan::Plan> plans;              // in the order of module->kernels
  std::vector<verify::VerifyResult> verdicts; // of the plans
  // With tests: those that expect a fault. They and their kernels have left the module.
  std::vector<FaultTest> faultTests;

  // The target that a kernel is compiled for: --arch, else the first that it declares.
  const target::Target &targetOf(const ir::Kernel &kernel) const;

private:
  bool runPhases(Phase last, bool withTests);
  bool analyze(bool withTests, bool readsBodies);
  bool readBodies();
  body::Request makeRequest() const;
  void askForBodies();
  void readHostCode();
  bool checkMacros(bool withTests);
  void repeatTokenFindings();
  void assumeOfBodies(const ir::Kernel &kernel, verify::VerifyResult &verdict) const;
  void decideFaultTests();
  bool planAndVerify(ir::Kernel &kernel, DiagnosticEngine &diags);
  void show(llvm::StringRef pass, llvm::function_ref<void(llvm::raw_ostream &)> print);

  // What the tokens of bodies let find, until Clang has had its say.
  struct TokenFindings : DiagnosticConsumer {
    TokenFindings() : engine(*this) {}
    void handle(const Report &report) override { reports.push_back(report); }
    std::vector<Report> reports;
    DiagnosticEngine engine;
  };

  Session &session;
  TimeReport times;
  TokenFindings tokenFindings;
  std::optional<body::Reading> reading;
  std::vector<body::Macro> macros;
  std::string hostCode; // of tests, to be read
};

} // namespace tsk::driver
