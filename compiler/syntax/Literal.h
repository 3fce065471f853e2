// The values of literals, spelled as in C++. What is wrong with one is reported; a value comes back
// anyway, so that parsing goes on.
#pragma once

#include "compiler/syntax/SyntaxErrors.h"
#include "compiler/syntax/Token.h"

namespace tsk::syntax {

uint64_t decodeInteger(const Token &token, SyntaxErrors &errors);
double decodeFloat(const Token &token, SyntaxErrors &errors);
// Without the quotes, escapes resolved.
std::string decodeString(const Token &token, SyntaxErrors &errors);

} // namespace tsk::syntax
