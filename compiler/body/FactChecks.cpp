// Findings about bodies that Clang has read: what they touch against what their resource says, and
// what no body may do.
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyReading.h"
#include "compiler/body/BodyScan.h"
#include "compiler/body/SharedDiagnostics.h"

#include "compiler/ir/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::body {

using ir::FieldId;
using ir::Mechanism;
using ir::ParamId;
using ir::WorkKind;
using llvm::StringRef;

constexpr Diagnostic<StringRef, std::string> PrimitiveCount{
    kind::TmaUncounted, "`tsk::{}` runs {} in a call, and its barrier expects one copy a call; "
                        "guard or repeat the call in the schedule instead"};
constexpr Diagnostic<StringRef, StringRef, StringRef, StringRef> DivergentCollective{
    kind::DivergentCollective, "`{}` needs all {}, and {}; bring them together first{}"};
constexpr Diagnostic<std::string, std::string, int64_t, StringRef> IndexOutOfRange{
    kind::IndexOutOfRange, "index {} is outside of {}, which has {} element(s){}"};
constexpr Diagnostic<std::string, int64_t> LocalArrayIndexed{
    kind::LocalArrayIndexed,
    "{} is indexed by a number that is known at run time only, so its {} bytes cannot stay in "
    "registers; index it with constants, in loops that can be unrolled"};
constexpr Diagnostic<std::string, std::string, StringRef> EffectsUnknown{
    kind::EffectsUnknown,
    "{} may do anything with {}, and nobody can see what; say what the work does: `{}`"};
constexpr Diagnostic<std::string, StringRef> AddressLeaves{
    kind::AddressLeaves, "the address of {} is {}, where no rule holds for its stage any more; "
                         "pass on the values that it holds"};
constexpr Diagnostic<StringRef, std::string, StringRef> StoreNotFenced{
    kind::StoreNotFenced,
    "`tsk::{}` reads {} by the {} not see this body's own stores to it; end the work after "
    "the stores and synchronise the task in the schedule"};
constexpr Diagnostic<int64_t, int64_t, StringRef> ResultsMissing{
    kind::ResultsMissing, "{} of {} results of `{}` are returned; the others would be zero"};
constexpr Diagnostic<StringRef, StringRef, StringRef, StringRef> ArgumentType{
    kind::ArgumentType, "`{}` of `{}` is `{}`, which `{}` does not convert to"};
constexpr Diagnostic<StringRef, StringRef> MixedMechanisms{
    kind::MixedMechanisms,
    "`{}` fills `{}` both by TMA and by threads: the barrier of the stage counts bytes, and does "
    "not wait for the threads' stores; give each its own field and pipeline"};
constexpr Diagnostic<StringRef> HiddenName{
    kind::HiddenName,
    "`{}` is a parameter of this work; a local of its outermost block has another name"};
constexpr Diagnostic<StringRef, StringRef, std::string> EffectNotDeclared{
    kind::EffectNotDeclared, "`{}` declares its effects, but it also {} {}"};
constexpr Diagnostic<StringRef> EffectsVisible{
    kind::EffectsVisible,
    "nothing in `{}` is hidden from view, so it need not declare its effects"};
constexpr Diagnostic<StringRef> ReadBeforeWrite{
    kind::ReadBeforeWrite,
    "the first round of the loop reads `{}` before anything was written there"};
constexpr Diagnostic<StringRef> EmptyStageRead{
    kind::EmptyStageRead,
    "this reads `{}` of a stage that nobody has filled yet; a stage begins with no content"};
constexpr Diagnostic<StringRef, StringRef> ResultNotUniform{
    kind::ResultNotUniform, "`{}` of `{}` is declared `uniform`, but each thread finds its own: it "
                            "follows from the thread's "
                            "number"};
constexpr Diagnostic<std::string, std::string, int64_t> OutsideStage{
    kind::OutsideStage, "this reaches {} of a stage of {}, which has {} bytes: what lies there "
                        "belongs to another stage or field"};
constexpr Diagnostic<std::string, int64_t, std::string, std::string> NotShownInside{
    kind::NotShownInside,
    "not proved: that this stays inside of a stage of {}, which has {} bytes{}; bound the index by "
    "constants, or let the work declare its effects, which are then trusted: `{}`"};
