// Inline PTX: which of its operands are addresses that it reads or writes.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::body {

using namespace tree;

namespace {

enum class PtxEffect : uint8_t { Nothing, Read, Write, Both, CopyRead, CopyWrite };
struct PtxAccess {
  llvm::StringRef opcode;
  unsigned operand;
  PtxEffect effect;
};
constexpr PtxAccess Accesses[] = {
#define TSK_PTX_ACCESS(Opcode, Operand, Effect) {Opcode, Operand, PtxEffect::Effect},
#include "compiler/body/reader/KnownFunctions.def"
};
constexpr llvm::StringRef Protocol[] = {
#define TSK_PRIMITIVE(Name, Mechanism, Issue, Effect)
#define TSK_ASM_PROTOCOL(Text) Text,
#include "compiler/body/Primitives.def"
};

constexpr llvm::StringRef Pure[] = {
#define TSK_PTX_PURE(Opcode) Opcode,
#include "compiler/body/reader/KnownFunctions.def"
};

// "@p ld.shared.u32 %0, [%1]": the opcode and what follows.
std::pair<llvm::StringRef, llvm::StringRef> splitInstruction(llvm::StringRef text) {
  text = text.trim(" \t\n{}");
  if (text.starts_with("@"))
    text = text.substr(text.find_first_of(" \t")).ltrim();
  const size_t end = text.find_first_of(" \t[");
  return {text.take_front(end), text.drop_front(std::min(end, text.size()))};
}

std::string withoutComments(llvm::StringRef text) {
  std::string plain;
  while (!text.empty()) {
    const bool isLine = text.starts_with("//");
    if (!isLine && !text.starts_with("/*")) {
      plain += text.front();
      text = text.drop_front();
      continue;
    }
    const size_t end = isLine ? text.find('\n') : text.find("*/", 2);
    plain += ' ';
    text = end == llvm::StringRef::npos ? "" : text.drop_front(isLine ? end : end + 2);
  }
  return plain;
}

// The numbers of the operands in brackets: "[%0], [%1 + 16]" -> 0, 1.
llvm::SmallVector<unsigned, 2> addressesIn(llvm::StringRef text) {
  llvm::SmallVector<unsigned, 2> numbers;
  for (size_t at = text.find('['); at != llvm::StringRef::npos; at = text.find('[', at + 1)) {
    llvm::StringRef inner = text.drop_front(at + 1).ltrim();
    unsigned number = 0;
    if (inner.consume_front("%") && !inner.consumeInteger(10, number))
      numbers.push_back(number);
  }
  return numbers;
}

// What stands behind the operand of each of these brackets: "[%0 + 16]" -> 16, "[%0 + %1]" what is
// known of the second; none: not a number.
llvm::SmallVector<std::optional<int64_t>, 2> distancesIn(llvm::StringRef text,
                                                         llvm::ArrayRef<ValueRef> values) {
  llvm::SmallVector<std::optional<int64_t>, 2> distances;
  for (size_t at = text.find('['); at != llvm::StringRef::npos; at = text.find('[', at + 1)) {
    llvm::StringRef inner = text.drop_front(at + 1).take_until([](char c) { return c == ']'; });
    inner = inner.ltrim();
    unsigned operand = 0;
    if (!inner.consume_front("%") || inner.consumeInteger(10, operand))
      continue;
    inner = inner.trim();
    int64_t distance = 0;
    const bool isLess = inner.consume_front("-");
    if (!isLess)
      inner.consume_front("+");
    inner = inner.trim();
    bool isNumber = inner.empty() || (llvm::isDigit(inner[0]) && !inner.getAsInteger(0, distance));
    unsigned other = 0;
    if (inner.consume_front("%") && !inner.getAsInteger(10, other) && other < values.size() &&
        values[other] && values[other]->isConstant()) {
      isNumber = true;
      distance = values[other]->low;
    }
    distances.push_back(isNumber ? std::optional(isLess ? -distance : distance) : std::nullopt);
  }
  return distances;
}

// Of the memory that an instruction touches by one of its addresses; 0: it does not say.
int64_t bytesOf(llvm::StringRef opcode, llvm::StringRef rest) {
  if (opcode.starts_with("ldmatrix") || opcode.starts_with("stmatrix"))
    return 16; // a row of a matrix
  if (opcode.starts_with("cp.async")) {
    const size_t last = rest.rfind(']');
    int64_t bytes = 0;
    llvm::StringRef size = rest.drop_front(last == llvm::StringRef::npos ? rest.size() : last + 1);
    size = size.trim(" \t,");
    return size.consumeInteger(10, bytes) ? 16 : bytes;
  }
  int64_t count = 1, bytes = 0;
  llvm::SmallVector<llvm::StringRef, 8> words;
  opcode.split(words, '.');
  for (llvm::StringRef word : words) {
    unsigned number = 0;
    if (word == "v2" || word == "v4" || word == "v8")
      count = word[1] - '0';
    else if (word.size() > 1 && llvm::StringRef("bsuf").contains(word[0]) &&
             !word.drop_front()
                  .take_while([](char c) { return llvm::isDigit(c); })
                  .getAsInteger(10, number))
      bytes = int64_t(number / 8) * (word.ends_with("x2") ? 2 : 1);
  }
  return count * bytes;
}

// Whether an instruction touches no memory but through operands of the statement.
bool isUnderstood(llvm::StringRef opcode, llvm::StringRef rest) {
  const bool isAccess = llvm::any_of(
      Accesses, [&](const PtxAccess &access) { return opcode.starts_with(access.opcode); });
  const bool isPure = llvm::any_of(Pure, [&](llvm::StringRef name) {
    return opcode == name || (opcode.starts_with(name) && opcode[name.size()] == '.');
  });
  return opcode.empty() || opcode.starts_with(".") || isPure ||
         (isAccess && addressesIn(rest).size() == rest.count('['));
}

// The numbers of the operands outside of brackets: not only their memory counts.
std::set<unsigned> valuesIn(llvm::StringRef text) {
  std::set<unsigned> numbers;
  bool isInside = false;
  for (; !text.empty(); text = text.drop_front()) {
    isInside = text.front() == '[' || (isInside && text.front() != ']');
    llvm::StringRef after = text;
    unsigned number = 0;
    if (!isInside && after.consume_front("%") && !after.consumeInteger(10, number))
      numbers.insert(number);
  }
  return numbers;
}

// Whether not each lane that comes to it does it: under a predicate, or with the addresses of eight
// or sixteen lanes alone.
bool isOfSome(llvm::StringRef text, llvm::StringRef opcode) {
  const bool isMatrix = opcode.starts_with("ldmatrix") || opcode.starts_with("stmatrix");
  return text.trim(" \t\n{}").starts_with("@") || (isMatrix && !opcode.contains(".x4"));
}

// Whether it names something that it may do its unknown work with.
bool hasOperands(llvm::StringRef rest) {
  for (; !rest.empty(); rest = rest.drop_front(1)) {
    if (llvm::isDigit(rest.front())) // a number to its end
      rest = rest.drop_while([](char c) { return llvm::isAlnum(c); });
    if (!rest.empty() && (llvm::isAlpha(rest.front()) || rest.front() == '%'))
      return true;
    if (rest.empty())
      break;
  }
  return false;
}

// Registers in which each thread finds something else, and what lanes tell each other.
bool tellsThreadsApart(llvm::StringRef opcode, llvm::StringRef rest) {
  constexpr llvm::StringRef Exchanges[] = {"elect", "shfl", "vote", "redux", "match", "activemask"};
  constexpr llvm::StringRef Same[] = {"ntid", "nctaid", "ctaid", "gridid", "smid", "nsmid"};
  if (llvm::any_of(Exchanges, [&](llvm::StringRef name) { return opcode.starts_with(name); }))
    return true;
  for (size_t at = rest.find("%%"); at != llvm::StringRef::npos; at = rest.find("%%", at + 2)) {
    const llvm::StringRef name =
        rest.drop_front(at + 2).take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!llvm::is_contained(Same, name))
      return true;
  }
  return false;
}

} // namespace

