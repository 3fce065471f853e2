#include "compiler/driver/OptionRules.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

namespace tsk::driver {

using llvm::StringRef;
using llvm::opt::Arg;

constexpr Diagnostic<StringRef> MissingOptionValue{kind::MissingOptionValue, "`{}` needs a value"};
constexpr Diagnostic<StringRef, StringRef, StringRef> OptionGivenTwice{
    kind::OptionGivenTwice, "`{}` is given twice, as `{}` and as `{}`"};
constexpr Diagnostic<std::string, std::string> OptionNeedsOption{kind::OptionNeedsOption,
                                                                 "`{}` means nothing without `{}`"};
constexpr Diagnostic<std::string, std::string> OptionWithoutEffect{kind::OptionWithoutEffect,
                                                                   "`{}` means nothing with `{}`"};

namespace {

// `option` wants, or does not go together with, another one; with a value, if that is not empty.
struct Rule {
  Verb verb;
  OptionId option;
  bool needsOther;
  OptionId other;
  StringRef value;
};

constexpr Rule Rules[] = {
    {Verb::Compile, OPT_MF, true, OPT_MD, ""},
    {Verb::Compile, OPT_MT, true, OPT_MD, ""},
    {Verb::Compile, OPT_MP, true, OPT_MD, ""},
    {Verb::Compile, OPT_namespace, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_namespace, false, OPT_emit, "ir"},
    {Verb::Compile, OPT_namespace, false, OPT_emit, "plan"},
    {Verb::Compile, OPT_D, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_I, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_arch, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_arch, false, OPT_emit, "ir"},
    {Verb::Compile, OPT_verify_each, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_verify_each, false, OPT_emit, "ir"},
    {Verb::Compile, OPT_no_body_analysis, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_no_body_analysis, false, OPT_emit, "ir"},
    {Verb::Compile, OPT_no_body_cache, false, OPT_emit, "ast"},
    {Verb::Compile, OPT_no_body_cache, false, OPT_emit, "ir"},
    {Verb::Compile, OPT_no_body_cache, false, OPT_no_body_analysis, ""},
    {Verb::Compile, OPT_keep_unchanged, false, OPT_o, "-"},
    {Verb::Test, OPT_no_body_cache, false, OPT_no_body_analysis, ""},
    {Verb::Sim, OPT_no_body_cache, false, OPT_no_body_analysis, ""},
    {Verb::Check, OPT_no_body_cache, false, OPT_no_body_analysis, ""},
    {Verb::Report, OPT_no_body_cache, false, OPT_no_body_analysis, ""},
    // The program for a GPU is only written here; it takes most of these itself.
    {Verb::Test, OPT_o, true, OPT_on, "gpu"},
    {Verb::Test, OPT_filter, false, OPT_on, "gpu"},
    {Verb::Test, OPT_keep, false, OPT_on, "gpu"},
    {Verb::Test, OPT_cxx, false, OPT_on, "gpu"},
    {Verb::Test, OPT_format, false, OPT_on, "gpu"},
    {Verb::Test, OPT_seed, false, OPT_on, "gpu"},
    {Verb::Test, OPT_seeds, false, OPT_on, "gpu"},
    {Verb::Test, OPT_time_limit, false, OPT_on, "gpu"},
    {Verb::Sim, OPT_arg, true, OPT_model, ""},
    {Verb::Fmt, OPT_o, false, OPT_i, ""},
    {Verb::Fmt, OPT_o, false, OPT_check, ""},
    {Verb::Fmt, OPT_i, false, OPT_check, ""},
};

} // namespace

static unsigned idOf(const Arg &arg) { return arg.getOption().getUnaliasedOption().getID(); }

static bool isRepeatable(unsigned id) {
  return llvm::is_contained({OPT_INPUT, OPT_UNKNOWN, OPT_I, OPT_D, OPT_W_Joined, OPT_Werror_EQ,
                             OPT_MT, OPT_print_after, OPT_explain, OPT_arg},
                            id);
}

static std::string spell(OptionId id, StringRef value) {
  std::string name = optionTable().getOption(id).getPrefixedName().str();
  if (value.empty())
    return StringRef(name).rtrim('=').str();
  return name + (StringRef(name).ends_with("=") ? "" : " ") + value.str();
}

static void checkValues(const llvm::opt::InputArgList &arguments, DiagnosticEngine &diags) {
  std::map<unsigned, StringRef> seen;
  for (const Arg *arg : arguments) {
    unsigned id = idOf(*arg);
    if (arg->getNumValues() == 0 || id == OPT_INPUT || id == OPT_UNKNOWN)
      continue;
    StringRef value = arg->getValue();
    StringRef name = StringRef(arg->getSpelling()).rtrim('=');
    if (value.empty())
      diags.report({}, MissingOptionValue, name);
    if (isRepeatable(id))
      continue;
    auto [first, isNew] = seen.try_emplace(id, value);
    if (!isNew && first->second != value)
      diags.report({}, OptionGivenTwice, name, first->second, value);
  }
}

void reportWithoutEffect(const std::string &option, const std::string &other,
                         DiagnosticEngine &diags) {
  diags.report({}, OptionWithoutEffect, option, other);
}

void checkOptionRules(Verb verb, const llvm::opt::InputArgList &arguments,
                      DiagnosticEngine &diags) {
  checkValues(arguments, diags);
  for (const Rule &rule : Rules) {
    if (rule.verb != verb || !arguments.hasArg(rule.option))
      continue;
    const Arg *other = arguments.getLastArg(rule.other);
    bool hasOther = other && (rule.value.empty() || rule.value == other->getValue());
    if (rule.needsOther && !hasOther)
      diags.report({}, OptionNeedsOption, spell(rule.option, ""), spell(rule.other, rule.value));
    if (!rule.needsOther && hasOther)
      reportWithoutEffect(spell(rule.option, ""), spell(rule.other, rule.value), diags);
  }
}

} // namespace tsk::driver
