// Types of values that flow through a schedule.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tsk::ir {

enum class ScalarType : uint8_t {
#define TSK_SCALAR(Name, Spelling, Bits, Class) Name,
#include "compiler/ir/ScalarTypes.def"
};
enum class ScalarClass : uint8_t { Float, Int, UInt, Bool, Scale };

llvm::StringRef spelling(ScalarType type); // "bf16"
unsigned bitWidth(ScalarType type);
ScalarClass scalarClass(ScalarType type);
std::optional<ScalarType> scalarTypeByName(llvm::StringRef name);
bool isInteger(ScalarType type); // Int and UInt

// How far a value is the same for all: an operation needs what it depends on to be uniform over
// all its participants.
enum class Uniformity : uint8_t { Const, Kernel, Cluster, Cta, Thread };
llvm::StringRef spelling(Uniformity uniformity);
inline Uniformity join(Uniformity a, Uniformity b) { return a < b ? b : a; }

// A scalar of the language, or any C++ type, kept as the C++ text that the bodies will see
// (`tsk::array<tsk::f16, BOX>`: element types spelled as in bodies, constants by name).
struct Type {
  enum class Kind : uint8_t { Scalar, Cpp };
  Kind kind = Kind::Scalar;
  ScalarType scalar = ScalarType::I32;
  std::string cpp;

  static Type ofScalar(ScalarType type) { return {Kind::Scalar, type, {}}; }
  static Type ofCpp(std::string text) { return {Kind::Cpp, ScalarType::I32, std::move(text)}; }
  bool isScalar() const { return kind == Kind::Scalar; }
  friend bool operator==(const Type &, const Type &) = default;
};

} // namespace tsk::ir
