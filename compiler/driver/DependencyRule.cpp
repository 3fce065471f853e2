#include "compiler/driver/DependencyRule.h"

#include "llvm/ADT/StringRef.h"

namespace tsk::driver {

// As make and ninja read a name: blanks and # behind a backslash, backslashes before them doubled,
// dollars doubled.
static std::string escaped(llvm::StringRef name) {
  std::string result;
  size_t backslashes = 0;
  for (char c : name) {
    if (c == ' ' || c == '\t' || c == '#') {
      result.append(backslashes, '\\');
      result += '\\';
    }
    if (c == '$')
      result += '$';
    backslashes = c == '\\' ? backslashes + 1 : 0;
    result += c;
  }
  return result;
}

std::string dependencyRule(llvm::ArrayRef<std::string> targets, llvm::ArrayRef<std::string> files,
                           bool phony) {
  std::string rule;
  for (const std::string &target : targets)
    rule += (rule.empty() ? "" : " ") + escaped(target);
  rule += ':';
  for (const std::string &file : files)
    rule += (&file == files.begin() ? " " : " \\\n  ") + escaped(file);
  rule += '\n';
  if (phony)
    for (const std::string &file : files.drop_front(files.empty() ? 0 : 1))
      rule += escaped(file) + ":\n";
  return rule;
}

} // namespace tsk::driver
