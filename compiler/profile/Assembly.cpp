#include "compiler/profile/Assembly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <set>
#include <tuple>

namespace tsk::profile {

using llvm::StringRef;

namespace {

struct Place {
  StringRef file; // empty: none that a user wrote
  unsigned line = 0, column = 0;
};

// What a call of the sanitizer says.
struct SanitizerCall {
  enum class Kind : uint8_t { None, Access, Range, Copy, Fill, Ignored, Block };
  Kind kind = Kind::None;
  unsigned bytes = 0;
  bool isStore = false;
};

SanitizerCall readCall(StringRef callee) {
  using Kind = SanitizerCall::Kind;
  if (callee == "__sanitizer_cov_trace_pc")
    return {Kind::Block};
  if (!callee.consume_front("__tsan_"))
    return {};
  if (callee == "memcpy" || callee == "memmove")
    return {Kind::Copy};
  if (callee == "memset")
    return {Kind::Fill};
  if (callee == "read_range" || callee == "write_range")
    return {Kind::Range, 0, callee.starts_with("write")};
  if (callee.starts_with("func_") || callee == "init" || callee.starts_with("vptr_"))
    return {Kind::Ignored};
  callee.consume_front("unaligned_");
  callee.consume_front("volatile_");
  const bool isStore = callee.starts_with("write");
  unsigned bytes = 0;
  if ((!callee.consume_front("write") && !callee.consume_front("read")) ||
      callee.getAsInteger(10, bytes))
    return {};
  return {Kind::Access, bytes, isStore};
}

// Kinds of arithmetic, in the order of the simulator's.
enum class Arithmetic : uint8_t { Fma, Add, Multiply, Other };

// Operations that an instruction does: one a lane of its vector.
struct Operations {
  Arithmetic kind = Arithmetic::Other;
  unsigned count = 0;
};

Operations readArithmetic(StringRef name, StringRef operands) {
  name.consume_front("v");
  if (name.size() < 4)
    return {};
  const StringRef type = name.take_back(2); // ss sd ps pd
  const StringRef base = name.drop_back(2);
  if ((type != "ss" && type != "sd" && type != "ps" && type != "pd"))
    return {};
  unsigned lanes = 1;
  if (type[0] == 'p') {
    const unsigned bytes = operands.contains("%zmm") ? 64 : operands.contains("%ymm") ? 32 : 16;
    lanes = bytes / (type == "ps" ? 4 : 8);
  }
  if ((base.starts_with("fmadd") || base.starts_with("fmsub") || base.starts_with("fnmadd") ||
       base.starts_with("fnmsub")) &&
      base.size() >= 8)
    return {Arithmetic::Fma, lanes};
  if (base == "add" || base == "sub")
    return {Arithmetic::Add, lanes};
  if (base == "mul")
    return {Arithmetic::Multiply, lanes};
  if (base == "div" || base == "sqrt" || base == "max" || base == "min")
    return {Arithmetic::Other, lanes};
  return {};
}

// The next quoted text, which is taken away.
std::optional<StringRef> takeQuoted(StringRef &text) {
  const size_t begin = text.find('"');
  const size_t end = begin == StringRef::npos ? begin : text.find('"', begin + 1);
  if (end == StringRef::npos)
    return std::nullopt;
  const StringRef found = text.slice(begin + 1, end);
  text = text.drop_front(end + 1);
  return found;
}

class Rewriter {
public:
  Rewriter(StringRef t, llvm::ArrayRef<std::string> f) : text(t), foreign(f), out(result) {}

  std::string rewrite() {
    while (!text.empty()) {
      StringRef line;
      std::tie(line, text) = text.split('\n');
      onLine(line);
    }
    dropUnusedCounters();
    writeTables();
    return std::move(result);
  }

private:
  void onLine(StringRef line) {
    StringRef rest = line.ltrim();
    if (rest.starts_with(".")) {
      if (rest.consume_front(".file"))
        onFile(rest);
      else if (rest.consume_front(".loc"))
        onPlace(rest);
      out << line << '\n';
      return;
    }
    if (!line.starts_with("\t") && !line.starts_with(" ")) {
      // A function's label: what was written before says nothing about it.
      if (line.contains(':') && !line.starts_with("."))
        block.reset();
      out << line << '\n';
      return;
    }
    const auto [name, operands] = splitInstruction(rest);
    if ((name.starts_with("call") || name.starts_with("jmp")) && onCall(name, operands))
      return;
    if (block && place.line != 0 && !place.file.empty())
      if (const Operations found = readArithmetic(name, operands); found.count != 0)
        arithmetic[{*block, numberOf(place.file), place.line, static_cast<unsigned>(found.kind)}] +=
            found.count;
    if (name.starts_with("jmp") || name.starts_with("ret"))
      block.reset();
    out << line << '\n';
  }