constexpr Diagnostic<StringRef, std::string, StringRef, StringRef> ThreadsMeet{
    kind::ThreadsMeet, "threads of one call of `{}` meet in {}: one {} what another {}, and no "
                       "barrier is between; make two works of it, with `task.sync()` between"};
constexpr Diagnostic<StringRef, StringRef, std::string, StringRef, std::string> ThreadsMayMeet{
    kind::ThreadsMayMeet,
    "not proved: that no thread of a call of `{}` {} in {} what another {}; index it by sums of "
    "`tsk::task_thread()` and loops with constant bounds, make two works of it, or let it declare "
    "its effects, which are then trusted: `{}`"};
constexpr Diagnostic<StringRef, StringRef> UniformNotShown{
    kind::UniformNotShown,
    "not proved: that `{}` of `{}`, which is declared `uniform`, is the same in all threads: they "
    "read it at places of their own, or exchange it among some; read it where all read the same"};
constexpr Diagnostic<std::string, StringRef, StringRef> SharedVariable{
    kind::SharedVariable,
    "not proved: that `{}` holds what `{}` expects, which {} it: no barrier orders variables of "
    "`cpp` blocks; let a tensor of the kernel hold it"};
constexpr Diagnostic<StringRef, StringRef> LaneOfOne{
    kind::LaneOfOne,
    "one elected thread runs `{}`, and which one `{}` does not say: loop over all, or let all "
    "threads run the work"};
constexpr Diagnostic<StringRef, std::string> FunctionChanges{
    kind::FunctionChanges,
    "function `{}` only computes, the same in all threads from the same arguments; {}"};
constexpr Diagnostic<StringRef, StringRef, std::string> BodyNotFollowed{
    kind::BodyNotFollowed, "what `{}` does cannot be followed, since {}; say what it does: `{}`"};

