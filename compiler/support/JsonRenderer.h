// Reports for tools: one JSON object a line. docs/diagnostics.md describes the members.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace llvm {
class raw_ostream;
}

namespace tsk {

class JsonRenderer : public DiagnosticConsumer {
public:
  JsonRenderer(const SourceManager &sourceManager, llvm::raw_ostream &stream)
      : sources(sourceManager), os(stream) {}

  void handle(const Report &report) override;

private:
  const SourceManager &sources;
  llvm::raw_ostream &os;
};

} // namespace tsk
