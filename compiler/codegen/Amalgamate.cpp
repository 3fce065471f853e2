#include "compiler/codegen/Amalgamate.h"

#include "compiler/codegen/cuda/UserText.h"

#include <algorithm>
#include <set>

namespace tsk::codegen {

namespace {

// What follows `#word` on a directive's line; nothing if it is another line.
std::optional<llvm::StringRef> directive(llvm::StringRef line, llvm::StringRef word) {
  line = line.trim();
  if (!line.consume_front("#"))
    return std::nullopt;
  line = line.ltrim();
  if (!line.consume_front(word))
    return std::nullopt;
  return line.trim();
}

class Amalgamation {
public:
  Amalgamation(llvm::StringRef output, const IncludeReader &reader,
               const std::function<bool(llvm::StringRef)> &generated)
      : outputName(output), read(reader), isGenerated(generated) {}

  void add(llvm::StringRef text) {
    while (!text.empty()) {
      const auto [line, rest] = text.split('\n');
      addLine(line);
      text = rest;
    }
  }

  std::string take() { return std::move(result); }

private:
  void addLine(llvm::StringRef line) {
    if (const auto operand = directive(line, "pragma"); operand && *operand == "once")
      return;
    if (const auto operand = directive(line, "include"); operand && include(*operand))
      return;
    if (const auto operand = directive(line, "line"); operand && returnsToGenerated(*operand))
      return put(lineDirective(static_cast<unsigned>(lines) + 2, outputName));
    put(line.str() + "\n");
  }

  bool include(llvm::StringRef operand) {
    const llvm::StringRef name =
        operand.drop_front(std::min<size_t>(1, operand.size())).take_until([](char c) {
          return c == '"' || c == '>';
        });
    const std::optional<std::string> text = read(name);
    if (!text)
      return false;
    if (included.insert(name.str()).second)
      add(*text);
    return true;
  }

  bool returnsToGenerated(llvm::StringRef operand) const {
    const llvm::StringRef file = operand.split('"').second.split('"').first;
    return isGenerated(file);
  }

  void put(const std::string &line) {
    result += line;
    lines += static_cast<size_t>(std::count(line.begin(), line.end(), '\n'));
  }

  llvm::StringRef outputName;
  const IncludeReader &read;
  const std::function<bool(llvm::StringRef)> &isGenerated;
  std::set<std::string> included;
  std::string result;
  size_t lines = 0;
};

} // namespace

std::string amalgamate(llvm::StringRef program, llvm::StringRef outputName,
                       const IncludeReader &read,
                       const std::function<bool(llvm::StringRef file)> &isGenerated) {
  Amalgamation amalgamation(outputName, read, isGenerated);
  amalgamation.add(program);
  return amalgamation.take();
}

} // namespace tsk::codegen
