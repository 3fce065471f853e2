// The values of literals, spelled as in C++. What is wrong with one is reported; a value comes back
// anyway, so that parsing goes on.
#pragma once

#include "compiler/syntax/SyntaxErrors.h"
#include "compiler/syntax/Token.h"

namespace tsk::syntax {

uint64_t decodeInteger(const Token &token, SyntaxErrors &errors);
// With the suffix `f` the nearest float, not the float nearest to the nearest double.
double decodeFloat(const Token &token, SyntaxErrors &errors);

// What the spelling of a number says about its type besides its value.
struct NumberForm {
  bool isDecimal = true;   // and not octal, hexadecimal or binary
  bool isUnsigned = false; // u
  bool isLong = false;     // l, ll, z
  bool isSingle = false;   // 1.5f
};
NumberForm numberForm(llvm::StringRef spelled);

// Without the quotes, escapes resolved.
std::string decodeString(const Token &token, SyntaxErrors &errors);

} // namespace tsk::syntax
