// What is known of a value, in words: tests hold it against values of programs that run.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

void Interpreter::claim(llvm::ArrayRef<ValueRef> given) {
  if (!isRecording || !comes || given.size() != 2 || !given[0] || !given[0]->isConstant())
    return;
  const auto [known, isNew] = claims.try_emplace(given[0]->low);
  Claim &claim = known->second;
  const ValueRef value = given[1] ? given[1] : anyValue(Level::Thread);
  claim.value = isNew ? value : tsk::body::join(claim.value, value);
  claim.comes = tsk::body::join(claim.comes, controlLevel());
  claim.isConditional |= !isUnconditional();
}

static std::string spelling(Level level) {
  switch (level) {
  case Level::Constant:
    return "constant";
  case Level::Task:
    return "task";
  case Level::Group:
    return "warpgroup";
  case Level::Warp:
    return "warp";
  case Level::Thread:
    return "thread";
  }
  return "";
}

static std::string spelling(const Value &value) {
  std::string text = " value by " + spelling(levelOf(std::make_shared<const Value>(value)));
  if (value.low != Value::Min)
    text += " from " + std::to_string(value.low);
  if (value.high != Value::Max)
    text += " to " + std::to_string(value.high);
  if (value.isTaken)
    text += " taken";
  if (value.elects != Value::Elects::Nobody)
    text += value.elects == Value::Elects::OneOfTask ? " one of task" : " one of warp";
  if (value.form != Value::Form::Other)
    text += value.form == Value::Form::Lane ? " as lane" : " as thread";
  std::vector<Target> targets;
  collectTargets(std::make_shared<const Value>(value), targets);
  if (llvm::any_of(targets, [](const Target &target) { return target.isLocal; }))
    text += " into locals";
  if (value.isLost)
    text += " lost";
  return text + (value.isOutside ? " outside" : "");
}

void Interpreter::writeClaims() {
  for (const auto &[number, claim] : claims) {
    std::string text = " reached by " + spelling(claim.comes);
    if (claim.isConditional)
      text += " perhaps";
    ClaimFact fact{number, text + "," + spelling(*claim.value), {}};
    std::vector<Target> targets;
    collectTargets(claim.value, targets);
    for (const Target &target : targets)
      if (!target.isLocal && !llvm::is_contained(fact.roles, target.id))
        fact.roles.push_back(target.id);
    facts.claims.push_back(std::move(fact));
  }
}

} // namespace tsk::body
