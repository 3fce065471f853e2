// Writes what compiler/target/PtxInstructions.def says in the form that someone needs:
//
//   tsk-ptxgen header FILE      <tsk/ptx.cuh>: one inline function an instruction sequence
//   tsk-ptxgen wgmma FILE       <tsk/ptx_wgmma.cuh>: the multiplications of Wgmma.def
//   tsk-ptxgen list             one line an entry: index, name, first target
//   tsk-ptxgen module N TARGET  entry N as a PTX module, for ptxas (the test of the table)

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace {

enum Effect { memory, issue, pure };

struct Instruction {
  std::string name, since;
  Effect effect;
  std::string result, templateParameters, parameters, text, inputs;
};

// "(a, b)" -> "a, b"
std::string unwrap(const std::string &text) {
  return text[0] == '(' ? text.substr(1, text.size() - 2) : text;
}

std::vector<Instruction> table() {
  return {
#define TSK_PTX(Name, Since, Effect, Result, Template, Parameters, Text, Inputs)                   \
  {#Name, #Since,         Effect, unwrap(#Result), unwrap(#Template), unwrap(#Parameters),         \
   Text,  unwrap(#Inputs)},
#include "compiler/target/PtxInstructions.def"
  };
}

// What an entry leaves in registers: none, one, or an array of them.
struct Outputs {
  std::string type; // of an element
  int count = 0;
  bool isArray = false;

  char constraint() const { return type == "f32" ? 'f' : 'r'; }
};

// "u32", "array<f32, 4>"
Outputs outputsOf(const Instruction &entry) {
  if (entry.result == "void")
    return {};
  const size_t open = entry.result.find('<'), comma = entry.result.find(',');
  if (open == std::string::npos)
    return {entry.result, 1, false};
  return {entry.result.substr(open + 1, comma - open - 1),
          std::atoi(entry.result.c_str() + comma + 1), true};
}

std::vector<std::string> lines(const std::string &text) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    result.push_back(line);
  return result;
}

// ---- The header ---------------------------------------------------------------------------------

void writeFunction(std::ostream &out, const Instruction &entry) {
  const Outputs outputs = outputsOf(entry);
  const bool hasResult = outputs.count != 0;
  out << "\n// " << entry.since.substr(0, entry.since.find("_only")) << "\n";
  if (!entry.templateParameters.empty())
    out << "template <" << entry.templateParameters << "> ";
  out << "__device__ __forceinline__ " << entry.result << " " << entry.name << "("
      << entry.parameters << ") {\n";
  if (hasResult)
    out << "  " << entry.result << " result;\n";
  out << "  asm" << (entry.effect == pure ? "" : " volatile") << "(";
  const std::vector<std::string> text = lines(entry.text);
  for (size_t i = 0; i < text.size(); ++i)
    out << (i ? "\n               " : "") << '"' << text[i]
        << (i + 1 < text.size() ? "\\n\"" : "\"");
  const bool hasClobber = entry.effect == memory;
  if (hasResult || !entry.inputs.empty() || hasClobber)
    out << "\n               :";
  for (int i = 0; i < outputs.count; ++i)
    out << (i ? ", \"=" : " \"=") << outputs.constraint() << "\"(result"
        << (outputs.isArray ? "[" + std::to_string(i) + "]" : "") << ")";
  if (!entry.inputs.empty() || hasClobber)
    out << "\n               :" << (entry.inputs.empty() ? "" : " ") << entry.inputs;
  if (hasClobber)
    out << "\n               : \"memory\"";
  out << ");\n";
  if (hasResult)
    out << "  return result;\n";
  out << "}\n";
}

std::string header() {
  std::ostringstream out;
  out << "// Made by tsk-ptxgen from compiler/target/PtxInstructions.def. Do not edit.\n"
         "#pragma once\n\n#include <tsk/types.h>\n\nnamespace tsk::ptx {\n";
  for (const Instruction &entry : table())
    writeFunction(out, entry);
  out << "\n} // namespace tsk::ptx\n";
  return out.str();
}

// ---- One entry as a module of its own -----------------------------------------------------------

// The constraint letters of `"r"(a), "l"(b)`: r, l.
std::string constraints(const Instruction &entry) {
  const Outputs outputs = outputsOf(entry);
  std::string letters(outputs.count, outputs.constraint());
  for (size_t at = entry.inputs.find('"'); at != std::string::npos;
       at = entry.inputs.find('"', at + 3))
    letters += entry.inputs[at + 1];
  return letters;
}

// Names the operand %n in PTX: a register, or for an immediate a value that any use accepts.
std::string operandName(char constraint, size_t index) {
  return constraint == 'n' ? "64" : "x" + std::to_string(index);
}

std::string substitute(const std::string &text, const std::string &operands) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
    } else if (text[i + 1] == '%') {
      result += '%', ++i;
    } else {
      size_t index = 0;
      for (; i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9'; ++i)
        index = index * 10 + (text[i + 1] - '0');
      result += operandName(operands[index], index);
    }
  }
  return result;
}

