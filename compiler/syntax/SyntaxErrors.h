// The lexer's and the parser's way to the diagnostics engine.
//
// Text that is not a program at all (a binary, a 10 MB log) must not give a million errors: after
// `Limit` of them one last message is made and reading stops. While `muted`, reports are swallowed:
// the parser mutes what would only repeat an error just made.
#pragma once

#include "compiler/support/Diagnostics.h"

namespace tsk::syntax {

class SyntaxErrors {
public:
  static constexpr unsigned Limit = 30;

  explicit SyntaxErrors(DiagnosticEngine &engine) : diagnostics(engine), muteEngine(nowhere) {}

  template <typename... Args>
  ReportBuilder report(SourceRange range, const Diagnostic<Args...> &diagnostic,
                       const std::type_identity_t<Args> &...args) {
    if (muted || isExhausted())
      return muteEngine.report(range, diagnostic, args...);
    if (count++ < Limit)
      return diagnostics.report(range, diagnostic, args...);
    reportLimit(range);
    return muteEngine.report(range, diagnostic, args...);
  }

  bool isExhausted() const { return count > Limit || stopped; }
  // No further report: one was made that makes going on pointless.
  void stop() { stopped = true; }

  bool muted = false;

private:
  void reportLimit(SourceRange range);

  struct Nowhere : DiagnosticConsumer {
    void handle(const Report &) override {}
  };
  DiagnosticEngine &diagnostics;
  Nowhere nowhere;
  DiagnosticEngine muteEngine;
  unsigned count = 0;
  bool stopped = false;
};

} // namespace tsk::syntax
