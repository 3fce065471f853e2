#include "compiler/verify/protocol/Tokens.h"

namespace tsk::protocol {

void Tokens::advance() {
  current = {};
  if (hasFailed)
    return;
  while (position < text.size()) {
    char c = text[position];
    if (c == '#' && (position == 0 || text[position - 1] != ']')) {
      while (position < text.size() && text[position] != '\n')
        ++position;
    } else if (c == '\n') {
      ++position;
      ++lineNumber;
      lineBegin = position;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == ';') {
      ++position;
    } else {
      break;
    }
  }
  currentLine = lineNumber;
  currentColumn = static_cast<unsigned>(position - lineBegin) + 1;
  if (position >= text.size())
    return;
  size_t end = position + 1;
  char c = text[position];
  if (isLetter(c)) {
    while (end < text.size() && (isLetter(text[end]) || isDigit(text[end]) || text[end] == '.'))
      ++end;
  } else if (isDigit(c)) {
    while (end < text.size() && isDigit(text[end]))
      ++end;
  } else if (text.substr(position, 2) == "->" || text.substr(position, 2) == ">=" ||
             text.substr(position, 2) == "<=") {
    ++end;
  }
  current = text.slice(position, end);
  position = end;
}

llvm::StringRef Tokens::take() {
  llvm::StringRef taken = current;
  advance();
  return taken;
}

bool Tokens::accept(llvm::StringRef spelling) {
  if (current != spelling)
    return false;
  advance();
  return true;
}

bool Tokens::expect(llvm::StringRef spelling) {
  if (accept(spelling))
    return true;
  fail("expected `" + spelling.str() + "`");
  return false;
}

std::string Tokens::name(const char *what) {
  if (!atName()) {
    fail(std::string("expected ") + what);
    return {};
  }
  return take().str();
}

int Tokens::number(const char *what, int low, int high) {
  int value = 0;
  if (!atNumber() || current.getAsInteger(10, value) || value < low || value > high) {
    fail(std::string("expected ") + what + ", a number from " + std::to_string(low) + " to " +
         std::to_string(high));
    return low;
  }
  advance();
  return value;
}

void Tokens::fail(std::string message) {
  if (!hasFailed) {
    if (atEnd())
      message += " before the end of the text";
    firstError = {currentLine, currentColumn, std::move(message)};
  }
  hasFailed = true;
  current = {};
}

} // namespace tsk::protocol
