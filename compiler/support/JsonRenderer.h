// Reports for tools: one JSON object a line, and results likewise on a stream of their own.
// docs/json.md describes the members.
#pragma once

#include "compiler/support/Diagnostics.h"

#include "llvm/Support/JSON.h"

namespace llvm {
class raw_ostream;
}

namespace tsk {

class JsonRenderer : public DiagnosticConsumer {
public:
  JsonRenderer(const SourceManager &sourceManager, llvm::raw_ostream &stream,
               llvm::raw_ostream &resultStream)
      : sources(sourceManager), os(stream), results(resultStream) {}

  void handle(const Report &report) override;
  void handleResult(const llvm::json::Object &result) override;

private:
  const SourceManager &sources;
  llvm::raw_ostream &os;
  llvm::raw_ostream &results;
};

// The attributes of a run's object.
void writeTimeline(llvm::json::OStream &json, const SourceManager &sources, const Timeline &run);

} // namespace tsk
