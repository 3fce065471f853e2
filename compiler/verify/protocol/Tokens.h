// Tokens of the text form. After the first error every token is the end of the text, so that all
// loops of the readers end by themselves.
#pragma once

#include "compiler/verify/protocol/Reader.h"

namespace tsk::protocol {

class Tokens {
public:
  explicit Tokens(llvm::StringRef whole) : text(whole) { advance(); }

  llvm::StringRef peek() const { return current; }
  bool atEnd() const { return current.empty(); }
  bool atNumber() const { return !current.empty() && isDigit(current[0]); }
  bool atName() const { return !current.empty() && isLetter(current[0]); }
  unsigned line() const { return currentLine; }

  llvm::StringRef take();
  bool accept(llvm::StringRef spelling);
  bool expect(llvm::StringRef spelling);
  std::string name(const char *what);
  // A number in [low, high].
  int number(const char *what, int low, int high);

  void fail(std::string message);
  bool failed() const { return hasFailed; }
  const ReadError &error() const { return firstError; }

private:
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  void advance();

  llvm::StringRef text;
  size_t position = 0;
  llvm::StringRef current;
  unsigned currentLine = 1;
  unsigned currentColumn = 1;
  unsigned lineNumber = 1;
  size_t lineBegin = 0;
  bool hasFailed = false;
  ReadError firstError;
};

} // namespace tsk::protocol
