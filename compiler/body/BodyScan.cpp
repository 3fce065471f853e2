#include "compiler/body/BodyScan.h"
#include "compiler/body/SharedDiagnostics.h"
#include "compiler/body/WorkScanner.h"

#include "compiler/support/Suggest.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using ir::Access;
using ir::FieldId;
using ir::Mechanism;
using ir::ParamId;
using ir::WorkKind;

constexpr Diagnostic<llvm::StringRef, llvm::StringRef, std::string> BodyUnknownField{
    kind::BodyUnknownField, "resource `{}` has no field `{}`{}"};
constexpr Diagnostic<> BodyNamesElement{
    kind::BodyUnknownResource,
    "bodies do not index arrays of resources; each element has a name of its own there"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodyUnknownResource{
    kind::BodyUnknownResource, "unknown resource `{}`; did you mean `{}`?"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodyNamesHeld{
    kind::BodyUnknownResource,
    "this work sees the stage of `{0}` that a parameter names: write `{1}`"};
ParamId WorkScanner::paramByName(llvm::StringRef name) const {
  for (const ir::ParamAlias &alias : resource.aliases)
    if (alias.name == name)
      return alias.param;
  return KernelNames::find(names.params, name);
}

// Names that the work itself brings: its parameters and results.
bool WorkScanner::isOwnName(llvm::StringRef name) const {
  auto named = [&](const auto &param) { return param.name == name; };
  auto isUnknown = [&](const ir::HoldParam &hold) { return !hold.resource && hold.name == name; };
  return llvm::any_of(work.params, named) || llvm::any_of(work.results, named) ||
         llvm::any_of(work.holds, isUnknown) || tokens.isLocal(name);
}

// The resource whose stage the body knows by that name: a parameter's, else the resource's own.
ir::ResourceId WorkScanner::otherResource(llvm::StringRef name) const {
  for (const ir::HoldParam &hold : work.holds)
    if (hold.name == name)
      return hold.resource;
  return KernelNames::find(names.resources, name);
}

void WorkScanner::add(const Access &access) { addAccess(work, access); }

void WorkScanner::scan() {
  consumed.assign(tokens.size(), false);
  for (size_t i = 0; i < tokens.size(); ++i) {
    scanForbidden(i);
    scanGroup(i);
    if (!tokens.isDeviceFunction(i) || !scanPrimitive(i))
      if (!consumed[i] && tokens.isOuter(i) && !isOwnName(tokens[i].text))
        scanName(i);
  }
  checkPipeline();
}

void WorkScanner::scanForbidden(size_t i) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Protocol[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_BODY_PROTOCOL(Name, Instead) {#Name, Instead},
#include "compiler/body/Primitives.def"
  };
  static constexpr llvm::StringRef Instructions[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_ASM_PROTOCOL(Text) Text,
#include "compiler/body/Primitives.def"
  };
  llvm::StringRef text = tokens[i].text;
  if (tokens.isIdentifier(i)) {
    bool isGlobal = tokens.isOuter(i) && text.starts_with("__");
    for (const auto &[name, instead] : Protocol)
      if (text == name && (isGlobal || tokens.isDeviceFunction(i)))
        diags.report(tokens.range(i), BodyProtocol, text, instead);
    if (tokens.isOuter(i) && (text == "threadIdx" || text == "blockDim")) {
      ReportBuilder report = diags.report(tokens.range(i), BodyThreadIdx, text, OwnThread);
      if (text == "threadIdx" && tokens.is(i + 1, ".") && tokens.is(i + 2, "x"))
        report.fixit(tokens.range(i, i + 2), "tsk::task_thread()", "use the task's own number");
    }
  } else if (tokens.isAsmText(i)) {
    for (llvm::StringRef instruction : Instructions)
      if (text.contains(instruction)) {
        diags.report(tokens.range(i), BodyAsmProtocol, instruction);
        return;
      }
  }
}

// `group.sync()`, with the name of the method at `method`.
void WorkScanner::checkGroup(size_t first, size_t last, size_t method, llvm::StringRef type) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Protocol[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_GROUP_PROTOCOL(Name, Instead) {Name, Instead},
#include "compiler/body/Primitives.def"
  };
  const std::string called = (type + "::" + tokens[method].text).str();
  for (const auto &[name, instead] : Protocol)
    if (name == called)
      diags.report(tokens.range(first, last), BodyProtocol, "cooperative_groups::" + called,
                   instead);
}

// `this_thread_block().sync()`, `sync(this_thread_block())`, and of a local that is this group.
void WorkScanner::scanGroup(size_t i) {
  static constexpr std::pair<llvm::StringRef, llvm::StringRef> Groups[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_GROUP(Name, Type) {Name, Type},
#include "compiler/body/Primitives.def"
  };
  const auto *group = llvm::find_if(Groups, [&](const auto &known) {
    return tokens.isIdentifier(i) && tokens.is(i, known.first);
  });
  if (group == std::end(Groups) || !tokens.is(i + 1, "(") || !tokens.is(i + 2, ")"))
    return;
  const auto uses = [&](size_t first, size_t last) {
    if (tokens.is(last + 1, ".") && tokens.isIdentifier(last + 2))
      checkGroup(first, last + 2, last + 2, group->second);
    else if (first >= 2 && tokens.is(first - 1, "(") && tokens.is(last + 1, ")"))
      checkGroup(first - 2, last + 1, first - 2, group->second);
  };
  size_t first = i;
  while (first >= 2 && tokens.is(first - 1, "::") && tokens.isIdentifier(first - 2))
    first -= 2;
  uses(first, i + 2);
  if (first < 2 || !tokens.is(first - 1, "=") || !tokens.is(i + 3, ";"))
    return;
  for (size_t use = i + 4; use < tokens.size(); ++use)
    if (tokens.isFree(use) && tokens.is(use, tokens[first - 2].text))
      uses(use, use);
}

void WorkScanner::scanName(size_t i) {
  llvm::StringRef name = tokens[i].text;
  if (FieldId own = fieldOf(work.resource, name))
    return touchField(own, i, i);
  if (ParamId param = paramByName(name)) {
    if (!llvm::is_contained(work.usedParams, param) &&
        kernel.params[param].shape != ir::Param::Shape::Scalar)
      work.usedParams.push_back(param);
    if (kernel.params[param].shape == ir::Param::Shape::Tensor)
      return touchTensor(param, i);
  }
  if (ir::ScalarId scalar = KernelNames::find(names.scalars, name)) {
    if (!llvm::is_contained(work.usedScalars, scalar))
      work.usedScalars.push_back(scalar);
    return;
  }
  if (tokens.is(i + 1, "["))
    return suggestElement(i);
  if (!tokens.is(i + 1, ".") || !tokens.isIdentifier(i + 2))
    return;
  const ir::ResourceId other = otherResource(name);
  if (!other)
    return suggestResource(i);
  if (const ir::HoldParam *hold = work.holdOf(other); hold && hold->name != name)
    return reportHeld(*hold, i);
  scanMember(other, i);
}

// `operands.a` where a parameter `op` names a stage of `operands`: it would be another one.
void WorkScanner::reportHeld(const ir::HoldParam &hold, size_t i) {
  diags.report(tokens.range(i), BodyNamesHeld, tokens[i].text, hold.name)
      .note(hold.loc, "`{}` is declared here", hold.name)
      .fixit(tokens.range(i), hold.name, fmt::format("write `{}`", hold.name));
}

// `operands.a`: a field of another resource, which the task must hold.
void WorkScanner::scanMember(ir::ResourceId other, size_t i) {
  const ir::Resource &owner = kernel.resources[other];
  llvm::StringRef member = tokens[i + 2].text;
  if (FieldId field = fieldOf(other, member))
    return touchField(field, i, i + 2);
  reportUnknownField(owner, i + 2, closestField(owner, member));
}

llvm::StringRef WorkScanner::closestField(const ir::Resource &owner, llvm::StringRef name) const {
  std::vector<llvm::StringRef> known;
  for (FieldId id : owner.fields)
    known.push_back(kernel.fields[id].name);
  return closestWord(name, known);
}

void WorkScanner::reportUnknownField(const ir::Resource &owner, size_t i, llvm::StringRef near) {
  std::string meant = near.empty() ? "" : fmt::format("; did you mean `{}`?", near);
  ReportBuilder report =
      diags.report(tokens.range(i), BodyUnknownField, owner.name, tokens[i].text, meant);
  report.note(owner.loc, "`{}` is declared here", owner.name);
  if (!near.empty())
    report.fixit(tokens.range(i), near.str(), fmt::format("write `{}`", near));
}

// A lone name that the kernel does not have, nearly that of a field. False: nothing is reported.
bool WorkScanner::suggestField(size_t i) {
  const llvm::StringRef name = tokens[i].text;
  if (!tokens.isIdentifier(i) || !(tokens.is(i + 1, ",") || tokens.is(i + 1, ")")) ||
      isOwnName(name) || paramByName(name) || KernelNames::find(names.resources, name))
    return false;
  const llvm::StringRef near = closestField(resource, name);
  if (!near.empty())
    reportUnknownField(resource, i, near);
  return !near.empty();
}

// A name that nobody declares, with a member, and nearly a resource's: hardly a macro.
void WorkScanner::suggestResource(size_t i) {
  if (diags.errorCount() >= 50) // compares with every resource; nobody reads so many
    return;
  std::vector<llvm::StringRef> known;
  for (const ir::Resource &candidate : kernel.resources)
    known.push_back(candidate.name);
  llvm::StringRef near = closestWord(tokens[i].text, known);
  bool isBuiltin =
      llvm::is_contained({"stage", "threadIdx", "blockIdx", "blockDim", "gridDim"}, tokens[i].text);
  if (near.empty() || isBuiltin)
    return;
  ir::ResourceId meant = KernelNames::find(names.resources, near);
  if (fieldOf(meant, tokens[i + 2].text))
    diags.report(tokens.range(i), BodyUnknownResource, tokens[i].text, near)
        .fixit(tokens.range(i), near.str(), fmt::format("write `{}`", near));
}

// `s[1].x`: schedules name an array's elements so.
void WorkScanner::suggestElement(size_t i) {
  if (!tokens.is(i + 3, "]") || !tokens.is(i + 4, "."))
    return;
  const std::string element = fmt::format("{}_{}", tokens[i].text, tokens[i + 2].text);
  if (KernelNames::find(names.resources, element))
    diags.report(tokens.range(i, i + 3), BodyNamesElement)
        .fixit(tokens.range(i, i + 3), element, fmt::format("write `{}`", element));
}

void WorkScanner::touchField(FieldId field, size_t i, size_t last) {
  const ir::Field &f = kernel.fields[field];
  bool isOwn = f.resource == work.resource;
  bool isAssigned = tokens.isAssigned(last);
  bool isRegs = kernel.resources[f.resource].space == ir::SpaceKind::Regs;
  if (!isOwn) {
    if (isAssigned && !isRegs)
      diags.report(tokens.range(i, last), BodyWritesForeign, f.name, "a field", resource.name);
    return add({field, {}, isAssigned, Mechanism::Async, false});
  }
  switch (work.kind) {
  case WorkKind::Produce:
    return add({field, {}, true, Mechanism::Async, false});
  case WorkKind::Consume:
    if (isAssigned)
      diags.report(tokens.range(i, last), BodyConsumeWrites, work.name, f.name);
    return add({field, {}, false, Mechanism::Async, false});
  case WorkKind::Update:
    add({field, {}, false, Mechanism::Async, false});
    return add({field, {}, true, Mechanism::Async, false});
  case WorkKind::Setup:
    diags.report(tokens.range(i, last), BodySetupTouches, work.name, f.name);
    return;
  }
}

void WorkScanner::touchTensor(ParamId param, size_t i) {
  if (tokens.is(i + 1, ".") && (tokens.is(i + 2, "dim") || tokens.is(i + 2, "size")))
    return; // its extents are no memory
  const ir::Param &tensor = kernel.params[param];
  bool isAssigned = tokens.isAssigned(i);
  bool isOwn = resource.tensor == param;
  bool mayWrite = isOwn && (work.kind == WorkKind::Produce || work.kind == WorkKind::Update);
  if (isAssigned && !mayWrite && tensor.direction == ir::Direction::In)
    diags.report(tokens.range(i), BodyWritesInput, tensor.name);
  else if (isAssigned && !isOwn)
    diags.report(tokens.range(i), BodyWritesForeign, tensor.name, "the tensor", resource.name);
  else if (isAssigned && work.kind == WorkKind::Consume)
    diags.report(tokens.range(i), BodyConsumeWrites, work.name, tensor.name);
  bool reads = !isOwn || work.kind == WorkKind::Consume || work.kind == WorkKind::Update;
  if (reads)
    add({{}, param, false, Mechanism::Async, false});
  if (mayWrite)
    add({{}, param, true, Mechanism::Async, false});
}

// A stage that TMA fills is full when its bytes have come: nobody else may fill it.
void WorkScanner::checkPipeline() {
  if (work.kind != WorkKind::Produce || !resource.pipeline)
    return;
  bool onlyTma = llvm::all_of(resource.pipeline->producers,
                              [](Mechanism mechanism) { return mechanism == Mechanism::Tma; });
  bool writesByThreads = false;
  bool writesByTma = false;
  for (const Access &access : work.accesses) {
    bool isOwn = access.field && kernel.fields[access.field].resource == work.resource;
    writesByThreads |= isOwn && access.isWrite && access.mechanism == Mechanism::Async;
    writesByTma |= isOwn && access.isWrite && access.mechanism == Mechanism::Tma;
  }
  if (onlyTma && writesByThreads && !writesByTma)
    diags.report(work.loc, TmaPipelineWithoutTma, resource.name, work.name)
        .note(resource.pipeline->loc, "the pipeline is declared here");
}

void addAccess(ir::Work &work, const Access &access) {
  for (Access &known : work.accesses)
    if (known.field == access.field && known.tensor == access.tensor &&
        known.isWrite == access.isWrite && known.mechanism == access.mechanism)
      return known.elements.join(access.elements);
  work.accesses.push_back(access);
}

std::vector<UnfilledField> scanBodies(ir::Kernel &kernel, const std::set<FieldId> &ofBroken,
                                      DiagnosticEngine &diagnostics) {
  KernelNames names(kernel);
  TmaFindings tma{ofBroken, {}};
  for (ir::Work &work : kernel.works) {
    WorkScanner(kernel, names, diagnostics, work, tma).scan();
    for (const Access &declared : work.declared)
      addAccess(work, declared);
  }
  return std::move(tma.unfilled);
}

void reportUnfilled(const ir::Kernel &kernel, const UnfilledField &unfilled,
                    DiagnosticEngine &diagnostics) {
  const ir::Field &field = kernel.fields[unfilled.field];
  diagnostics.report(unfilled.range, TmaOutsidePipeline, field.name,
                     kernel.resources[field.resource].name);
}

} // namespace tsk::body
