// Reports as one SARIF 2.1.0 document, for code scanning and editors. A timeline becomes a code
// flow with one thread flow a task; notes with a place are related locations.
#pragma once

#include "compiler/support/Diagnostics.h"

#include "llvm/Support/JSON.h"

namespace llvm {
class raw_ostream;
}

namespace tsk {

class SarifRenderer : public DiagnosticConsumer {
public:
  // What the document says of the tool and of a diagnostic beyond its registry's line.
  struct Tool {
    std::string version;
    llvm::StringRef (*explanation)(const DiagnosticInfo &) = nullptr;
  };

  SarifRenderer(const SourceManager &sourceManager, llvm::raw_ostream &stream, Tool describedTool)
      : sources(sourceManager), os(stream), tool(std::move(describedTool)) {}
  // The document is one whole: it is written last of all.
  ~SarifRenderer() override;

  void handle(const Report &report) override { reports.push_back(report); }
  void handleResult(const llvm::json::Object &result) override {
    results.push_back(llvm::json::Object(result));
  }

private:
  const SourceManager &sources;
  llvm::raw_ostream &os;
  Tool tool;
  std::vector<Report> reports;
  llvm::json::Array results;
};

} // namespace tsk
