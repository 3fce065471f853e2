#include "compiler/codegen/cuda/Names.h"

#include "compiler/ir/CppText.h"

namespace tsk::codegen {

std::string cppName(llvm::StringRef name) {
  // The last ones are what bodies see without a declaration.
  const bool isTaken = ir::isCppWord(name) || name == "tsk" || name == "stage" || name == "inst";
  return isTaken ? name.str() + "_" : name.str();
}

std::string NameScope::claim(llvm::StringRef wanted) {
  const std::string base = cppName(wanted);
  std::string name = base;
  for (unsigned n = 2; !taken.insert(name).second; ++n)
    name = base + "_" + std::to_string(n);
  return name;
}

const std::string &NameScope::keep(llvm::StringRef name) {
  return *taken.insert(cppName(name)).first;
}

std::string cppType(ir::ScalarType type) {
  switch (type) {
  case ir::ScalarType::I32:
    return "int";
  case ir::ScalarType::F32:
    return "float";
  case ir::ScalarType::F64:
    return "double";
  case ir::ScalarType::Bool:
    return "bool";
  default:
    return "tsk::" + ir::spelling(type).str();
  }
}

std::string cppType(const ir::Type &type) {
  return type.isScalar() ? cppType(type.scalar) : type.cpp;
}

} // namespace tsk::codegen
