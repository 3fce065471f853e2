#include "compiler/driver/CommandLine.h"
#include "compiler/driver/DriverDiagnostics.h"

#include "compiler/driver/Compilation.h" // passNames
#include "compiler/driver/OptionRules.h"
#include "compiler/driver/ResponseFiles.h"

#include "compiler/sema/CppNames.h"
#include "compiler/support/Suggest.h"
#include "compiler/target/Target.h"

#include "compiler/profile/Model.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace tsk::driver {

using llvm::StringRef;
using llvm::opt::Arg;

constexpr Diagnostic<StringRef> UnknownOption{kind::UnknownOption, "unknown option `{}`"};
constexpr Diagnostic<StringRef, StringRef> OptionOfOtherVerb{kind::UnknownOption,
                                                             "`tskc {}` has no option `{}`"};
constexpr Diagnostic<StringRef> UnknownVerb{kind::UnknownVerb, "unknown verb `{}`"};
constexpr Diagnostic<StringRef> MissingOptionValue{kind::MissingOptionValue, "`{}` needs a value"};
constexpr Diagnostic<StringRef, StringRef, StringRef> BadOptionValue{
    kind::BadOptionValue, "`{}` is not a value of `{}`, which takes {}"};
constexpr Diagnostic<StringRef> UnknownPass{kind::BadOptionValue,
                                            "there is no pass `{}` to print after"};
constexpr Diagnostic<StringRef> NoInput{kind::NoInput,
                                        "no input file; `tskc {} --help` shows how to call it"};
constexpr Diagnostic<StringRef, StringRef> SeveralInputs{
    kind::SeveralInputs, "`{}` is a second input; `tskc {}` takes one"};
constexpr Diagnostic<StringRef, StringRef> InputBesideExplain{kind::SeveralInputs,
                                                              "`{}` is an input; `{}` takes none"};
constexpr Diagnostic<StringRef, StringRef> BadNamespace{kind::BadOptionValue,
                                                        "`{}` is not a value of `--namespace`: {}"};
constexpr Diagnostic<StringRef, StringRef, StringRef> DefinedTwice{
    kind::OptionGivenTwice, "`-D {}` is given twice, as `{}` and as `{}`"};
constexpr Diagnostic<std::string> BadResponseFile{kind::BadResponseFile, "{}"};
constexpr Diagnostic<StringRef> UnknownWarningOption{kind::UnknownWarningOption,
                                                     "unknown warning `{}`"};

CommandLine::CommandLine(int argc, const char *const *argv) {
  expandResponseFiles(argc, argv);
  chooseVerb();
  arguments = optionTable().ParseArgs(words, missingIndex, missingCount, visibility(chosenVerb));
  if (valueOf(OPT_diagnostics_format) == "json")
    format = DiagnosticsFormat::Json;
  if (valueOf(OPT_diagnostics_format) == "sarif")
    format = DiagnosticsFormat::Sarif;
  if (valueOf(OPT_color) == "always")
    color = Color::Always;
  if (valueOf(OPT_color) == "never")
    color = Color::Never;
}

void CommandLine::expandResponseFiles(int argc, const char *const *argv) {
  words.assign(argv + std::min(argc, 1), argv + argc);
  responseFileError = driver::expandResponseFiles(words, allocator);
}

// `tskc test x.tsk` has a verb, `tskc x.tsk` has none. A word that is neither a verb nor looks like
// a file is a misspelled verb.
void CommandLine::chooseVerb() {
  if (words.empty())
    return;
  if (words.front() == StringRef("help") && !llvm::sys::fs::exists("help")) {
    words.front() = "--help";
    if (words.size() > 1)
      std::swap(words[0], words[1]); // `tskc help check`
  }
  StringRef first = words.front();
  if (std::optional<Verb> verb = verbByName(first)) {
    chosenVerb = *verb;
    words.erase(words.begin());
    return;
  }
  bool looksLikeFile = first.empty() || first.find_first_of("-./\\@") != StringRef::npos;
  if (!looksLikeFile && !llvm::sys::fs::exists(first))
    unknownVerb = first.str();
}

static std::string quotedList(llvm::ArrayRef<StringRef> items) {
  std::string result;
  for (StringRef item : items)
    result += (result.empty() ? "`" : ", `") + item.str() + "`";
  return result;
}

