// Findings about bodies that Clang has read: what they touch against what their resource says.
#include "compiler/body/FactChecker.h"
#include "compiler/body/SharedDiagnostics.h"

#include "compiler/ir/Text.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::body {

using ir::FieldId;
using ir::Mechanism;
using ir::ParamId;
using ir::WorkKind;

void FactChecker::check() {
  for (const WorkFacts &facts : reading.reply.works)
    if (reading.request.functions[facts.function].kernel == kernel.name)
      checkWork(facts);
  for (const ArgumentFact &fact : reading.reply.arguments)
    checkArgument(fact);
  for (const auto &[name, uses] : sharedVariables)
    checkShared(name, uses);
  for (size_t i = 0; i < kernel.works.size(); ++i)
    checkPipeline(kernel.works.idAt(i));
  checkIssuers(kernel, diags, [&](ir::WorkId id) { return findSingleIssue(id); });
}

void FactChecker::checkWork(const WorkFacts &facts) {
  current = &facts;
  function = &reading.request.functions[facts.function];
  if (function->userFunction)
    return checkFunction(facts);
  work = &kernel.works[function->work];
  resource = &kernel.resources[work->resource];
  if (!facts.notFollowed.empty()) {
    SourceRange range = rangeOf(facts.notFollowedPlace, sources);
    if (work->declared.empty())
      diags
          .report(range.isValid() ? range : work->loc, BodyNotFollowed, work->name,
                  facts.notFollowed, declaration())
          .note(declarationPlace(), Declaration);
    return;
  }
  if (checkUnknownNames())
    return;
  for (const AccessFact &fact : facts.accesses)
    checkAccess(fact);
  checkLoads(facts);
  for (const EventFact &fact : facts.events)
    checkEvent(fact);
  checkNamed(facts);
  checkDeclared(facts);
}

// Of a statement with a name that Clang does not know, nothing is left to look at.
bool FactChecker::checkUnknownNames() {
  if (!work->declared.empty())
    return false;
  for (const CxxMessage &message : reading.reply.messages) {
    const SourceRange range = rangeOf(message.place, sources);
    if (message.about != CxxMessage::About::Builtin || range.begin < work->bodyLoc.begin ||
        work->bodyLoc.end <= range.begin)
      continue;
    diags
        .report(range, BodyNotFollowed, work->name, "`" + message.text + "` is not known",
                declaration())
        .note(declarationPlace(), Declaration);
    return true;
  }
  return false;
}

// What a schedule may call gives the same to all threads that give it the same. Where its tokens
// show that it does not, nothing rests on it.
void FactChecker::checkFunction(const WorkFacts &facts) {
  const ir::Signature &signature = kernel.tables.functions[function->userFunction];
  if (!signature.changesBy.empty())
    return;
  std::string why;
  const auto event = llvm::find_if(facts.events, [](const EventFact &fact) {
    using Kind = EventFact::Kind;
    return !llvm::is_contained(
        {Kind::OutOfRange, Kind::LocalIndexed, Kind::Unwritten, Kind::HiddenName}, fact.kind);
  });
  auto isWrite = [](const AccessFact &fact) { return fact.isWrite; };
  SourceRange range = kernel.functions[function->userFunction].loc;
  if (!facts.notFollowed.empty())
    why = "it cannot be followed, since " + facts.notFollowed;
  else if (const auto found = llvm::find_if(facts.accesses, isWrite); found != facts.accesses.end())
    why = "it writes `" + function->roles[found->role].name + "`";
  else if (event != facts.events.end())
    why = functionEvent(*event, range);
  else if (!facts.isPure)
    why = "more than its arguments and `in` tensors has a part in what it returns";
  if (!why.empty())
    diags.report(range, FunctionChanges, signature.name, why);
}

std::string FactChecker::functionEvent(const EventFact &fact, SourceRange &range) const {
  const SourceRange place = rangeOf(fact.via.isValid() ? fact.via : fact.place, sources);
  range = place.isValid() ? place : range;
  if (fact.kind == EventFact::Kind::NotUniform)
    return "what it returns follows from the thread's number";
  return fact.text.empty() ? "nobody can see all that it does"
                           : "it has to do with `" + fact.text + "`";
}

bool FactChecker::isDeclared(const Role &role, bool isWrite) const {
  return llvm::any_of(work->declared, [&](const ir::Access &access) {
    const bool isIt = role.kind == Role::Kind::Field ? access.field == FieldId{role.id}
                                                     : access.tensor == ParamId{role.id};
    return isIt && access.isWrite == isWrite;
  });
}