// What an instruction does through one of its addresses.
struct Interpreter::AsmOperand {
  bool isRead = false, isWrite = false, isCopy = false;
  bool isOwn = false; // what is stored follows from who the thread is
  ValueRef address;
  std::optional<int64_t> distance = 0; // behind it, in bytes; none: not known
  int64_t bytes = 0;
};

// What an asm does besides its accesses.
struct Interpreter::AsmEffect {
  bool isConversion = true;
  bool isPlain = true;   // it computes values from values, but for known accesses
  bool isOpaque = false; // some instruction may do anything with all that the statement is given
  Level level = Level::Constant;
  std::vector<Target> targets; // of what was read
  std::set<unsigned> used;     // operands as values
};

void Interpreter::access(const AsmOperand &operand, AsmEffect &effect, Place place) {
  Location location = follow(operand.address);
  location.bytes = operand.bytes;
  if (!operand.distance)
    location.offset = nullptr;
  else if (*operand.distance != 0)
    moveOffset(location.offset, location.isLogical, constantValue(*operand.distance), Op::Add, 1);
  // No more of them than were named.
  if (operand.distance != 0 || operand.bytes == 0 || !location.elements ||
      operand.bytes > location.elements->bytes)
    location.elements = nullptr;
  if (operand.isCopy) {
    storedLevel = Level::Thread;
    storedSum = nullptr;
    isStoredOwn = false;
    for (const Target &target : location.targets) {
      if (target.isLocal)
        continue;
      noteTouch(target, operand.isWrite, place, location);
      AccessFact fact = accessHere();
      fact.role = target.id;
      fact.isWrite = operand.isWrite;
      fact.mechanism = ast::Mechanism::CpAsync;
      fact.isInFlight = true;
      fact.completes = AccessFact::Completes::Group;
      fact.primitive = "cp.async";
      note(std::move(fact), place);
    }
    return;
  }
  if (operand.isRead) {
    const ValueRef content = load(spread(location), place);
    effect.level = tsk::body::join(effect.level, levelOf(content));
    collectTargets(content, effect.targets);
  }
  if (operand.isWrite)
    store(spread(location), asOwn(anyValue(std::max(effect.level, Level::Task)), operand.isOwn),
          place);
}