// The option of the verb that `word` spells, with or without a value: `--emit=ir`, `--emit`,
// `-ofile`.
static StringRef optionNamed(StringRef word, Verb verb) {
  for (unsigned id = 1; id <= optionTable().getNumOptions(); ++id) {
    llvm::opt::Option option = optionTable().getOption(id);
    StringRef name = option.getPrefixedName();
    bool takesRest = option.getKind() == llvm::opt::Option::JoinedOrSeparateClass;
    bool isSpelled = takesRest ? word.starts_with(name) && !word.starts_with("--")
                               : word.split('=').first == name.rtrim('=');
    if (isSpelled && name.size() > 1 && option.hasVisibilityFlag(visibility(verb)))
      return name.rtrim('=');
  }
  return {};
}

void CommandLine::reportUnknownOption(StringRef word, DiagnosticEngine &diags) const {
  // An option of some other verb is not misspelled.
  for (const VerbInfo &other : allVerbs()) {
    StringRef name = optionNamed(word, other.verb);
    if (name.empty())
      continue;
    diags.report({}, OptionOfOtherVerb, info(chosenVerb).name, name)
        .note({}, "`tskc {}` has it", other.name);
    return;
  }
  ReportBuilder report = diags.report({}, UnknownOption, word);
  std::string near;
  if (optionTable().findNearest(word, near, visibility(chosenVerb)) <= 1 + word.size() / 4)
    report.note({}, "did you mean `{}`?", near);
}

bool CommandLine::checkWords(DiagnosticEngine &diags) const {
  if (!responseFileError.empty())
    diags.report({}, BadResponseFile, responseFileError);
  if (!unknownVerb.empty()) {
    ReportBuilder report = diags.report({}, UnknownVerb, unknownVerb);
    std::vector<StringRef> verbs;
    for (const VerbInfo &verb : allVerbs())
      verbs.push_back(verb.name);
    if (StringRef near = closestWord(unknownVerb, verbs); !near.empty())
      report.note({}, "did you mean `{}`?", near);
    else
      report.note({}, "`tskc --help` lists them");
    return false;
  }
  for (const Arg *unknown : arguments.filtered(OPT_UNKNOWN))
    reportUnknownOption(unknown->getSpelling(), diags);
  if (missingCount)
    diags.report({}, MissingOptionValue, arguments.getArgString(missingIndex));
  return !diags.hasErrors();
}

namespace {
// Reads options whose value is one of a few words.
class Choices {
public:
  Choices(const llvm::opt::InputArgList &list, DiagnosticEngine &engine)
      : arguments(list), diags(engine) {}

  // Index into `values` of the option's value; 0 if it is absent or wrong (then reported).
  size_t choose(OptionId option, llvm::ArrayRef<StringRef> values) {
    const Arg *arg = arguments.getLastArg(option);
    if (!arg)
      return 0;
    const StringRef *found = llvm::find(values, arg->getValue());
    if (found != values.end())
      return static_cast<size_t>(found - values.begin());
    StringRef name = arg->getSpelling();
    diags.report({}, BadOptionValue, arg->getValue(), name.rtrim('='), quotedList(values));
    return 0;
  }

private:
  const llvm::opt::InputArgList &arguments;
  DiagnosticEngine &diags;
};
} // namespace

static bool isIdentifier(StringRef text) {
  return !text.empty() && !llvm::isDigit(text.front()) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

// Code is emitted into the namespace and calls `tsk::` and `std::` from there.
static void checkNamespace(StringRef text, DiagnosticEngine &diags) {
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, "::");
  for (StringRef part : parts) {
    if (!isIdentifier(part)) {
      diags.report({}, BadOptionValue, text, "--namespace", "C++ names, as `a` or `a::b`");
      return;
    }
    StringRef meaning = part == "tsk"   ? "the namespace of the device library"
                        : part == "std" ? "the namespace of the standard library"
                                        : sema::cppMeaning(part);
    if (meaning.empty())
      continue;
    diags.report({}, BadNamespace, text, fmt::format("`{}` is {}", part, meaning));
    return;
  }
}

