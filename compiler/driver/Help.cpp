#include "compiler/driver/Help.h"

#include "compiler/driver/Version.h"

#include "llvm/Option/Option.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace tsk::driver {

using llvm::StringRef;

namespace {
struct HelpLine {
  std::string option; // "--emit=WHAT"
  StringRef text;
};
} // namespace

static std::string usage(const VerbInfo &verb) {
  std::string name = verb.verb == Verb::Compile ? "[compile]" : verb.name.str();
  return "tskc " + name + " [OPTION…] " + verb.operands.str();
}

static std::string shape(const llvm::opt::Option &option) {
  std::string result = option.getPrefixedName().str();
  StringRef meta = optionTable().getOptionMetaVar(option.getID());
  if (option.getKind() == llvm::opt::Option::JoinedOrSeparateClass)
    result += ' ';
  return result + meta.str();
}

// The options of a verb, in the order of the alphabet; one-letter options first.
static std::vector<HelpLine> optionsOf(Verb verb) {
  std::vector<HelpLine> lines;
  unsigned mask = visibility(verb);
  for (unsigned id = 1; id <= optionTable().getNumOptions(); ++id) {
    llvm::opt::Option option = optionTable().getOption(id);
    const char *text = optionTable().getOptionHelpText(id);
    if (text && option.hasVisibilityFlag(mask) && !option.hasFlag(llvm::opt::HelpHidden))
      lines.push_back({shape(option), text});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const HelpLine &a, const HelpLine &b) {
    bool aIsLong = StringRef(a.option).starts_with("--");
    bool bIsLong = StringRef(b.option).starts_with("--");
    return aIsLong != bIsLong ? bIsLong : a.option < b.option;
  });
  return lines;
}

void printVersion(llvm::raw_ostream &os) { os << "tskc " << TSK_VERSION << '\n'; }

void printHelp(llvm::raw_ostream &os, Verb verb) {
  const VerbInfo &described = info(verb);
  os << "usage: " << usage(described) << "\n\n" << described.summary << '\n';
  if (verb == Verb::Compile) {
    os << "\nverbs (`tskc VERB --help` says more):\n";
    for (const VerbInfo &each : allVerbs())
      os << llvm::format("  %-10s", each.name.data()) << each.summary << '\n';
  }
  os << "\noptions:\n";
  for (const HelpLine &line : optionsOf(verb))
    os << llvm::format("  %-28s", line.option.c_str()) << line.text << '\n';
  os << "\n`@FILE` on the command line stands for the words in FILE; `-` as an input is standard "
        "input.\n";
  if (verb == Verb::Compile)
    os << "exit status: 0 success, 1 errors in the input, 2 wrong command line, 70 internal "
          "error\n";
}

void printHelpMarkdown(llvm::raw_ostream &os) {
  os << "# Command line\n\n"
        "<!-- Generated from compiler/driver/Options.td by `./dev docs`. Do not edit. -->\n\n"
        "`@FILE` on the command line stands for the words in FILE; `-` as an input is standard "
        "input.\nExit status: 0 success, 1 errors in the input, 2 wrong command line, 70 internal "
        "error (please report it).\n";
  for (const VerbInfo &verb : allVerbs()) {
    os << "\n## `" << usage(verb) << "`\n\n"
       << verb.summary << "\n\n| option | meaning |\n|---|---|\n";
    for (const HelpLine &line : optionsOf(verb.verb))
      os << "| `" << line.option << "` | " << line.text << " |\n";
  }
}

} // namespace tsk::driver
