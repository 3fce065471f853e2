#include "compiler/support/Diagnostics.h"

#include "compiler/support/Check.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace tsk {

static constexpr DiagnosticInfo Registry[] = {
#define TSK_DIAGNOSTIC(Name, Code, Level, Flag) {#Name, Code, Severity::Level, Flag},
#include "compiler/support/Diagnostics.def"
};

const DiagnosticInfo &diagnosticInfo(DiagnosticKind kind) {
  const auto *found = llvm::find_if(
      Registry, [&](const DiagnosticInfo &info) { return info.code == unsigned(kind); });
  TSK_CHECK(found != std::end(Registry), "a diagnostic that no registry names");
  return *found;
}

llvm::ArrayRef<DiagnosticInfo> allDiagnostics() { return Registry; }

ReportBuilder::~ReportBuilder() {
  if (engine)
    engine->finish(std::move(pending));
}

// Messages quote what was written, which may be megabytes long.
static void shorten(std::string &message) {
  constexpr size_t MaxBytes = 1000;
  if (message.size() <= MaxBytes)
    return;
  size_t end = MaxBytes;
  while ((static_cast<unsigned char>(message[end]) & 0xC0) == 0x80) // within a character
    --end;
  message = message.substr(0, end) + "…";
}

void DiagnosticEngine::finish(Report report) {
  shorten(report.message);
  for (Note &note : report.notes)
    shorten(note.message);
  const DiagnosticInfo &info = diagnosticInfo(report.kind);
  std::string flag = info.flag.str();
  if (report.severity == Severity::Warning) {
    if (disabledFlags.count(flag))
      return;
    if (warningsAreErrors || errorFlags.count(flag))
      report.severity = Severity::Error;
  }
  if (report.severity == Severity::Remark && !showRemarks)
    return;
  std::string key = fmt::format("{}:{}:{}:{}", info.code, report.range.begin.offset,
                                report.range.end.offset, report.message);
  if (!seen.insert(std::move(key)).second)
    return;
  if (report.severity == Severity::Error)
    ++errors;
  if (report.severity == Severity::Warning)
    ++warnings;
  if (errorLimit == 0 || errors <= errorLimit)
    consumer.handle(report);
}

} // namespace tsk