bool CommandLine::readInvocation(Invocation &invocation, DiagnosticEngine &diags) const {
  invocation.verb = chosenVerb;
  if (!checkWords(diags))
    return false;
  checkOptionRules(chosenVerb, arguments, diags);
  // Reported, if wrong, once the renderer that they choose exists.
  Choices choices(arguments, diags);
  choices.choose(OPT_diagnostics_format, {"text", "json", "sarif"});
  choices.choose(OPT_color, {"auto", "always", "never"});
  constexpr Emit Emits[] = {Emit::Cuda, Emit::Header, Emit::Ast, Emit::Ir, Emit::Plan};
  invocation.emit = Emits[choices.choose(OPT_emit, {"cuda", "header", "ast", "ir", "plan"})];
  invocation.onGpu = choices.choose(OPT_on, {"sim", "gpu"}) == 1;
  invocation.jsonReport = choices.choose(OPT_format, {"text", "json"}) == 1;

  StringRef limit = arguments.getLastArgValue(OPT_error_limit, "50");
  if (limit.getAsInteger(10, diags.errorLimit))
    diags.report({}, BadOptionValue, limit, "--error-limit", "numbers from 0");
  invocation.cppNamespace = arguments.getLastArgValue(OPT_namespace, "kernels");
  checkNamespace(invocation.cppNamespace, diags);

  invocation.output = valueOf(OPT_o);
  invocation.keepUnchanged = asks(OPT_keep_unchanged);
  invocation.importFolders = arguments.getAllArgValues(OPT_I);
  invocation.arch = valueOf(OPT_arch);
  invocation.printAfter = arguments.getAllArgValues(OPT_print_after);
  invocation.verifyEach = asks(OPT_verify_each);
  invocation.readBodies = !asks(OPT_no_body_analysis);
  invocation.usesBodyCache = !asks(OPT_no_body_cache);
  invocation.timePasses = asks(OPT_time_passes);
  invocation.testFilter = valueOf(OPT_filter);
  invocation.keepFolder = valueOf(OPT_keep);
  invocation.hostCompiler = valueOf(OPT_cxx);
  invocation.table = asks(OPT_table);
  invocation.profile = asks(OPT_profile);
  invocation.model = asks(OPT_model);
  readModel(invocation, diags);
  invocation.inPlace = asks(OPT_i);
  invocation.checkFormat = asks(OPT_check);
  checkArch(invocation, diags);
  checkPasses(invocation, diags);
  readWarnings(diags);
  for (OptionId option : {OPT_seed, OPT_seeds, OPT_time_limit})
    readNumber(option, invocation, diags);
  readDependencies(invocation);
  bool isRight = readDefines(invocation, diags) & readInputs(invocation, diags);
  return isRight && !diags.hasErrors();
}

void CommandLine::checkArch(const Invocation &invocation, DiagnosticEngine &diags) {
  if (invocation.arch.empty() || target::findTarget(invocation.arch))
    return;
  std::vector<StringRef> names;
  for (const target::Target &target : target::allTargets())
    names.push_back(target.name);
  diags.report({}, BadOptionValue, invocation.arch, "--arch", quotedList(names));
}

void CommandLine::checkPasses(const Invocation &invocation, DiagnosticEngine &diags) {
  std::vector<StringRef> known = passNames();
  known.push_back("all");
  for (StringRef name : invocation.printAfter) {
    if (llvm::is_contained(known, name))
      continue;
    ReportBuilder report = diags.report({}, UnknownPass, name);
    if (StringRef near = closestWord(name, known); !near.empty())
      report.note({}, "did you mean `{}`?", near);
  }
  // The IR and the syntax tree are written before the others run.
  if (invocation.emit != Emit::Ast && invocation.emit != Emit::Ir)
    return;
  const size_t reached = invocation.emit == Emit::Ast ? 1 : 2;
  for (StringRef name : invocation.printAfter)
    if (llvm::is_contained(llvm::ArrayRef(known).drop_front(reached).drop_back(), name))
      reportWithoutEffect(fmt::format("--print-after={}", name),
                          reached == 1 ? "--emit=ast" : "--emit=ir", diags);
}

// The GPU of an estimate, and for what it is.
void CommandLine::readModel(Invocation &invocation, DiagnosticEngine &diags) const {
  invocation.gpu = valueOf(OPT_gpu);
  if (!invocation.gpu.empty() && profile::findGpu(invocation.gpu) == nullptr) {
    std::vector<StringRef> names;
    for (const profile::Gpu &gpu : profile::allGpus())
      names.push_back(gpu.name);
    diags.report({}, BadOptionValue, invocation.gpu, "--gpu", quotedList(names));
  }
  for (StringRef given : arguments.getAllArgValues(OPT_arg)) {
    auto [name, value] = given.split('=');
    int64_t number = 0;
    if (!isIdentifier(name) || value.getAsInteger(10, number) || number < 1)
      diags.report({}, BadOptionValue, given, "--arg", "`NAME=VALUE`, as in `--arg m=8192`");
    invocation.modelArguments.emplace_back(name, number);
  }
}

// A number that the test program takes under the same name.
void CommandLine::readNumber(OptionId option, Invocation &invocation,
                             DiagnosticEngine &diags) const {
  const Arg *arg = arguments.getLastArg(option);
  if (!arg)
    return;
  unsigned least = option == OPT_seed ? 0 : 1;
  unsigned number = 0;
  StringRef name = optionTable().getOptionName(option);
  if (StringRef(arg->getValue()).getAsInteger(10, number) || number < least)
    diags.report({}, BadOptionValue, arg->getValue(), "--" + name.rtrim('=').str(),
                 least ? "numbers from 1" : "numbers from 0");
  invocation.testArguments.push_back(fmt::format("--{}{}", name, number));
}

