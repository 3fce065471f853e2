// What every part of sema shares: sources, diagnostics, options, and the way in which an error says
// where it was reached from.
#pragma once

#include "compiler/sema/Sema.h"
#include "compiler/support/Count.h"
#include "compiler/syntax/Ast.h"

#include <set>

namespace tsk::sema {

// The known word that is nearest to an unknown one, if one is near. In a message it reads
// `; did you mean …?`, and the report offers to write it.
struct Suggestion {
  std::string word;
};

} // namespace tsk::sema

template <> struct fmt::formatter<tsk::sema::Suggestion> : fmt::formatter<std::string_view> {
  template <typename Context> auto format(const tsk::sema::Suggestion &s, Context &context) const {
    if (s.word.empty())
      return context.out();
    return fmt::format_to(context.out(), "; did you mean `{}`?", s.word);
  }
};

namespace tsk::sema {

// A construct of the language that parses and is not compiled yet: one line in
// NotYetCompiled.def.
enum class Construct : uint8_t {
#define TSK_CONSTRUCT(Name, Description) Name,
#include "compiler/sema/NotYetCompiled.def"
};

class Context {
public:
  Context(SourceManager &sourceManager, DiagnosticEngine &engine, const SemaOptions &semaOptions)
      : sources(sourceManager), diags(engine), options(semaOptions) {}

  SourceManager &sources;
  DiagnosticEngine &diags;
  const SemaOptions &options;

  // Reports with a note for each template that is being looked into: an error inside a resource
  // type says which instance it is about.
  template <typename... Args>
  ReportBuilder report(SourceRange range, const Diagnostic<Args...> &diagnostic,
                       const std::type_identity_t<Args> &...args) {
    ReportBuilder builder = diags.report(range, diagnostic, args...);
    (offer(builder, range, args), ...);
    addTrail(builder);
    return builder;
  }
  void addTrail(ReportBuilder &builder) const {
    for (size_t i = trail.size(); i-- > 0;)
      builder.note(trail[i].range, "{}", trail[i].message);
  }

  unsigned errorCount() const {
    return diags.errorCount() + (options.tokenFindings ? options.tokenFindings->errorCount() : 0);
  }
  // For what the tokens of bodies tell.
  DiagnosticEngine &tokenDiags() const {
    return options.tokenFindings ? *options.tokenFindings : diags;
  }

  // How messages call things from now on; null: by their names.
  void showNames(const std::map<std::string, std::string> *names) const {
    diags.shownNames = names;
    tokenDiags().shownNames = names;
  }

  // One error for each construct in a run, at its first place.
  void notYetCompiled(Construct construct, SourceRange range);

  llvm::StringRef text(SourceRange range) const { return sources.text(range); }
  // Suggestions compare with every name in sight: past some errors nobody reads them.
  bool wantsSuggestions() const { return diags.errorCount() < 50; }

  // Something could not be understood. There must have been an error then.
  bool sawBroken = false;

private:
  template <typename T> static void offer(ReportBuilder &, SourceRange, const T &) {}
  static void offer(ReportBuilder &builder, SourceRange range, const Suggestion &suggestion) {
    if (!suggestion.word.empty() && range.isValid())
      builder.fixit(range, suggestion.word, fmt::format("write `{}`", suggestion.word));
  }

  friend class Trail;
  struct Step {
    SourceRange range;
    std::string message;
  };
  std::vector<Step> trail;
  std::set<Construct> reported;
};

// Adds a step to the trail while it lives.
class Trail {
public:
  Trail(Context &context, SourceRange range, std::string message) : owner(context) {
    owner.trail.push_back({range, std::move(message)});
  }
  ~Trail() { owner.trail.pop_back(); }
  Trail(const Trail &) = delete;
  Trail &operator=(const Trail &) = delete;

private:
  Context &owner;
};

} // namespace tsk::sema
