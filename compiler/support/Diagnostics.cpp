#include "compiler/support/Diagnostics.h"

#include "compiler/support/Check.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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

using NameMap = std::map<std::string, std::string>;

// The text with names replaced, in backticks only where it is a sentence.
static void rename(std::string &text, const NameMap &names, bool isSentence) {
  std::string result;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size();) {
    const auto isPart = [&](size_t at) {
      return at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_');
    };
    size_t end = i;
    while (isPart(end))
      ++end;
    if (end == i) {
      isQuoted ^= text[i] == '`';
      result += text[i++];
      continue;
    }
    const auto found = isQuoted || !isSentence ? names.find(text.substr(i, end - i)) : names.end();
    result += found == names.end() ? text.substr(i, end - i) : found->second;
    i = end;
  }
  text = std::move(result);
}

static void rename(Report &report, const NameMap &names) {
  rename(report.message, names, true);
  for (Note &note : report.notes)
    rename(note.message, names, true);
  if (!report.timeline)
    return;
  for (std::string &column : report.timeline->columns)
    rename(column, names, false);
  for (Timeline::Entry &entry : report.timeline->entries)
    rename(entry.text, names, false);
}

void DiagnosticEngine::finish(Report report) {
  if (shownNames && !shownNames->empty())
    rename(report, *shownNames);
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
  if (report.severity == Severity::Error)
    ++errors;
  if (!seen.insert(std::move(key)).second)
    return;
  if (report.severity == Severity::Error)
    ++distinctErrors;
  if (report.severity == Severity::Warning)
    ++warnings;
  if (errorLimit == 0 || distinctErrors <= errorLimit)
    consumer.handle(report);
}

} // namespace tsk