std::string module(const Instruction &entry, const std::string &target,
                   const std::string &version) {
  const std::string operands = constraints(entry);
  std::ostringstream out;
  // Through a parameter and a store, so that nothing is dead; `setmaxnreg` asks for a fixed size.
  out << ".version " << version << "\n.target " << target
      << "\n.address_size 64\n.entry test(.param .b64 in) .reqntid 128 .maxnreg 128 {\n"
         ".reg .b64 base;\nld.param.b64 base, [in];\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool isImmediate = operands[i] == 'n', isWide = operands[i] == 'l';
    const std::string bits = isWide               ? ".b64"
                             : operands[i] == 'h' ? ".b16"
                             : operands[i] == 'f' ? ".f32"
                                                  : ".b32";
    if (!isImmediate)
      out << ".reg " << bits << " x" << i << ";\nld.global" << bits << " x" << i << ", [base+"
          << i * 8 << "];\n";
  }
  out << substitute(entry.text, operands) << "\n";
  for (int i = 0; i < outputsOf(entry).count; ++i)
    out << "st.global.b32 [base+" << 4 * i << "], x" << i << ";\n";
  out << "ret;\n}\n";
  return out.str();
}

// ---- wgmma ------------------------------------------------------------------------------------

enum Form { Halves, Floats, Integers }; // what Wgmma.def says of them

struct Multiplication {
  std::string type, ptx;
  int k;
  std::string sum;
  Form form;
};

std::vector<Multiplication> multiplications() {
  return {
#define TSK_WGMMA(Type, Ptx, K, Sum, Form) {#Type, #Ptx, K, #Sum, Form},
#include "compiler/target/Wgmma.def"
  };
}

constexpr int WgmmaStep = 8, WgmmaMaxN = 256;

bool hasColumns(const Multiplication &entry, int n) {
  return entry.form != Integers || n <= 32 || n % 16 == 0;
}

// "prefix0, prefix1, …"
std::string sequence(const std::string &prefix, int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += (i ? ", " : "") + prefix + std::to_string(i);
  return list;
}

std::string wgmmaName(const Multiplication &entry, int n) {
  const std::string sum = entry.form == Integers ? "s32" : "f32";
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k" + std::to_string(entry.k) +
         "." + sum + "." + entry.ptx + "." + entry.ptx;
}

// What follows the operands: the predicate, the signs of the operands, how they lie.
std::string wgmmaTail(const Multiplication &entry, const std::string &transposes) {
  return entry.form == Integers ? "p" : entry.form == Floats ? "p, 1, 1" : "p, 1, 1, " + transposes;
}

void writeWgmma(std::ostream &out, const Multiplication &entry, int n) {
  const int registers = n / 2;
  const bool isTransposable = entry.form == Halves;
  auto operand = [&](int i) { return "%" + std::to_string(registers + i); };
  out << "\n// sm_90a\ntemplate <> struct wgmma<" << entry.type << ", " << n << "> {\n"
      << "  using sum = " << entry.sum << ";\n  static constexpr int k = " << entry.k << ";\n"
      << "  template <int TransposeA, int TransposeB>\n  static __device__ __forceinline__ void "
         "issue(sum (&d)["
      << registers << "], u64 a, u64 b, int accumulates) {\n"
      << (isTransposable ? "" : "    static_assert(!TransposeA && !TransposeB, \"k innermost\");\n")
      << "    asm volatile(\"{\\n.reg .pred p;\\nsetp.ne.b32 p, " << operand(2) << ", 0;\\n\"\n"
      << "                 \"" << wgmmaName(entry, n) << " \"\n"
      << "                 \"{" << sequence("%", registers) << "}, " << operand(0) << ", "
      << operand(1) << ", " << wgmmaTail(entry, operand(3) + ", " + operand(4))
      << ";\\n}\"\n                 : ";
  for (int i = 0; i < registers; ++i)
    out << (i ? ", " : "") << (entry.form == Integers ? "\"+r\"(d[" : "\"+f\"(d[") << i << "])";
  out << "\n                 : \"l\"(a), \"l\"(b), \"r\"(accumulates)"
      << (isTransposable ? ", \"n\"(TransposeA), \"n\"(TransposeB)" : "") << ");\n  }\n};\n";
}

