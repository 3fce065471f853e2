// The types of literals: C++'s, by value, base and suffix.
#pragma once

#include "compiler/ir/Fold.h"

namespace tsk::sema {

ir::ConstantScalar integerLiteral(uint64_t value, llvm::StringRef spelled);
ir::ConstantScalar realLiteral(double value, llvm::StringRef spelled);

// A text that is one literal, with a sign or without: `-D N=0x10`. Nothing if it is anything else.
std::optional<ir::ConstantScalar> parseNumber(llvm::StringRef text);

} // namespace tsk::sema