  static std::pair<StringRef, StringRef> splitInstruction(StringRef text) {
    const size_t end = text.find_first_of(" \t");
    return {text.take_front(end), end == StringRef::npos ? "" : text.drop_front(end).trim()};
  }

  // `.file 3 "folder" "name" md5 …`, `.file 3 "name"`
  void onFile(StringRef rest) {
    rest = rest.ltrim();
    unsigned number = 0;
    if (rest.consumeInteger(10, number))
      return; // the name of the whole text
    const auto first = takeQuoted(rest);
    if (!first)
      return;
    std::string name = first->str();
    if (rest.ltrim().starts_with("\""))
      if (const auto second = takeQuoted(rest))
        name = llvm::sys::path::is_absolute(*second) ? second->str() : name + "/" + second->str();
    const bool isForeign = llvm::any_of(
        foreign, [&](const std::string &folder) { return StringRef(name).starts_with(folder); });
    if (isForeign)
      files[number] = "";
    else
      files[number] = first->str() == name ? name : llvm::sys::path::filename(name).str();
  }

  void onPlace(StringRef rest) {
    unsigned file = 0;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, file))
      return;
    rest = rest.ltrim();
    if (rest.consumeInteger(10, place.line))
      return;
    rest = rest.ltrim();
    place.column = 0;
    rest.consumeInteger(10, place.column);
    place.file = files[file];
  }

  bool onCall(StringRef name, StringRef operands) {
    const SanitizerCall call = readCall(operands.take_until([](char c) { return c == '@'; }));
    switch (call.kind) {
    case SanitizerCall::Kind::None:
      return false;
    case SanitizerCall::Kind::Block:
      onBlock();
      break;
    case SanitizerCall::Kind::Access:
      if (!place.file.empty())
        out << "\tmovl\t$" << siteOf(call.bytes, call.isStore)
            << ", %esi\n\tcall\ttsk_sim_access@PLT\n";
      break;
    case SanitizerCall::Kind::Range:
      if (!place.file.empty())
        out << "\tmovl\t$" << rangeSites(call.isStore)
            << ", %edx\n\tcall\ttsk_sim_access_range@PLT\n";
      break;
    case SanitizerCall::Kind::Copy:
      if (place.file.empty()) {
        out << "\tcall\tmemmove@PLT\n";
      } else {
        const unsigned site = rangeSites(false);
        rangeSites(true);
        out << "\tmovl\t$" << site << ", %ecx\n\tcall\ttsk_sim_copy@PLT\n";
      }
      break;
    case SanitizerCall::Kind::Fill:
      if (place.file.empty())
        out << "\tcall\tmemset@PLT\n";
      else
        out << "\tmovl\t$" << rangeSites(true) << ", %ecx\n\tcall\ttsk_sim_fill@PLT\n";
      break;
    case SanitizerCall::Kind::Ignored:
      break;
    }
    if (name.starts_with("jmp"))
      out << "\tret\n";
    return true;
  }

  // Whether the block computes is seen only behind its begin.
  void onBlock() {
    block = increments.size();
    const size_t begin = result.size();
    out << "\tmovq\ttsk_sim_blocks(%rip), %rax\n\tincq\t" << 8 * *block << "(%rax)\n";
    increments.push_back({begin, result.size()});
  }

  void dropUnusedCounters() {
    std::set<unsigned> used;
    for (const auto &[where, count] : arithmetic)
      used.insert(std::get<0>(where));
    for (unsigned i = 0; i < increments.size(); ++i)
      if (!used.count(i))
        std::fill(result.begin() + static_cast<ptrdiff_t>(increments[i].first),
                  result.begin() + static_cast<ptrdiff_t>(increments[i].second), ' ');
  }

  unsigned siteOf(unsigned bytes, bool isStore) {
    const auto key = std::tuple(numberOf(place.file), place.line, place.column, bytes, isStore);
    const auto [it, isNew] = sites.try_emplace(key, siteList.size());
    if (isNew)
      siteList.push_back(key);
    return it->second;
  }
  // Two that follow each other, for 16 bytes and for a word.
  unsigned rangeSites(bool isStore) {
    const unsigned first = siteList.size();
    siteList.push_back({numberOf(place.file), place.line, place.column, 16, isStore});
    siteList.push_back({numberOf(place.file), place.line, place.column, 4, isStore});
    return first;
  }