std::string wgmmaHeader() {
  std::ostringstream out;
  out << "// Made by tsk-ptxgen from compiler/target/Wgmma.def. Do not edit.\n"
         "#pragma once\n\n#include <tsk/types.h>\n\nnamespace tsk::ptx {\n\n"
         "// d += a b, or d = a b, of a warpgroup: 64 rows, N columns, `k` deep.\n"
         "template <typename T, int N> struct wgmma;\n";
  for (const Multiplication &entry : multiplications())
    for (int n = WgmmaStep; n <= WgmmaMaxN; n += WgmmaStep)
      if (hasColumns(entry, n))
        writeWgmma(out, entry, n);
  out << "\n} // namespace tsk::ptx\n";
  return out.str();
}

// Every N of an entry, one after the other.
std::string wgmmaModule(const Multiplication &entry, const std::string &target,
                        const std::string &version) {
  const std::string type = entry.form == Integers ? ".s32" : ".f32";
  std::ostringstream out;
  out << ".version " << version << "\n.target " << target
      << "\n.address_size 64\n.entry test(.param .b64 in) .reqntid 128 {\n"
         ".reg .b64 base;\n.reg .b64 a;\n.reg .pred p;\n.reg "
      << type << " d<" << WgmmaMaxN / 2
      << ">;\nld.param.b64 base, [in];\nld.global.b64 a, [base];\nsetp.ne.b64 p, a, 0;\n";
  for (int i = 0; i < WgmmaMaxN / 2; ++i)
    out << "ld.global" << type << " d" << i << ", [base+" << 4 * i << "];\n";
  for (int n = WgmmaStep; n <= WgmmaMaxN; n += WgmmaStep)
    if (hasColumns(entry, n))
      out << "wgmma.fence.sync.aligned;\n"
          << wgmmaName(entry, n) << " {" << sequence("d", n / 2) << "}, a, a, "
          << wgmmaTail(entry, "0, 1")
          << ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
  for (int i = 0; i < WgmmaMaxN / 2; ++i)
    out << "st.global" << type << " [base+" << 4 * i << "], d" << i << ";\n";
  out << "ret;\n}\n";
  return out.str();
}

// ---- Command line -------------------------------------------------------------------------------

// Leaves an up-to-date file alone, so that nothing is rebuilt for it.
int writeFile(const char *path, const std::string &text) {
  std::ifstream old(path, std::ios::binary);
  std::stringstream content;
  content << old.rdbuf();
  if (old && content.str() == text)
    return 0;
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file)
    return 0;
  std::cerr << "tsk-ptxgen: cannot write " << path << "\n";
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  const std::vector<Instruction> instructions = table();
  if (argc == 3 && !std::strcmp(argv[1], "header"))
    return writeFile(argv[2], header());
  if (argc == 3 && !std::strcmp(argv[1], "wgmma"))
    return writeFile(argv[2], wgmmaHeader());
  const std::vector<Multiplication> wgmmas = multiplications();
  if (argc == 2 && !std::strcmp(argv[1], "list")) {
    for (size_t i = 0; i < instructions.size(); ++i)
      std::cout << i << " " << instructions[i].name << " " << instructions[i].since << "\n";
    for (size_t i = 0; i < wgmmas.size(); ++i)
      std::cout << instructions.size() + i << " wgmma_" << wgmmas[i].type << " sm_90a_only\n";
    return 0;
  }
  if (argc == 5 && !std::strcmp(argv[1], "module")) {
    const size_t index = std::strtoul(argv[2], nullptr, 10);
    if (index < instructions.size()) {
      std::cout << module(instructions[index], argv[3], argv[4]);
      return 0;
    }
    if (index - instructions.size() < wgmmas.size()) {
      std::cout << wgmmaModule(wgmmas[index - instructions.size()], argv[3], argv[4]);
      return 0;
    }
  }
  std::cerr << "usage: tsk-ptxgen header FILE | wgmma FILE | list | module N TARGET VERSION\n";
  return 2;
}
