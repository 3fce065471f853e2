#include "compiler/ir/Types.h"
#include "compiler/support/Check.h"

namespace tsk::ir {

namespace {
struct ScalarInfo {
  llvm::StringRef spelling;
  unsigned bits;
  ScalarClass kind;
};
constexpr ScalarInfo Scalars[] = {
#define TSK_SCALAR(Name, Spelling, Bits, Class) {Spelling, Bits, ScalarClass::Class},
#include "compiler/ir/ScalarTypes.def"
};
const ScalarInfo &info(ScalarType type) { return Scalars[static_cast<size_t>(type)]; }
} // namespace

llvm::StringRef spelling(ScalarType type) { return info(type).spelling; }
unsigned bitWidth(ScalarType type) { return info(type).bits; }
ScalarClass scalarClass(ScalarType type) { return info(type).kind; }

bool isInteger(ScalarType type) {
  return scalarClass(type) == ScalarClass::Int || scalarClass(type) == ScalarClass::UInt;
}

std::optional<ScalarType> scalarTypeByName(llvm::StringRef name) {
  for (size_t i = 0; i < std::size(Scalars); ++i)
    if (Scalars[i].spelling == name)
      return static_cast<ScalarType>(i);
  return std::nullopt;
}

llvm::StringRef spelling(Uniformity uniformity) {
  switch (uniformity) {
  case Uniformity::Const:
    return "const";
  case Uniformity::Kernel:
    return "kernel";
  case Uniformity::Cluster:
    return "cluster";
  case Uniformity::Cta:
    return "cta";
  case Uniformity::Thread:
    return "thread";
  }
  TSK_UNREACHABLE("uniformity outside its enumeration");
}

} // namespace tsk::ir
