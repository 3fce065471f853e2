// Calls of the device library by their tokens: copies and multiplications.
#include "compiler/body/SharedDiagnostics.h"
#include "compiler/body/WorkScanner.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using ir::Access;
using ir::FieldId;
using ir::Mechanism;
using ir::ParamId;
using ir::WorkKind;

constexpr Diagnostic<llvm::StringRef> TmaUncounted{
    kind::TmaUncounted,
    "`tsk::tma_load` stands behind `{}`, so how often it runs cannot be counted, and its barrier "
    "expects one copy a call; guard or repeat the call in the schedule instead"};

constexpr Diagnostic<> TmaInLoop{
    kind::TmaUncounted,
    "how often `tsk::tma_load` runs cannot be counted in a body that jumps, and "
    "its barrier expects one copy a call; repeat the call in the schedule instead"};

// True if the name at i is a primitive, which has been dealt with.
bool WorkScanner::scanPrimitive(size_t i) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Later[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_PRIMITIVE_LATER(Name, What) {#Name, What},
#include "compiler/body/Primitives.def"
  };
  for (const auto &[name, what] : Later)
    if (tokens[i].text == name)
      diags.report(tokens.range(i), PrimitiveNotYetCompiled, what);
  if (tokens[i].text == "wgmma") {
    scanMultiply(i);
    return true;
  }
  bool isLoad = tokens[i].text == "tma_load";
  if (!isLoad && tokens[i].text != "tma_store")
    return false;
  if (isLoad)
    checkCounted(i);
  scanTma(i, !isLoad);
  return true;
}

// What at i could skip or repeat what stands behind it; empty: nothing. Lexical, so it sees too
// much rather than too little.
static llvm::StringRef steeringAt(const BodyTokens &tokens, size_t i) {
  static constexpr llvm::StringRef Words[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_STEERING(Text) Text,
#include "compiler/body/Primitives.def"
  };
  llvm::StringRef text = tokens[i].text;
  if (llvm::is_contained(Words, text))
    return text;
  if ((text == "&" || text == "|") && tokens.is(i + 1, text)) // tokens are single characters
    return text == "&" ? "&&" : "||";
  if (text == "#" && i + 1 < tokens.size() &&
      (tokens[i + 1].text.starts_with("if") || tokens[i + 1].text.starts_with("el")))
    return "#if";
  return tokens.opensLambda(i) ? "a lambda" : "";
}

// A copy whose number of runs the text leaves open: behind what may skip or repeat it, or in a body
// that may jump back to it.
void WorkScanner::checkCounted(size_t call) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    llvm::StringRef found = i < call ? steeringAt(tokens, i) : "";
    if (!found.empty()) {
      diags.report(tokens.range(call), TmaUncounted, found);
      return;
    }
    if (tokens.is(i, "goto") || tokens.isLabel(i)) {
      diags.report(tokens.range(call), TmaInLoop)
          .note(tokens.range(i), "this is where the body may jump");
      return;
    }
  }
}

// The field that the tokens from i on name: `data` or `staging.d`.
FieldId WorkScanner::fieldAt(size_t i, size_t &last) const {
  last = i;
  if (!tokens.isFree(i) || isOwnName(tokens[i].text))
    return {};
  if (FieldId own = fieldOf(work.resource, tokens[i].text))
    return own;
  ir::ResourceId other = otherResource(tokens[i].text);
  if (!other || !tokens.is(i + 1, ".") || !tokens.isIdentifier(i + 2))
    return {};
  if (const ir::HoldParam *hold = work.holdOf(other); hold && hold->name != tokens[i].text)
    return {}; // will be reported
  last = i + 2;
  return fieldOf(other, tokens[i + 2].text);
}

// tsk::wgmma(c, a, b, …): c is read and written, fields in the other arguments are read. What they
// mean besides is for C++ to say.
void WorkScanner::scanMultiply(size_t call) {
  if (!tokens.is(call + 1, "("))
    return;
  size_t argument = 0;
  int depth = 0;
  for (size_t i = call + 1; i < tokens.size(); ++i) {
    depth += tokens.is(i, "(") ? 1 : tokens.is(i, ")") ? -1 : 0;
    if (depth == 0)
      break;
    if (depth == 1 && tokens.is(i, ","))
      ++argument;
    size_t last = 0;
    FieldId field = tokens.isIdentifier(i) ? fieldAt(i, last) : FieldId();
    if (!field)
      continue;
    add({field, {}, false, Mechanism::Wgmma, false});
    if (argument == 0)
      add({field, {}, true, Mechanism::Wgmma, false});
    for (size_t t = i; t <= last; ++t)
      consumed[t] = true;
  }
}

void WorkScanner::scanTma(size_t call, bool isStore) {
  if (!tokens.is(call + 1, "("))
    return;
  size_t last = 0;
  FieldId field = fieldAt(call + 2, last);
  if (!field) {
    if (otherResource(tokens[std::min(call + 2, tokens.size() - 1)].text) &&
        tokens.is(call + 3, "."))
      return; // the member is unknown, and will be reported as such
    size_t shown = std::min(call + 2, tokens.size() - 1);
    if (!suggestField(shown))
      diags.report(tokens.range(shown), PrimitiveArgument, tokens[call].text);
    return;
  }
  for (size_t i = call + 2; i <= last; ++i)
    consumed[i] = true;
  const ir::Field &f = kernel.fields[field];
  SourceRange range = tokens.range(call + 2, last);
  if (f.tensors.empty() && !tma.ofBroken.count(field))
    diags.report(range, TmaWithoutTensor, f.name).note(f.loc, "`{}` is declared here", f.name);
  const auto isSameLoad = [&](const Access &access) {
    return access.field == field && access.isWrite && access.mechanism == Mechanism::Tma;
  };
  if (!isStore && llvm::any_of(work.accesses, isSameLoad))
    diags.report(range, TmaTwice, f.name);
  add({field, {}, !isStore, Mechanism::Tma, isStore});
  for (ParamId tensor : f.tensors)
    add({{}, tensor, isStore, Mechanism::Tma, isStore});
  if (isStore)
    return;
  if (f.resource != work.resource)
    diags.report(range, BodyWritesForeign, f.name, "a field", resource.name);
  else if (work.kind == WorkKind::Consume)
    diags.report(range, BodyConsumeWrites, work.name, f.name);
  else if (!resource.pipeline || !llvm::is_contained(resource.pipeline->producers, Mechanism::Tma))
    tma.unfilled.push_back({range, field});
}

} // namespace tsk::body
