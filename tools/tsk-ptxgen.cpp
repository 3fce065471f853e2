// Writes what compiler/target/PtxInstructions.def says in the form that someone needs:
//
//   tsk-ptxgen header FILE      <tsk/ptx.cuh>: one inline function an instruction sequence
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
std::string unwrap(std::string text) { return text.substr(1, text.size() - 2); }

std::vector<Instruction> table() {
  return {
#define TSK_PTX(Name, Since, Effect, Result, Template, Parameters, Text, Inputs)                   \
  {#Name, #Since, Effect, #Result, unwrap(#Template), unwrap(#Parameters), Text, unwrap(#Inputs)},
#include "compiler/target/PtxInstructions.def"
  };
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
  const bool hasResult = entry.result != "void";
  out << "\n// " << entry.since << "\n";
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
    out << "\n               :" << (hasResult ? " \"=r\"(result)" : "");
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
  std::string letters = entry.result == "void" ? "" : "r";
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
      const size_t index = text[++i] - '0';
      result += operandName(operands[index], index);
    }
  }
  return result;
}

std::string module(const Instruction &entry, const std::string &target) {
  const std::string operands = constraints(entry);
  std::ostringstream out;
  // Through a parameter and a store, so that nothing is dead; `setmaxnreg` asks for a fixed size.
  out << ".version 9.0\n.target " << target
      << "\n.address_size 64\n.entry test(.param .b64 in) .reqntid 128 .maxnreg 128 {\n"
         ".reg .b64 base;\nld.param.b64 base, [in];\n";
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool isImmediate = operands[i] == 'n', isWide = operands[i] == 'l';
    const std::string bits = isWide ? ".b64" : operands[i] == 'h' ? ".b16" : ".b32";
    if (!isImmediate)
      out << ".reg " << bits << " x" << i << ";\nld.global" << bits << " x" << i << ", [base+"
          << i * 8 << "];\n";
  }
  out << substitute(entry.text, operands) << "\n";
  if (entry.result != "void")
    out << "st.global.b32 [base], x0;\n";
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
  if (argc == 2 && !std::strcmp(argv[1], "list")) {
    for (size_t i = 0; i < instructions.size(); ++i)
      std::cout << i << " " << instructions[i].name << " " << instructions[i].since << "\n";
    return 0;
  }
  if (argc == 4 && !std::strcmp(argv[1], "module")) {
    const size_t index = std::strtoul(argv[2], nullptr, 10);
    if (index < instructions.size()) {
      std::cout << module(instructions[index], argv[3]);
      return 0;
    }
  }
  std::cerr << "usage: tsk-ptxgen header FILE | list | module N TARGET\n";
  return 2;
}
