// Inline PTX: which of its operands are addresses that it reads or writes.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

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

} // namespace

void Interpreter::assembly(const Stmt &stmt) {
  for (llvm::StringRef instruction : Protocol)
    if (llvm::StringRef(stmt.text).contains(instruction)) {
      EventFact fact;
      fact.kind = EventFact::Kind::AsmProtocol;
      fact.text = instruction.str();
      return note(std::move(fact), stmt.place);
    }
  std::vector<ValueRef> values;
  Level level = Level::Constant;
  for (size_t i = 0; i < stmt.exprs.size(); ++i) {
    const bool isOutput = i < stmt.outputs;
    const bool isPlace = tree.exprs[stmt.exprs[i]].isLValue;
    values.push_back(isPlace && !isOutput ? addressOf(locate(stmt.exprs[i]))
                     : isOutput           ? nullptr
                                          : eval(stmt.exprs[i]));
    level = tsk::body::join(level, levelOf(values.back()));
  }
  std::set<size_t> known;
  bool isPlain = true; // all instructions but the known accesses compute values from values
  llvm::SmallVector<llvm::StringRef, 8> instructions;
  const std::string text = withoutComments(stmt.text);
  llvm::StringRef(text).split(instructions, ';');
  for (llvm::StringRef instruction : instructions) {
    const auto [opcode, rest] = splitInstruction(instruction);
    const llvm::SmallVector<unsigned, 2> addresses = addressesIn(rest);
    isPlain &= isUnderstood(opcode, rest);
    for (const PtxAccess &access : Accesses) {
      if (!opcode.starts_with(access.opcode) || access.operand >= addresses.size() ||
          addresses[access.operand] >= values.size())
        continue;
      const size_t operand = addresses[access.operand];
      known.insert(operand);
      const bool isCopy =
          access.effect == PtxEffect::CopyRead || access.effect == PtxEffect::CopyWrite;
      const bool isRead = access.effect == PtxEffect::Read || access.effect == PtxEffect::Both ||
                          access.effect == PtxEffect::CopyRead;
      const bool isWrite = access.effect == PtxEffect::Write || access.effect == PtxEffect::Both ||
                           access.effect == PtxEffect::CopyWrite;
      for (const Target &target : follow(values[operand]).targets) {
        if (target.isLocal)
          continue;
        if (!isCopy) {
          if (isRead)
            noteAccess(target, false, stmt.place);
          if (isWrite)
            noteAccess(target, true, stmt.place);
          continue;
        }
        AccessFact fact = accessHere();
        fact.role = target.id;
        fact.isWrite = isWrite;
        fact.mechanism = ast::Mechanism::CpAsync;
        fact.isInFlight = true;
        fact.completes = AccessFact::Completes::Group;
        fact.primitive = "cp.async";
        note(std::move(fact), stmt.place);
      }
    }
  }
  if (stmt.isVolatile || stmt.touchesMemory || !isPlain)
    facts.isPure = false;
  std::vector<unsigned> handed;
  Value result;
  result.level = level;
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueRef all = isPlain ? blurred(values[i]) : reachable(values[i]);
    for (const Target &object : all ? all->targets : std::vector<Target>()) {
      if (isPlain)
        result.targets.push_back(object); // computed from an address: still one
      else if (!object.isLocal && !known.count(i))
        handed.push_back(object.id);
    }
  }
  llvm::sort(result.targets);
  result.targets.erase(llvm::unique(result.targets), result.targets.end());
  if (!handed.empty()) {
    EventFact fact;
    fact.kind = EventFact::Kind::OpaqueCall;
    fact.text = "asm";
    fact.numbers.assign(handed.size(), 1);
    fact.roles = std::move(handed);
    note(std::move(fact), stmt.place);
  }
  for (size_t i = 0; i < stmt.outputs && i < stmt.exprs.size(); ++i)
    if (tree.exprs[stmt.exprs[i]].isLValue)
      store(locate(stmt.exprs[i]), std::make_shared<const Value>(result), stmt.place);
}

} // namespace tsk::body