// An option that runs another verb: nothing else can have an effect but that verb's options.
bool CommandLine::checkAlone(OptionId asked, DiagnosticEngine &diags) const {
  StringRef name = optionTable().getOption(asked).getPrefixedName();
  for (const Arg *arg : arguments) {
    llvm::opt::Option option = arg->getOption().getUnaliasedOption();
    if (option.getID() == OPT_INPUT)
      diags.report({}, InputBesideExplain, arg->getValue(), name.rtrim('='));
    else if (option.getID() != asked && !option.hasVisibilityFlag(visibility(Verb::Explain)))
      diags.report({}, OptionOfOtherVerb, info(Verb::Explain).name,
                   StringRef(arg->getSpelling()).rtrim('='));
  }
  return !diags.hasErrors();
}

bool CommandLine::readInputs(Invocation &invocation, DiagnosticEngine &diags) const {
  if (asks(OPT_explain)) {
    invocation.verb = Verb::Explain;
    invocation.inputs = arguments.getAllArgValues(OPT_explain);
    return checkAlone(OPT_explain, diags);
  }
  invocation.inputs = arguments.getAllArgValues(OPT_INPUT);
  if (invocation.inputs.empty()) {
    diags.report({}, NoInput, info(chosenVerb).name);
    return false;
  }
  bool takesMany = chosenVerb == Verb::Fmt || chosenVerb == Verb::Explain;
  if (takesMany || invocation.inputs.size() == 1)
    return true;
  diags.report({}, SeveralInputs, invocation.inputs[1], info(chosenVerb).name);
  return false;
}

bool CommandLine::readDefines(Invocation &invocation, DiagnosticEngine &diags) const {
  bool isRight = true;
  for (StringRef define : arguments.getAllArgValues(OPT_D)) {
    auto [name, value] = define.split('=');
    if (isIdentifier(name) && !value.empty()) {
      auto earlier =
          llvm::find_if(invocation.defines, [&](const auto &known) { return known.first == name; });
      if (earlier == invocation.defines.end())
        invocation.defines.emplace_back(name, value);
      else if (earlier->second != value)
        diags.report({}, DefinedTwice, name, earlier->second, value);
      continue;
    }
    diags.report({}, BadOptionValue, define, "-D", "`NAME=VALUE`, as in `-D BM=64`");
    isRight = false;
  }
  return isRight;
}

void CommandLine::readDependencies(Invocation &invocation) const {
  invocation.writeDependencies = asks(OPT_MD);
  invocation.dependencyFile = valueOf(OPT_MF);
  invocation.dependencyTargets = arguments.getAllArgValues(OPT_MT);
  invocation.phonyTargets = asks(OPT_MP);
}

// -Wname, -Wno-name, -Werror, -Werror=name, in the order of the command line: the last one wins.
void CommandLine::readWarnings(DiagnosticEngine &diags) const {
  diags.showRemarks = asks(OPT_remarks);
  diags.warningsAreErrors = asks(OPT_Werror);
  std::vector<std::string> unknown;
  std::vector<StringRef> warnings;
  for (const DiagnosticInfo &diagnostic : allDiagnostics())
    if (diagnostic.severity == Severity::Warning)
      warnings.push_back(diagnostic.flag);
  auto isKnown = [&](StringRef flag) {
    bool known = llvm::is_contained(warnings, flag);
    if (!known)
      unknown.push_back(flag.str());
    return known;
  };
  for (const Arg *arg : arguments.filtered(OPT_W_Joined, OPT_Werror_EQ)) {
    StringRef flag = arg->getValue();
    if (flag.empty()) // reported
      continue;
    if (arg->getOption().matches(OPT_Werror_EQ)) {
      if (isKnown(flag))
        diags.errorFlags.insert(flag.str());
    } else if (flag.consume_front("no-")) {
      if (isKnown(flag))
        diags.disabledFlags.insert(flag.str());
    } else if (isKnown(flag)) {
      diags.disabledFlags.erase(flag.str());
    }
  }
  for (StringRef flag : unknown) {
    ReportBuilder report = diags.report({}, UnknownWarningOption, flag);
    if (StringRef near = closestWord(flag, warnings); !near.empty())
      report.note({}, "did you mean `{}`?", near);
  }
}

} // namespace tsk::driver
