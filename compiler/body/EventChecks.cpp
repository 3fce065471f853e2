// Findings about what bodies do besides reading and writing: events that the reader noted.
#include "compiler/body/FactChecker.h"
#include "compiler/body/SharedDiagnostics.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::body {

using ir::FieldId;
using ir::WorkKind;

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

std::string FactChecker::roleName(std::optional<unsigned> role) const {
  return role ? "`" + function->roles[*role].name + "`" : "the view";
}

void FactChecker::checkUniform(const EventFact &fact) {
  const ir::WorkParam &result = work->results[static_cast<size_t>(fact.numbers[0])];
  ReportBuilder builder =
      fact.kind == EventFact::Kind::NotUniform
          ? report(fact.place, fact.via, ResultNotUniform, result.name, work->name)
          : report(fact.place, fact.via, UniformNotShown, result.name, work->name);
  builder.note(result.loc, "`{}` is declared here", result.name);
}

void FactChecker::checkEvent(const EventFact &fact) {
  switch (fact.kind) {
  case EventFact::Kind::ThreadIndex:
    return checkThreadIndex(fact);
  case EventFact::Kind::UnwrittenStage:
    return checkUnwritten(fact);
  case EventFact::Kind::Divergent:
    return checkDivergent(fact);
  case EventFact::Kind::OutOfRange:
    return checkIndex(fact);
  case EventFact::Kind::OpaqueCall:
    return checkOpaque(fact);
  case EventFact::Kind::NotUniform:
  case EventFact::Kind::UniformNotShown:
    return checkUniform(fact);
  case EventFact::Kind::SharedVariable:
    sharedVariables[fact.text].push_back({&fact, work});
    return;
  case EventFact::Kind::Outside:
    return checkOutside(fact);
  case EventFact::Kind::NotShownInside:
    return checkInside(fact);
  case EventFact::Kind::Meet:
    return checkMeeting(fact);
  case EventFact::Kind::OperandsDiffer:
  case EventFact::Kind::OperandRows:
  case EventFact::Kind::OperandBegins:
  case EventFact::Kind::NotSwizzled:
    return checkOperand(fact);
  default:
    return reportEvent(fact);
  }
}

// What the event says is all that there is to say.
void FactChecker::reportEvent(const EventFact &fact) {
  switch (fact.kind) {
  case EventFact::Kind::Protocol:
    report(fact.place, fact.via, BodyProtocol, fact.text, insteadOf(fact.text));
    return;
  case EventFact::Kind::AsmProtocol:
    report(fact.place, fact.via, BodyAsmProtocol, fact.text);
    return;
  case EventFact::Kind::LaneOfOne:
    report(fact.place, fact.via, LaneOfOne, work->name, fact.text);
    return;
  case EventFact::Kind::LocalIndexed:
    report(fact.place, fact.via, LocalArrayIndexed,
           fact.text.empty() ? "a local array" : "`" + fact.text + "`", fact.numbers[0]);
    return;
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
  case EventFact::Kind::HiddenName:
    report(fact.place, fact.via, HiddenName, fact.text);
    return;
  default:
    TSK_UNREACHABLE("an event that nobody reports");
  }
}

// What instructions of a whole warpgroup are given.
void FactChecker::checkOperand(const EventFact &fact) {
  const bool isCertain = !fact.numbers.empty() && fact.numbers[0] != 0;
  if (fact.kind == EventFact::Kind::OperandsDiffer) {
    const bool isOfGroup = fact.numbers[1] > 32;
    const char *threads = isOfGroup ? "warpgroup" : "warp";
    const char *instead = isOfGroup ? "take what is the same in all of them, as "
                                      "`tsk::task_warpgroup()` is"
                                    : "take what is the same in all of them, as "
                                      "`tsk::task_warp()` is";
    report(fact.place, fact.via, isCertain ? OperandsDiffer : OperandsNotShownAlike, fact.text,
           threads, instead);
  } else if (fact.kind == EventFact::Kind::OperandRows) {
    report(fact.place, fact.via, isCertain ? OtherRows : RowsNotShown, fact.text, fact.numbers[1]);
  } else if (fact.kind == EventFact::Kind::OperandBegins) {
    const int64_t of = fact.numbers[1];
    if (isCertain)
      report(fact.place, fact.via, RowsBeginElsewhere, fact.text, of);
    else
      report(fact.place, fact.via, RowsBeginNotShown, fact.text, of, of);
  } else if (const Role &role = function->roles[*fact.role];
             role.kind == Role::Kind::Field &&
             kernel.fields[FieldId{role.id}].swizzle == ir::Swizzle::None) {
    report(fact.place, fact.via, OperandNotSwizzled, roleName(fact.role));
  }
}

