// Diagnostics: what the compiler says to its user.
//
// Each kind has one line in the registry of its phase (its code, severity and name), which its
// header makes `kind::Name`, and one typed definition beside its use, so that a wrong placeholder
// does not compile:
//
//   #include "compiler/sema/SemaDiagnostics.h"
//   constexpr Diagnostic<llvm::StringRef> UnknownName{kind::UnknownName, "unknown name `{}`"};
//   diags.report(range, UnknownName, name).note(declared, "`{}` is declared here", other);
//
// Style: lower case, no final period, code in backticks; what was seen, then the rule, then the
// way out.
#pragma once

#include "compiler/support/Source.h"
#include "compiler/support/Timeline.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// StringRef is a string to fmt, everywhere in the compiler.
template <> struct fmt::formatter<llvm::StringRef> : fmt::formatter<std::string_view> {
  template <typename Context> auto format(llvm::StringRef text, Context &context) const {
    return fmt::formatter<std::string_view>::format({text.data(), text.size()}, context);
  }
};

namespace llvm::json {
class Object;
}

namespace tsk {

enum class Severity : uint8_t { Note, Remark, Warning, Error };

// Its value is the code that is printed: 1101 for TSK1101. The kinds themselves are in the header
// of each phase, so that a new one rebuilds its phase alone.
enum class DiagnosticKind : uint16_t {};

// The registry's line of a kind.
struct DiagnosticInfo {
  llvm::StringRef name; // "UnknownName"
  unsigned code;        // 1101, printed as TSK1101; the value of the kind
  Severity severity;    // before -Werror
  llvm::StringRef flag; // kebab-case, as in -Wunused-value; for errors too (used by tests)
};
const DiagnosticInfo &diagnosticInfo(DiagnosticKind kind);
llvm::ArrayRef<DiagnosticInfo> allDiagnostics();

template <typename... Args> struct Diagnostic {
  DiagnosticKind kind;
  fmt::format_string<const Args &...> message;
};

// A replacement that would mend the program; `range` may be empty (an insertion).
struct FixIt {
  SourceRange range;
  std::string replacement;
  std::string title; // "move `ab.release()` after `acc.mma(k)`"
};

struct Note {
  SourceRange range; // may be invalid: a note without a place
  std::string message;
};

// One finished diagnostic, as a renderer gets it.
struct Report {
  DiagnosticKind kind;
  Severity severity;
  SourceRange range; // may be invalid: about the command line or a whole run
  std::string message;
  std::vector<Note> notes;
  std::vector<FixIt> fixits;
  std::optional<Timeline> timeline; // the run that shows it, stands behind the notes
};

// Receives the reports in the order of their making.
class DiagnosticConsumer {
public:
  virtual ~DiagnosticConsumer() = default;
  virtual void handle(const Report &report) = 0;
  // What was found out beyond the reports, for formats that are read by programs.
  virtual void handleResult(const llvm::json::Object &) {}
};

class DiagnosticEngine;

// Collects notes and fix-its; hands the report over when it goes out of scope.
class ReportBuilder {
public:
  ReportBuilder(DiagnosticEngine &diagnostics, Report initial)
      : engine(&diagnostics), pending(std::move(initial)) {}
  ReportBuilder(ReportBuilder &&other) noexcept
      : engine(other.engine), pending(std::move(other.pending)) {
    other.engine = nullptr;
  }
  ReportBuilder(const ReportBuilder &) = delete;
  ReportBuilder &operator=(const ReportBuilder &) = delete;
  ~ReportBuilder();

  template <typename... Args>
  ReportBuilder &note(SourceRange range, fmt::format_string<const Args &...> message,
                      const Args &...args) {
    pending.notes.push_back({range, fmt::format(message, args...)});
    return *this;
  }
  ReportBuilder &timeline(Timeline run) {
    pending.timeline = std::move(run);
    return *this;
  }
  ReportBuilder &fixit(SourceRange range, std::string replacement, std::string title) {
    pending.fixits.push_back({range, std::move(replacement), std::move(title)});
    return *this;
  }

private:
  DiagnosticEngine *engine;
  Report pending;
};

class DiagnosticEngine {
public:
  explicit DiagnosticEngine(DiagnosticConsumer &receiver) : consumer(receiver) {}

  template <typename... Args>
  ReportBuilder report(SourceRange range, const Diagnostic<Args...> &diagnostic,
                       const std::type_identity_t<Args> &...args) {
    return ReportBuilder(*this, {diagnostic.kind,
                                 diagnosticInfo(diagnostic.kind).severity,
                                 range,
                                 fmt::format(diagnostic.message, args...),
                                 {},
                                 {},
                                 std::nullopt});
  }

  // Reports once more what another engine has made.
  void repeat(const Report &report) { finish(report); }

  // Of all reports, also those that were made before and are not shown again: what grows says that
  // something is wrong here.
  unsigned errorCount() const { return errors; }
  unsigned distinctErrorCount() const { return distinctErrors; }
  unsigned warningCount() const { return warnings; }
  bool hasErrors() const { return errors != 0; }

  // Command-line policy: -Werror, -Wno-flag, and the limit on errors (0: none). Past the limit,
  // reports are counted but not shown.
  bool warningsAreErrors = false;
  bool showRemarks = false;
  unsigned errorLimit = 50;
  std::set<std::string> disabledFlags;
  std::set<std::string> errorFlags; // -Werror=flag

  // How messages call what has another name inside, here and now; null: everything by its name.
  const std::map<std::string, std::string> *shownNames = nullptr;

private:
  friend class ReportBuilder;
  void finish(Report report);

  DiagnosticConsumer &consumer;
  unsigned errors = 0, distinctErrors = 0;
  unsigned warnings = 0;
  // The same finding at the same place is shown once: a schedule run by two tasks is read twice.
  std::set<std::string> seen;
};

} // namespace tsk
