#include "compiler/body/BodyScan.h"
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyTokens.h"
#include "compiler/body/SharedDiagnostics.h"

#include "compiler/support/Suggest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

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
constexpr Diagnostic<llvm::StringRef> TmaUncounted{
    kind::TmaUncounted,
    "`tsk::tma_load` stands behind `{}`, so how often it runs cannot be counted, and its barrier "
    "expects one copy a call; guard or repeat the call in the schedule instead"};

constexpr Diagnostic<> TmaInLoop{
    kind::TmaUncounted,
    "how often `tsk::tma_load` runs cannot be counted in a body that jumps, and "
    "its barrier expects one copy a call; repeat the call in the schedule instead"};

namespace {

// The kernel's names, so that looking one up takes no longer in a large kernel.
struct KernelNames {
  explicit KernelNames(const ir::Kernel &kernel) {
    fill(params, kernel.params);
    fill(scalars, kernel.scalars);
    fill(resources, kernel.resources);
    fields.resize(kernel.resources.size());
    for (size_t i = 0; i < kernel.fields.size(); ++i) {
      const ir::Field &field = kernel.fields[kernel.fields.idAt(i)];
      fields[field.resource.index].try_emplace(field.name, kernel.fields.idAt(i));
    }
  }

  template <typename IdT> static IdT find(const llvm::StringMap<IdT> &map, llvm::StringRef name) {
    auto it = map.find(name);
    return it == map.end() ? IdT{} : it->second;
  }

  llvm::StringMap<ParamId> params;
  llvm::StringMap<ir::ScalarId> scalars;
  llvm::StringMap<ir::ResourceId> resources;
  std::vector<llvm::StringMap<FieldId>> fields; // by resource

private:
  template <typename IdT, typename T>
  static void fill(llvm::StringMap<IdT> &map, const Table<IdT, T> &table) {
    for (size_t i = 0; i < table.size(); ++i)
      map.try_emplace(table[table.idAt(i)].name, table.idAt(i));
  }
};

class WorkScanner {
public:
  WorkScanner(ir::Kernel &k, const KernelNames &kernelNames, DiagnosticEngine &engine, ir::Work &w)
      : kernel(k), names(kernelNames), diags(engine), work(w), resource(k.resources[w.resource]),
        tokens(w) {}
  void scan();

private:
  void scanForbidden(size_t i);
  void scanName(size_t i);
  bool scanPrimitive(size_t i);
  void checkCounted(size_t call);
  void scanTma(size_t call, bool isStore);
  void scanMultiply(size_t call);
  void touchField(FieldId field, size_t i, size_t last);
  void touchTensor(ParamId param, size_t i);
  void scanMember(ir::ResourceId other, size_t i);
  void suggestResource(size_t i);
  void suggestElement(size_t i);
  void checkPipeline();
  FieldId fieldOf(ir::ResourceId owner, llvm::StringRef name) const {
    return KernelNames::find(names.fields[owner.index], name);
  }
  FieldId fieldAt(size_t i, size_t &last) const;
  ParamId paramByName(llvm::StringRef name) const;
  bool isOwnName(llvm::StringRef name) const;
  void add(const Access &access);

  ir::Kernel &kernel;
  const KernelNames &names;
  DiagnosticEngine &diags;
  ir::Work &work;
  const ir::Resource &resource;
  BodyTokens tokens;
  std::vector<bool> consumed; // tokens that a primitive has accounted for
};

} // namespace

ParamId WorkScanner::paramByName(llvm::StringRef name) const {
  for (const ir::ParamAlias &alias : resource.aliases)
    if (alias.name == name)
      return alias.param;
  return KernelNames::find(names.params, name);
}

// Names that the work itself brings: its parameters and results.
bool WorkScanner::isOwnName(llvm::StringRef name) const {
  auto named = [&](const ir::WorkParam &param) { return param.name == name; };
  return llvm::any_of(work.params, named) || llvm::any_of(work.results, named) ||
         tokens.isLocal(name);
}

void WorkScanner::add(const Access &access) { addAccess(work, access); }

void WorkScanner::scan() {
  consumed.assign(tokens.size(), false);
  for (size_t i = 0; i < tokens.size(); ++i) {
    scanForbidden(i);
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
  if (ir::ResourceId other = KernelNames::find(names.resources, name))
    return scanMember(other, i);
  suggestResource(i);
}

// `operands.a`: a field of another resource, which the task must hold.
void WorkScanner::scanMember(ir::ResourceId other, size_t i) {
  const ir::Resource &owner = kernel.resources[other];
  llvm::StringRef member = tokens[i + 2].text;
  if (FieldId field = fieldOf(other, member))
    return touchField(field, i, i + 2);
  std::vector<llvm::StringRef> known;
  for (FieldId id : owner.fields)
    known.push_back(kernel.fields[id].name);
  llvm::StringRef near = closestWord(member, known);
  std::string meant = near.empty() ? "" : fmt::format("; did you mean `{}`?", near);
  ReportBuilder report =
      diags.report(tokens.range(i + 2), BodyUnknownField, owner.name, member, meant);
  report.note(owner.loc, "`{}` is declared here", owner.name);
  if (!near.empty())
    report.fixit(tokens.range(i + 2), near.str(), fmt::format("write `{}`", near));
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

// ---- Primitives -------------------------------------------------------------------------------

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
  ir::ResourceId other = KernelNames::find(names.resources, tokens[i].text);
  if (!other || !tokens.is(i + 1, ".") || !tokens.isIdentifier(i + 2))
    return {};
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
    if (names.resources.count(tokens[std::min(call + 2, tokens.size() - 1)].text) &&
        tokens.is(call + 3, "."))
      return; // the member is unknown, and will be reported as such
    size_t shown = std::min(call + 2, tokens.size() - 1);
    diags.report(tokens.range(shown), PrimitiveArgument, tokens[call].text);
    return;
  }
  for (size_t i = call + 2; i <= last; ++i)
    consumed[i] = true;
  const ir::Field &f = kernel.fields[field];
  SourceRange range = tokens.range(call + 2, last);
  if (f.tensors.empty())
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
    diags.report(range, TmaOutsidePipeline, f.name, resource.name);
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

void scanBodies(ir::Kernel &kernel, DiagnosticEngine &diagnostics) {
  KernelNames names(kernel);
  for (ir::Work &work : kernel.works) {
    WorkScanner(kernel, names, diagnostics, work).scan();
    for (const Access &declared : work.declared)
      addAccess(work, declared);
  }
}

} // namespace tsk::body