// `.x` behind the name, by which the replacement is called.
char FactChecker::componentAt(StringRef text) {
  return text.size() >= 2 && text[0] == '.' && StringRef("xyz").contains(text[1]) ? text[1] : 0;
}

void FactChecker::checkThreadIndex(const EventFact &fact) {
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
  const std::string instead =
      fmt::format("{}_{}", fact.text == "blockIdx" ? "block" : "grid", component ? component : 'x');
  ReportBuilder builder = report(fact.place, fact.via, BodyBlockIdx, fact.text, instead);
  if (component)
    builder.fixit(whole, "tsk::" + instead + "()", "use the device library's name");
}

// What stands in a stage that nobody has filled yet.
void FactChecker::checkUnwritten(const EventFact &fact) {
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

void FactChecker::checkDivergent(const EventFact &fact) {
  if (fact.numbers.size() > 1) {
    report(fact.place, fact.via, LaneNotNamed, fact.text, fact.numbers[1]);
    return;
  }
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

void FactChecker::checkIndex(const EventFact &fact) {
  const int64_t low = fact.numbers[1], high = fact.numbers[2];
  const std::string index = low == high ? std::to_string(low) : fmt::format("{} .. {}", low, high);
  const std::string where = fmt::format("dimension {} of {}", fact.numbers[0], roleName(fact.role));
  report(fact.place, fact.via, IndexOutOfRange, index, where, fact.numbers[3],
         fact.numbers[4] ? "" : ", in its first or last round or thread");
}

// Atomics among themselves need no order, nor do reads.
void FactChecker::checkShared(const std::string &name,
                              llvm::ArrayRef<std::pair<const EventFact *, const ir::Work *>> uses) {
  const auto isPlain = [](const auto &use) { return use.first->numbers[1] == 0; };
  const auto isWrite = [&](const auto &use) { return isPlain(use) && use.first->numbers[0] != 0; };
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

std::string FactChecker::bytesText(const EventFact &fact) {
  return fmt::format("bytes {} .. {}", fact.numbers[0], fact.numbers[1]);
}

// Where an index says so already, once is enough.
bool FactChecker::hasIndexOutside(const EventFact &fact) const {
  return llvm::any_of(current->events, [&](const EventFact &other) {
    return other.kind == EventFact::Kind::OutOfRange && other.role == fact.role &&
           other.place.line == fact.place.line;
  });
}

void FactChecker::checkOutside(const EventFact &fact) {
  if (!hasIndexOutside(fact))
    report(fact.place, fact.via, OutsideStage, bytesText(fact), roleName(fact.role),
           fact.numbers[2]);
}

void FactChecker::checkInside(const EventFact &fact) {
  if (work->declared.empty())
    report(fact.place, fact.via, NotShownInside, roleName(fact.role), fact.numbers.back(),
           fact.numbers.size() < 3 ? "" : ": it may reach " + bytesText(fact), declaration())
        .note(declarationPlace(), Declaration);
}

// In a tensor, what is not certain the verdict says.
void FactChecker::checkTensorMeeting(const EventFact &fact) {
  if (!fact.numbers[0] || !calledTogether(kernel).count({function->task, function->work}))
    return;
  const char *first = fact.numbers[1] ? "writes" : "reads";
  const char *second = fact.numbers[2] ? "writes" : "reads";
  const auto [one, other] = std::minmax(fact.numbers[3], fact.numbers[4]);
  ReportBuilder builder = report(fact.place, fact.via, ThreadsMeetInTensor, one, other, work->name,
                                 roleName(fact.role), second, first);
  const SourceRange range = rangeOf(fact.other, sources);
  if (range.isValid() && !(fact.other == fact.place))
    builder.note(range, "the other thread {} it here", first);
}

void FactChecker::checkMeeting(const EventFact &fact) {
  if (function->roles[*fact.role].kind == Role::Kind::Tensor)
    return checkTensorMeeting(fact);
  const bool isCertain = fact.numbers[0] != 0;
  if (!isCertain && !work->declared.empty())
    return;
  if (hasIndexOutside(fact)) // a row's end is the next one's begin
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

void FactChecker::checkOpaque(const EventFact &fact) {
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

} // namespace tsk::body