StringRef insteadOf(StringRef protocol) {
  static constexpr std::pair<StringRef, StringRef> Words[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_BODY_PROTOCOL(Name, Instead) {#Name, Instead},
#define TSK_GROUP_PROTOCOL(Name, Instead) {"cooperative_groups::" Name, Instead},
#include "compiler/body/Primitives.def"
  };
  for (const auto &[name, instead] : Words)
    if (name == protocol)
      return instead;
  TSK_UNREACHABLE("a word of the protocol that the table lacks");
}

// What a body has in the place of a number that counts all threads of the CTA.
static StringRef ownNumber(StringRef number) {
  static constexpr std::pair<StringRef, StringRef> Numbers[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_CTA_NUMBER(Name, Instead) {"cooperative_groups::" Name, Instead},
#include "compiler/body/Primitives.def"
  };
  for (const auto &[name, instead] : Numbers)
    if (name == number)
      return instead;
  return OwnThread;
}

StringRef laterText(StringRef primitive) {
  static constexpr std::pair<StringRef, StringRef> Later[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_PRIMITIVE_LATER(Name, What) {#Name, What},
#include "compiler/body/Primitives.def"
  };
  for (const auto &[name, what] : Later)
    if (name == primitive)
      return what;
  TSK_UNREACHABLE("a primitive that the table lacks");
}

namespace {

class FactChecker {
public:
  FactChecker(ir::Kernel &k, const Reading &r, const SourceManager &s, DiagnosticEngine &d)
      : kernel(k), reading(r), sources(s), diags(d) {}

  void check() {
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

private:
  void checkWork(const WorkFacts &facts) {
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
    for (const AccessFact &fact : facts.accesses)
      checkAccess(fact);
    checkLoads(facts);
    for (const EventFact &fact : facts.events)
      checkEvent(fact);
    checkNamed(facts);
    checkDeclared(facts);
  }

  // What a schedule may call gives the same to all threads that give it the same. Where its tokens
  // show that it does not, nothing rests on it.
  void checkFunction(const WorkFacts &facts) {
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
    else if (const auto found = llvm::find_if(facts.accesses, isWrite);
             found != facts.accesses.end())
      why = "it writes `" + function->roles[found->role].name + "`";
    else if (event != facts.events.end())
      why = functionEvent(*event, range);
    else if (!facts.isPure)
      why = "more than its arguments and `in` tensors has a part in what it returns";
    if (!why.empty())
      diags.report(range, FunctionChanges, signature.name, why);
  }

  std::string functionEvent(const EventFact &fact, SourceRange &range) const {
    const SourceRange place = rangeOf(fact.via.isValid() ? fact.via : fact.place, sources);
    range = place.isValid() ? place : range;
    if (fact.kind == EventFact::Kind::NotUniform)
      return "what it returns follows from the thread's number";
    return fact.text.empty() ? "nobody can see all that it does"
                             : "it has to do with `" + fact.text + "`";
  }

  // ---- Declared effects ----

  bool isDeclared(const Role &role, bool isWrite) const {
    return llvm::any_of(work->declared, [&](const ir::Access &access) {
      const bool isIt = role.kind == Role::Kind::Field ? access.field == FieldId{role.id}
                                                       : access.tensor == ParamId{role.id};
      return isIt && access.isWrite == isWrite;
    });
  }

  // What would stand behind its parameters: what it is seen to do, and where that is not all, what
  // it names.
  std::string declaration() const {
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

  SourceRange declarationPlace() const {
    return {work->bodyLoc.begin, work->bodyLoc.begin.advanced(1)};
  }
  static constexpr char Declaration[] = "declared effects stand before this brace";

  void checkDeclared(const WorkFacts &facts) {
    if (work->declared.empty())
      return;
    for (const AccessFact &fact : facts.accesses) {
      const Role &role = function->roles[fact.role];
      if (role.kind != Role::Kind::Pointer && !isDeclared(role, fact.isWrite))
        report(fact.place, fact.via, EffectNotDeclared, work->name,
               fact.isWrite ? "writes" : "reads", "`" + role.name + "`")
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

  // ---- Accesses ----

  template <typename... Args>
  ReportBuilder report(const CxxPlace &place, const CxxPlace &via,
                       const Diagnostic<Args...> &diagnostic,
                       const std::type_identity_t<Args> &...args) {
    // In a function that the body calls, it is the call that is wrong.
    const SourceRange range = rangeOf(via.isValid() ? via : place, sources);
    ReportBuilder builder = diags.report(range.isValid() ? range : work->loc, diagnostic, args...);
    if (via.isValid())
      builder.note(rangeOf(place, sources), "it happens here");
    return builder;
  }

  void checkAccess(const AccessFact &fact) {
    const Role &role = function->roles[fact.role];
    if (role.kind == Role::Kind::Field)
      checkField(fact, FieldId{role.id});
    else if (role.kind == Role::Kind::Tensor && fact.isWrite)
      checkTensorWrite(fact, ParamId{role.id});
    if (isLoad(fact) && !isOnce(fact))
      report(fact.place, fact.via, PrimitiveCount, fact.primitive, times(fact));
  }

  static bool isLoad(const AccessFact &fact) {
    return !fact.primitive.empty() && fact.mechanism == Mechanism::Tma && !fact.isStore;
  }
  static bool isOnce(const AccessFact &fact) { return fact.least == 1 && fact.most == 1; }

  // A stage's barrier expects each field once.
  void checkLoads(const WorkFacts &facts) {
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

  static std::string times(const AccessFact &fact) {
    if (fact.most == fact.least)
      return fmt::format("{} times", fact.least);
    if (fact.most && *fact.most == 1)
      return "perhaps not at all";
    return fact.most ? fmt::format("{} to {} times", fact.least, *fact.most)
                     : "a number of times that is not known";
  }

  void checkField(const AccessFact &fact, FieldId id) {
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

  static bool isFilledByTma(const ir::Resource &resource) {
    return resource.pipeline && llvm::is_contained(resource.pipeline->producers, Mechanism::Tma);
  }

  void checkTensorWrite(const AccessFact &fact, ParamId id) {
    const ir::Param &tensor = kernel.params[id];
    if (tensor.direction == ir::Direction::In)
      report(fact.place, fact.via, BodyWritesInput, tensor.name);
    else if (resource->tensor != id)
      report(fact.place, fact.via, BodyWritesForeign, tensor.name, "the tensor", resource->name);
    else if (work->kind == WorkKind::Consume)
      report(fact.place, fact.via, BodyConsumeWrites, work->name, tensor.name);
  }

  void checkNamed(const WorkFacts &facts) {
    if (work->kind != WorkKind::Setup)
      return;
    for (size_t i = 0; i < facts.named.size() && i < function->roles.size(); ++i) {
      const Role &role = function->roles[i];
      auto touches = [&](const AccessFact &fact) { return fact.role == i; };
      if (facts.named[i] && role.kind == Role::Kind::Field &&
          llvm::none_of(facts.accesses, touches))
        diags.report(work->loc, BodySetupTouches, work->name, kernel.fields[FieldId{role.id}].name);
    }
  }

  // A stage that TMA fills is full when its bytes have come: nobody else may fill it.
  void checkPipeline(ir::WorkId id) {
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

  std::optional<SingleIssue> findSingleIssue(ir::WorkId id) {
    for (const WorkFacts *facts : reading.factsOf(kernel, id))
      for (const AccessFact &fact : facts->accesses)
        if (!fact.primitive.empty() && fact.mechanism == Mechanism::Tma)
          return SingleIssue{rangeOf(fact.via.isValid() ? fact.via : fact.place, sources),
                             fact.primitive};
    return std::nullopt;
  }

  // ---- Events ----

  std::string roleName(std::optional<unsigned> role) const {
    return role ? "`" + function->roles[*role].name + "`" : "the view";
  }

  void checkEvent(const EventFact &fact) {
    switch (fact.kind) {
    case EventFact::Kind::Protocol:
      report(fact.place, fact.via, BodyProtocol, fact.text, insteadOf(fact.text));
      return;
    case EventFact::Kind::AsmProtocol:
      report(fact.place, fact.via, BodyAsmProtocol, fact.text);
      return;
    case EventFact::Kind::ThreadIndex:
      return checkThreadIndex(fact);
    case EventFact::Kind::LaneOfOne:
      report(fact.place, fact.via, LaneOfOne, work->name, fact.text);
      return;
    case EventFact::Kind::UnwrittenStage:
      return checkUnwritten(fact);
    case EventFact::Kind::Divergent:
      return checkDivergent(fact);
    case EventFact::Kind::OutOfRange:
      return checkIndex(fact);
    case EventFact::Kind::LocalIndexed:
      report(fact.place, fact.via, LocalArrayIndexed,
             fact.text.empty() ? "a local array" : "`" + fact.text + "`", fact.numbers[0]);
      return;
    case EventFact::Kind::OpaqueCall:
      return checkOpaque(fact);
    case EventFact::Kind::Escapes:
      report(fact.place, fact.via, AddressLeaves, roleName(fact.role), fact.text);
      return;
    case EventFact::Kind::Unfenced:
      report(fact.place, fact.via, StoreNotFenced, fact.text, roleName(fact.role),
             fact.text == "wgmma" ? "tensor cores, which do" : "copy engine, which does")
          .note(rangeOf(fact.other, sources), "the last of these stores");
      return;
    case EventFact::Kind::NotAField:
      report(fact.place, fact.via, PrimitiveArgument, fact.text);
      return;
    case EventFact::Kind::NotCompiled:
      report(fact.place, fact.via, PrimitiveNotYetCompiled, laterText(fact.text));
      return;
    case EventFact::Kind::MissingResult:
      report(fact.place, fact.via, ResultsMissing, fact.numbers[0], fact.numbers[1], work->name);
      return;
    case EventFact::Kind::Unwritten:
      if (llvm::none_of(reading.reply.messages,
                        [&](const CxxMessage &said) { return said.place == fact.place; }))
        report(fact.place, fact.via, ReadBeforeWrite, fact.text);
      return;
    case EventFact::Kind::NotUniform: {
      const ir::WorkParam &result = work->results[static_cast<size_t>(fact.numbers[0])];
      report(fact.place, fact.via, ResultNotUniform, result.name, work->name)
          .note(result.loc, "`{}` is declared here", result.name);
      return;
    }
    case EventFact::Kind::UniformNotShown: {
      const ir::WorkParam &result = work->results[static_cast<size_t>(fact.numbers[0])];
      report(fact.place, fact.via, UniformNotShown, result.name, work->name)
          .note(result.loc, "`{}` is declared here", result.name);
      return;
    }
    case EventFact::Kind::SharedVariable:
      sharedVariables[fact.text].push_back({&fact, work});
      return;
    case EventFact::Kind::HiddenName:
      report(fact.place, fact.via, HiddenName, fact.text);
      return;
    case EventFact::Kind::Outside:
      return checkOutside(fact);
    case EventFact::Kind::NotShownInside:
      if (work->declared.empty())
        report(fact.place, fact.via, NotShownInside, roleName(fact.role), fact.numbers.back(),
               fact.numbers.size() < 3 ? "" : ": it may reach " + bytesText(fact), declaration())
            .note(declarationPlace(), Declaration);
      return;
    case EventFact::Kind::Meet:
      return checkMeeting(fact);
    default:
      return;
    }
  }

  // `.x` behind the name, by which the replacement is called.
  static char componentAt(StringRef text) {
    return text.size() >= 2 && text[0] == '.' && StringRef("xyz").contains(text[1]) ? text[1] : 0;
  }

  void checkThreadIndex(const EventFact &fact) {
    const SourceRange range = rangeOf(fact.place, sources);
    const SourceRange whole = {range.begin, range.end.advanced(2)};
    const char component =
        range.isValid() && sources.text(range) == fact.text
            ? componentAt(
                  sources.lineText(range.begin).substr(fact.place.column - 1 + fact.text.size()))
            : 0;
    const bool isBlock = fact.text == "blockIdx" || fact.text == "gridDim";
    if (!isBlock) {
      ReportBuilder builder =
          report(fact.place, fact.via, BodyThreadIdx, fact.text, ownNumber(fact.text));
      if (fact.text == "threadIdx" && component == 'x')
        builder.fixit(whole, "tsk::task_thread()", "use the task's own number");
      return;
    }
    const std::string instead = fmt::format("{}_{}", fact.text == "blockIdx" ? "block" : "grid",
                                            component ? component : 'x');
    ReportBuilder builder = report(fact.place, fact.via, BodyBlockIdx, fact.text, instead);
    if (component)
      builder.fixit(whole, "tsk::" + instead + "()", "use the device library's name");
  }

  // What stands in a stage that nobody has filled yet.
  void checkUnwritten(const EventFact &fact) {
    const Role &role = function->roles[*fact.role];
    const FieldId id{role.id};
    const ir::Field &field = kernel.fields[id];
    if (work->kind != WorkKind::Produce)
      return;
    auto writes = [&](const ir::Work &other) {
      return &other != work && llvm::any_of(other.accesses, [&](const ir::Access &access) {
        return access.isWrite && access.field == id;
      });
    };
    if (kernel.works[function->work].resource == field.resource && resource->pipeline &&
        !field.init && llvm::none_of(kernel.works, writes))
      report(fact.place, fact.via, EmptyStageRead, field.name);
  }

  void checkDivergent(const EventFact &fact) {
    const SourceRange cause = rangeOf(fact.other, sources);
    const bool isTile = StringRef(fact.text).starts_with("cooperative_groups::");
    ReportBuilder builder =
        report(fact.place, fact.via, DivergentCollective, fact.text,
               fact.isOfGroup()            ? "threads of a warpgroup"
               : fact.numbers.front() < 32 ? "lanes of its tile"
                                           : "lanes of a warp",
               cause.isValid() ? "they part before it" : "one thread alone runs this work",
               fact.isOfGroup() ? ""
               : isTile         ? ", or take the group of those that come, `coalesced_threads()`"
                                : ", or pass the mask of those that come");
    if (cause.isValid())
      builder.note(cause, "here");
  }

  void checkIndex(const EventFact &fact) {
    const int64_t low = fact.numbers[1], high = fact.numbers[2];
    const std::string index =
        low == high ? std::to_string(low) : fmt::format("{} .. {}", low, high);
    const std::string where =
        fmt::format("dimension {} of {}", fact.numbers[0], roleName(fact.role));
    report(fact.place, fact.via, IndexOutOfRange, index, where, fact.numbers[3],
           fact.numbers[4] ? "" : ", in its first or last round or thread");
  }

  // Atomics among themselves need no order, nor do reads.
  void checkShared(const std::string &name,
                   llvm::ArrayRef<std::pair<const EventFact *, const ir::Work *>> uses) {
    const auto isPlain = [](const auto &use) { return use.first->numbers[1] == 0; };
    const auto isWrite = [&](const auto &use) {
      return isPlain(use) && use.first->numbers[0] != 0;
    };
    const bool hasAtomics = !llvm::all_of(uses, isPlain);
    const auto *found = llvm::find_if(uses, isWrite);
    if (found == uses.end() && hasAtomics)
      found = llvm::find_if(uses, isPlain);
    if (found == uses.end())
      return;
    work = found->second;
    ReportBuilder builder = report(found->first->place, found->first->via, SharedVariable, name,
                                   work->name, isWrite(*found) ? "writes" : "reads");
    for (const auto &use : uses)
      if (use.first != found->first && !(use.first->place == found->first->place)) {
        builder.note(rangeOf(use.first->place, sources), "`{}` {} it", use.second->name,
                     use.first->numbers[0] ? "writes" : "reads");
        break;
      }
  }

  static std::string bytesText(const EventFact &fact) {
    return fmt::format("bytes {} .. {}", fact.numbers[0], fact.numbers[1]);
  }

  // Where an index says so already, once is enough.
  void checkOutside(const EventFact &fact) {
    const bool isKnown = llvm::any_of(current->events, [&](const EventFact &other) {
      return other.kind == EventFact::Kind::OutOfRange && other.role == fact.role &&
             other.place.line == fact.place.line;
    });
    if (!isKnown)
      report(fact.place, fact.via, OutsideStage, bytesText(fact), roleName(fact.role),
             fact.numbers[2]);
  }

  void checkMeeting(const EventFact &fact) {
    const bool isCertain = fact.numbers[0] != 0;
    if (!isCertain && !work->declared.empty())
      return;
    const char *first = fact.numbers[1] ? "writes" : "reads";
    const char *second = fact.numbers[2] ? "writes" : "reads";
    ReportBuilder builder = isCertain ? report(fact.place, fact.via, ThreadsMeet, work->name,
                                               roleName(fact.role), second, first)
                                      : report(fact.place, fact.via, ThreadsMayMeet, work->name,
                                               second, roleName(fact.role), first, declaration());
    const SourceRange other = rangeOf(fact.other, sources);
    if (other.isValid() && !(fact.other == fact.place))
      builder.note(other, "the other thread {} it here", first);
    if (!isCertain)
      builder.note(declarationPlace(), Declaration);
  }

  void checkOpaque(const EventFact &fact) {
    if (fact.roles.empty()) {
      if (work->declared.empty())
        report(fact.place, fact.via, EffectsUnknown, "a store through an address found in memory",
               "what this address leads to", declaration())
            .note(declarationPlace(), Declaration);
      return;
    }
    std::vector<std::string> given, written;
    for (size_t i = 0; i < fact.roles.size(); ++i) {
      const Role &role = function->roles[fact.roles[i]];
      // What pointers of the kernel lead to, no rule is about.
      if (role.kind == Role::Kind::Pointer || isDeclared(role, false) || isDeclared(role, true))
        continue;
      if (!llvm::is_contained(given, role.name))
        given.push_back(role.name);
      const bool mayWrite = i >= fact.numbers.size() || fact.numbers[i] != 0;
      if (mayWrite && !llvm::is_contained(written, role.name))
        written.push_back(role.name);
    }
    if (given.empty())
      return;
    std::string declared = fmt::format("reads({})", llvm::join(given, ", "));
    if (!written.empty())
      declared += fmt::format(" writes({})", llvm::join(written, ", "));
    report(fact.place, fact.via, EffectsUnknown, "`" + fact.text + "`",
           "`" + llvm::join(given, "`, `") + "`", declared)
        .note(declarationPlace(), Declaration);
  }

  void checkArgument(const ArgumentFact &fact) {
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

  ir::Kernel &kernel;
  const Reading &reading;
  const SourceManager &sources;
  DiagnosticEngine &diags;
  const Function *function = nullptr;
  const WorkFacts *current = nullptr;
  // Of `cpp` blocks, by name: who writes and reads them.
  std::map<std::string, std::vector<std::pair<const EventFact *, const ir::Work *>>>
      sharedVariables;
  const ir::Work *work = nullptr;
  const ir::Resource *resource = nullptr;
};

} // namespace

void checkFacts(ir::Kernel &kernel, const Reading &reading, const SourceManager &sources,
                DiagnosticEngine &diags) {
  FactChecker(kernel, reading, sources, diags).check();
}

} // namespace tsk::body