// What would stand behind its parameters: what it is seen to do, and where that is not all, what
// it names.
std::string FactChecker::declaration() const {
  std::vector<std::string> read, written;
  auto add = [](std::vector<std::string> &names, const Role &role) {
    if (!llvm::is_contained(names, role.name))
      names.push_back(role.name);
  };
  auto isMemory = [](const Role &role) {
    return role.kind == Role::Kind::Field || role.kind == Role::Kind::Tensor;
  };
  for (const AccessFact &fact : current->accesses)
    if (const Role &role = function->roles[fact.role]; isMemory(role))
      add(fact.isWrite ? written : read, role);
  const bool isAll = current->notFollowed.empty() && !current->accesses.empty();
  for (size_t i = 0; !isAll && i < current->named.size() && i < function->roles.size(); ++i) {
    const Role &role = function->roles[i];
    if (!current->named[i] || !isMemory(role))
      continue;
    const bool isOwn = role.kind == Role::Kind::Field
                           ? kernel.fields[FieldId{role.id}].resource == work->resource
                           : resource->tensor == ParamId{role.id};
    if (!isOwn || work->kind != WorkKind::Produce)
      add(read, role);
    if (isOwn && work->kind != WorkKind::Consume)
      add(written, role);
  }
  std::string text = read.empty() ? "" : "reads(" + llvm::join(read, ", ") + ")";
  if (!written.empty())
    text += (text.empty() ? "" : " ") + ("writes(" + llvm::join(written, ", ") + ")");
  return text.empty() ? "reads(…) writes(…)" : text;
}

SourceRange FactChecker::declarationPlace() const {
  return {work->bodyLoc.begin, work->bodyLoc.begin.advanced(1)};
}

void FactChecker::checkDeclared(const WorkFacts &facts) {
  if (work->declared.empty())
    return;
  for (const AccessFact &fact : facts.accesses) {
    const Role &role = function->roles[fact.role];
    if (role.kind != Role::Kind::Pointer && !isDeclared(role, fact.isWrite))
      report(fact.place, fact.via, EffectNotDeclared, work->name, fact.isWrite ? "writes" : "reads",
             "`" + role.name + "`")
          .note(work->declaredLoc, "the effects are declared here");
  }
  auto isOpaque = [](const EventFact &fact) {
    return fact.kind == EventFact::Kind::OpaqueCall ||
           fact.kind == EventFact::Kind::NotShownInside ||
           (fact.kind == EventFact::Kind::Meet && !fact.numbers[0]);
  };
  // What it does not certainly write, the stage's rule trusts the declaration for.
  const bool isInPart = llvm::any_of(facts.covers, [&](const CoverFact &fact) {
    const auto whole = std::pair(int64_t{0}, function->roles[fact.role].bytes);
    return fact.isWrite && (fact.ranges.size() != 1 || fact.ranges[0] != whole);
  });
  if (llvm::none_of(facts.events, isOpaque) && !isInPart)
    diags.report(work->declaredLoc, EffectsVisible, work->name);
}

void FactChecker::checkAccess(const AccessFact &fact) {
  const Role &role = function->roles[fact.role];
  if (role.kind == Role::Kind::Field)
    checkField(fact, FieldId{role.id});
  else if (role.kind == Role::Kind::Tensor && fact.isWrite)
    checkTensorWrite(fact, ParamId{role.id});
  if (isLoad(fact) && !isOnce(fact))
    report(fact.place, fact.via, PrimitiveCount, fact.primitive, times(fact));
}

bool FactChecker::isLoad(const AccessFact &fact) {
  return !fact.primitive.empty() && fact.mechanism == Mechanism::Tma && !fact.isStore;
}

// A stage's barrier expects each field once.
void FactChecker::checkLoads(const WorkFacts &facts) {
  std::vector<unsigned> loaded;
  for (const AccessFact &fact : facts.accesses) {
    if (!isLoad(fact) || !isOnce(fact))
      continue;
    const Role &role = function->roles[fact.role];
    if (llvm::is_contained(loaded, fact.role) && role.kind == Role::Kind::Field)
      report(fact.place, fact.via, TmaTwice, kernel.fields[FieldId{role.id}].name);
    loaded.push_back(fact.role);
  }
}

std::string FactChecker::times(const AccessFact &fact) {
  if (fact.most == fact.least)
    return fmt::format("{} times", fact.least);
  if (fact.most && *fact.most == 1)
    return "perhaps not at all";
  return fact.most ? fmt::format("{} to {} times", fact.least, *fact.most)
                   : "a number of times that is not known";
}

