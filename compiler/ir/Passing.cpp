#include "compiler/ir/Passing.h"

#include <algorithm>

namespace tsk::ir {

static bool isNumber(ScalarType type) { return isInteger(type) || type == ScalarType::Bool; }

static Numbers numbersOf(ScalarType type) {
  if (type == ScalarType::Bool)
    return {0, 1};
  const __int128 size = __int128(1) << bitWidth(type);
  if (scalarClass(type) == ScalarClass::UInt)
    return {0, size - 1};
  return {-(size / 2), size / 2 - 1};
}

Numbers numbersOf(const ConstantScalar &constant) {
  const __int128 number = constant.type == ScalarType::U64
                              ? __int128(static_cast<uint64_t>(constant.value))
                              : __int128(constant.value);
  return {number, number};
}

bool keepsNumber(ScalarType from, ScalarType to, Numbers known) {
  if (!isNumber(from) || !isNumber(to))
    return false;
  const Numbers all = numbersOf(from), fitting = numbersOf(to);
  return std::max(all.low, known.low) >= fitting.low &&
         std::min(all.high, known.high) <= fitting.high;
}

bool passesNumber(const Kernel &kernel, WorkId work, unsigned param, const Type &argument,
                  Numbers known) {
  const std::vector<WorkParam> &params = kernel.works[work].params;
  return param < params.size() && params[param].type.isScalar() && argument.isScalar() &&
         keepsNumber(argument.scalar, params[param].type.scalar, known);
}

} // namespace tsk::ir
