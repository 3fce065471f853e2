// Parts of lines of the dump.
#include "compiler/syntax/AstDumper.h"

namespace tsk::ast {

using llvm::StringRef;

std::string optional(StringRef word, const Expr *expr) {
  return expr ? (" " + word + " " + toString(*expr)).str() : "";
}
std::string named(StringRef word, const Name &name) {
  return name ? (" " + word + " " + name.text).str() : "";
}
std::string list(List<const Expr *> exprs) {
  std::string text;
  for (const Expr *expr : exprs)
    text += (text.empty() ? "" : ", ") + toString(*expr);
  return text;
}
std::string list(List<Name> names) {
  std::string text;
  for (const Name &name : names)
    text += (text.empty() ? "" : ", ") + name.text.str();
  return text;
}
std::string list(List<Path> paths) {
  std::string text;
  for (const Path &path : paths)
    text += (text.empty() ? "" : ", ") + toString(path);
  return text;
}
std::string list(List<Arg> args) {
  std::string text;
  for (const Arg &arg : args)
    text += (text.empty() ? "" : ", ") + (arg.name ? arg.name.text.str() + " = " : "") +
            toString(*arg.value);
  return text;
}
std::string list(List<TemplateArg> args) {
  std::string text;
  for (const TemplateArg &arg : args)
    text += (text.empty() ? "" : ", ") + arg.name.text.str() + " = " + toString(*arg.value);
  return text;
}
std::string list(List<MechanismUse> uses) {
  std::string text;
  for (const MechanismUse &use : uses)
    text += (text.empty() ? "" : " + ") + spelling(use.mechanism).str();
  return text;
}
std::string withType(const Type *type) { return type ? " : " + toString(*type) : ""; }

} // namespace tsk::ast