  unsigned numberOf(StringRef file) {
    const auto [it, isNew] = fileNumbers.try_emplace(file.str(), fileList.size());
    if (isNew)
      fileList.push_back(file.str());
    return it->second;
  }

  void writeTables() {
    out << "\t.section\t.data.tsk_sim,\"aw\",@progbits\n\t.p2align 3\n"
           "\t.globl\ttsk_sim_sites\n\t.globl\ttsk_sim_blocks\n"
        << "tsk_sim_sites:\n\t.quad\t.Ltsk_accesses, " << siteList.size() << ", .Ltsk_arithmetic, "
        << arithmetic.size() << ", .Ltsk_files, .Ltsk_host_blocks, " << increments.size()
        << "\ntsk_sim_blocks:\n\t.quad\t.Ltsk_host_blocks\n.Ltsk_files:\n";
    for (size_t i = 0; i < fileList.size(); ++i)
      out << "\t.quad\t.Ltsk_file" << i << '\n';
    out << ".Ltsk_arithmetic:\n";
    for (const auto &[where, count] : arithmetic) {
      const auto &[number, file, line, kind] = where;
      out << "\t.long\t" << number << ", " << file << ", " << line << ", " << kind << "\n\t.quad\t"
          << count << '\n';
    }
    out << ".Ltsk_accesses:\n";
    for (const auto &[file, line, column, bytes, isStore] : siteList)
      out << "\t.long\t" << file << ", " << line << ", " << column << "\n\t.short\t" << bytes
          << ", " << (isStore ? 1 : 0) << '\n';
    for (size_t i = 0; i < fileList.size(); ++i)
      out << ".Ltsk_file" << i << ":\n\t.asciz\t\"" << fileList[i] << "\"\n";
    out << "\t.local\t.Ltsk_host_blocks\n\t.comm\t.Ltsk_host_blocks,"
        << 8 * std::max(increments.size(), size_t{1}) << ",8\n";
  }

  StringRef text;
  llvm::ArrayRef<std::string> foreign;
  std::string result;
  llvm::raw_string_ostream out;
  std::map<unsigned, std::string> files; // by the assembler's number; empty: foreign
  Place place;
  std::optional<unsigned> block;
  std::vector<std::pair<size_t, size_t>> increments; // of blocks, in the result
  using Site = std::tuple<unsigned, unsigned, unsigned, unsigned, bool>;
  std::map<Site, unsigned> sites;
  std::vector<Site> siteList;
  std::map<std::string, unsigned> fileNumbers;
  std::vector<std::string> fileList;
  std::map<std::tuple<unsigned, unsigned, unsigned, unsigned>, uint64_t> arithmetic;
};

} // namespace

// Vectors of several iterations would be one access; so would be, the other way round, the parts of
// a tsk::vec that scalar replacement splits.
std::vector<std::string> instrumentingOptions(bool isClang) {
  std::vector<std::string> options = {"-g1", "-fsanitize=thread", "-mfma", "-ffp-contract=fast",
                                      "-fno-optimize-sibling-calls"};
  const std::vector<std::string> ofClang = {
      "-fsanitize-coverage=trace-pc,no-prune", "-fno-vectorize", "-fno-slp-vectorize", "-mllvm",
      "-tsan-instrument-func-entry-exit=0", "-mllvm", "-tsan-instrument-read-before-write",
      // Accesses of two branches would become one.
      "-mllvm", "-simplifycfg-sink-common=0"};
  const std::vector<std::string> ofGcc = {"-fsanitize-coverage=trace-pc",
                                          "-fno-tree-vectorize",
                                          "-fno-tree-slp-vectorize",
                                          "-fno-tree-sra",
                                          "-fno-ipa-sra",
                                          "-fexpensive-optimizations", // a * b + c is one operation
                                          "--param",
                                          "tsan-instrument-func-entry-exit=0"};
  llvm::append_range(options, isClang ? ofClang : ofGcc);
  return options;
}

std::string countInAssembly(llvm::StringRef text, llvm::ArrayRef<std::string> foreign) {
  return Rewriter(text, foreign).rewrite();
}

} // namespace tsk::profile