void FactChecker::checkField(const AccessFact &fact, FieldId id) {
  const ir::Field &field = kernel.fields[id];
  const bool isOwn = field.resource == work->resource;
  const bool isRegs = kernel.resources[field.resource].space == ir::SpaceKind::Regs;
  if (work->kind == WorkKind::Setup) {
    report(fact.place, fact.via, BodySetupTouches, work->name, field.name);
  } else if (fact.isWrite && !isOwn && !isRegs) {
    report(fact.place, fact.via, BodyWritesForeign, field.name, "a field", resource->name);
  } else if (fact.isWrite && isOwn && work->kind == WorkKind::Consume) {
    report(fact.place, fact.via, BodyConsumeWrites, work->name, field.name);
  } else if (fact.mechanism == Mechanism::Tma) {
    if (field.tensors.empty())
      report(fact.place, fact.via, TmaWithoutTensor, field.name)
          .note(field.loc, "`{}` is declared here", field.name);
    else if (!fact.isStore && !isFilledByTma(*resource))
      report(fact.place, fact.via, TmaOutsidePipeline, field.name, resource->name);
  }
}

bool FactChecker::isFilledByTma(const ir::Resource &resource) {
  return resource.pipeline && llvm::is_contained(resource.pipeline->producers, Mechanism::Tma);
}

void FactChecker::checkTensorWrite(const AccessFact &fact, ParamId id) {
  const ir::Param &tensor = kernel.params[id];
  if (tensor.direction == ir::Direction::In)
    report(fact.place, fact.via, BodyWritesInput, tensor.name);
  else if (resource->tensor != id)
    report(fact.place, fact.via, BodyWritesForeign, tensor.name, "the tensor", resource->name);
  else if (work->kind == WorkKind::Consume)
    report(fact.place, fact.via, BodyConsumeWrites, work->name, tensor.name);
}

void FactChecker::checkNamed(const WorkFacts &facts) {
  if (work->kind != WorkKind::Setup)
    return;
  for (size_t i = 0; i < facts.named.size() && i < function->roles.size(); ++i) {
    const Role &role = function->roles[i];
    auto touches = [&](const AccessFact &fact) { return fact.role == i; };
    if (facts.named[i] && role.kind == Role::Kind::Field && llvm::none_of(facts.accesses, touches))
      diags.report(work->loc, BodySetupTouches, work->name, kernel.fields[FieldId{role.id}].name);
  }
}

// A stage that TMA fills is full when its bytes have come: nobody else may fill it.
void FactChecker::checkPipeline(ir::WorkId id) {
  const ir::Work &filling = kernel.works[id];
  const ir::Resource &owner = kernel.resources[filling.resource];
  if (filling.kind != WorkKind::Produce || !owner.pipeline || !reading.isFollowed(kernel, id))
    return;
  const bool onlyTma = llvm::all_of(
      owner.pipeline->producers, [](Mechanism mechanism) { return mechanism == Mechanism::Tma; });
  bool byThreads = false, byTma = false;
  std::string both;
  for (const ir::Access &access : filling.accesses) {
    if (!access.field || !access.isWrite ||
        kernel.fields[access.field].resource != filling.resource)
      continue;
    const bool isTma = access.mechanism == Mechanism::Tma;
    (isTma ? byTma : byThreads) = true;
    for (const ir::Access &other : filling.accesses)
      if (isTma && other.field == access.field && other.isWrite &&
          other.mechanism == Mechanism::Async)
        both = kernel.fields[access.field].name;
  }
  if (!both.empty())
    diags.report(filling.loc, MixedMechanisms, filling.name, both);
  else if (onlyTma && byThreads && !byTma)
    diags.report(filling.loc, TmaPipelineWithoutTma, owner.name, filling.name)
        .note(owner.pipeline->loc, "the pipeline is declared here");
}

std::optional<SingleIssue> FactChecker::findSingleIssue(ir::WorkId id) {
  for (const WorkFacts *facts : reading.factsOf(kernel, id))
    for (const AccessFact &fact : facts->accesses)
      if (!fact.primitive.empty() && fact.mechanism == Mechanism::Tma)
        return SingleIssue{rangeOf(fact.via.isValid() ? fact.via : fact.place, sources),
                           fact.primitive};
  return std::nullopt;
}

void FactChecker::checkArgument(const ArgumentFact &fact) {
  const Argument &argument = reading.request.arguments[fact.argument];
  if (argument.kernel != kernel.name)
    return;
  const ir::Work &called = kernel.works[argument.work];
  diags
      .report(argument.loc, ArgumentType, called.params[argument.param].name,
              ir::workName(kernel, argument.work), fact.wanted, fact.given)
      .note(called.params[argument.param].loc, "`{}` is declared here",
            called.params[argument.param].name);
}

void checkFacts(ir::Kernel &kernel, const Reading &reading, const SourceManager &sources,
                DiagnosticEngine &diags) {
  FactChecker(kernel, reading, sources, diags).check();
}

} // namespace tsk::body