void Interpreter::instruction(llvm::StringRef text, llvm::ArrayRef<ValueRef> values,
                              AsmEffect &effect, Place place) {
  const auto [opcode, rest] = splitInstruction(text);
  const llvm::SmallVector<unsigned, 2> addresses = addressesIn(rest);
  const bool isKnown = isUnderstood(opcode, rest);
  const llvm::SmallVector<std::optional<int64_t>, 2> distances = distancesIn(rest, values);
  effect.isPlain &= isKnown;
  // What converts addresses keeps where they lead.
  effect.isConversion &= opcode.empty() || opcode.starts_with(".reg") ||
                         opcode.starts_with("cvta") || opcode == "cvt.u32.u64" ||
                         opcode == "cvt.u64.u32" || opcode == "mov.u32" || opcode == "mov.u64" ||
                         opcode == "mov.b32" || opcode == "mov.b64";
  effect.used.merge(valuesIn(rest));
  effect.isOpaque |= !isKnown && hasOperands(rest);
  if (tellsThreadsApart(opcode, rest))
    effect.level = Level::Thread;
  Control some;
  some.isConditional = isOfSome(text, opcode);
  some.level = some.isConditional ? Level::Thread : Level::Constant;
  some.place = place;
  controls.push_back(some);
  for (const PtxAccess &known : Accesses) {
    if (!opcode.starts_with(known.opcode) || known.operand >= addresses.size() ||
        addresses[known.operand] >= values.size())
      continue;
    AsmOperand operand;
    operand.isCopy = known.effect == PtxEffect::CopyRead || known.effect == PtxEffect::CopyWrite;
    operand.isRead =
        llvm::is_contained({PtxEffect::Read, PtxEffect::Both, PtxEffect::CopyRead}, known.effect);
    operand.isWrite =
        llvm::is_contained({PtxEffect::Write, PtxEffect::Both, PtxEffect::CopyWrite}, known.effect);
    operand.address = values[addresses[known.operand]];
    operand.distance = distances[known.operand];
    operand.bytes = bytesOf(opcode, rest);
    for (unsigned number : valuesIn(rest))
      operand.isOwn |= number < values.size() && isOwn(values[number]);
    access(operand, effect, place);
  }
  controls.pop_back();
}

