#include "compiler/codegen/cuda/Names.h"

#include "llvm/ADT/StringSet.h"

namespace tsk::codegen {

static const llvm::StringSet<> &reservedNames() {
  static const llvm::StringSet<> Names = {
#define TSK_RESERVED(Name) #Name,
#include "compiler/codegen/cuda/ReservedNames.def"
  };
  return Names;
}

std::string cppName(llvm::StringRef name) {
  return reservedNames().contains(name) ? name.str() + "_" : name.str();
}

std::string NameScope::claim(llvm::StringRef wanted) {
  const std::string base = cppName(wanted);
  std::string name = base;
  for (unsigned n = 2; !taken.insert(name).second; ++n)
    name = base + "_" + std::to_string(n);
  return name;
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