// All that the statement is given, whatever a part of it does with its share.
void Interpreter::handToAsm(llvm::ArrayRef<ValueRef> values, Place place) {
  EventFact fact;
  fact.kind = EventFact::Kind::OpaqueCall;
  fact.text = "asm";
  std::vector<Target> locals;
  for (const ValueRef &value : values) {
    const ValueRef all = reachable(value);
    for (const Target &object : all ? all->targets : std::vector<Target>())
      if (object.isLocal)
        locals.push_back(object);
      else
        fact.roles.push_back(object.id);
  }
  Value any;
  any.isLost = true;
  for (const Target &local : locals)
    store(spread({{local}, false, false, Level::Thread}), std::make_shared<const Value>(any),
          place);
  fact.numbers.assign(fact.roles.size(), 1);
  if (!fact.roles.empty())
    note(std::move(fact), place);
}

void Interpreter::assembly(const Stmt &stmt) {
  for (llvm::StringRef instruction : Protocol)
    if (llvm::StringRef(stmt.text).contains(instruction)) {
      EventFact fact;
      fact.kind = EventFact::Kind::AsmProtocol;
      fact.text = instruction.str();
      return note(std::move(fact), stmt.place);
    }
  AsmEffect effect;
  std::vector<ValueRef> values;
  for (size_t i = 0; i < stmt.exprs.size(); ++i) {
    const ExprId operand = stmt.exprs[i];
    if (!tree.exprs[operand].isLValue)
      values.push_back(eval(operand));
    else if (i >= stmt.outputs)
      values.push_back(addressOf(locate(operand)));
    else if (stmt.isReadToo[i])
      values.push_back(load(locate(operand), stmt.place));
    else
      values.push_back(nullptr);
    effect.level = tsk::body::join(effect.level, levelOf(values.back()));
  }
  llvm::SmallVector<llvm::StringRef, 8> instructions;
  const std::string text = withoutComments(stmt.text);
  llvm::StringRef(text).split(instructions, ';');
  for (llvm::StringRef one : instructions)
    instruction(one, values, effect, stmt.place);
  if (stmt.isVolatile || stmt.touchesMemory || !effect.isPlain)
    facts.isPure = false;
  if (effect.isOpaque)
    handToAsm(values, stmt.place);
  Value result;
  result.level = effect.isPlain ? effect.level : Level::Thread;
  result.targets = effect.targets;
  if (effect.isConversion && stmt.outputs == 1 && values.size() == 2 && values[1]) {
    result.offset = values[1]->offset;
    result.isLogical = values[1]->isLogical;
  }
  for (size_t i = 0; i < values.size(); ++i) // computed from an address: still one
    if (effect.isOpaque || effect.used.count(static_cast<unsigned>(i)))
      collectTargets(values[i], result.targets);
  for (size_t i = 0; i < stmt.outputs && i < stmt.exprs.size(); ++i)
    if (tree.exprs[stmt.exprs[i]].isLValue)
      store(locate(stmt.exprs[i]), std::make_shared<const Value>(result), stmt.place);
}

} // namespace tsk::body
