// Thousands of damaged programs, always the same ones: none may crash the parser, and each that is
// accepted must be formatted to a fixed point. format() itself checks that the tokens stay.
#include "Fixture.h"

#include "catch2/catch.hpp"

#include <filesystem>
#include <random>

using namespace tsk;
using namespace tsk::test;

namespace {

// std::uniform_int_distribution differs between standard libraries; this does not.
class Random {
public:
  explicit Random(uint32_t seed) : engine(seed) {}
  size_t below(size_t bound) { return bound == 0 ? 0 : engine() % bound; }

private:
  std::mt19937 engine;
};

std::vector<std::string> readInputs() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(TSK_SYNTAX_INPUTS))
    if (entry.path().extension() == ".tsk")
      paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const std::string &path : paths)
    texts.push_back((*llvm::MemoryBuffer::getFile(path))->getBuffer().str());
  return texts;
}

void damage(std::string &text, const std::string &other, Random &random) {
  size_t at = random.below(text.size());
  size_t length = 1 + random.below(20);
  switch (random.below(5)) {
  case 0: // flip bits
    if (!text.empty())
      text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
    break;
  case 1: // delete
    text.erase(at, length);
    break;
  case 2: // duplicate
    text.insert(at, text.substr(at, length));
    break;
  case 3: // splice in from another program
    text.insert(at, other.substr(random.below(other.size()), length));
    break;
  case 4: { // a mark from nowhere
    static constexpr llvm::StringLiteral Marks = "{}()[]<>;:,.\"'/*+-=!&|\\\n#";
    text.insert(at, 1, Marks[random.below(Marks.size())]);
    break;
  }
  }
}

// Changes only what stands between the tokens: the program stays one.
void respace(std::string &text, Random &random) {
  static constexpr llvm::StringLiteral Gaps[] = {" ",
                                                 "\n",
                                                 "\n\n\n",
                                                 "\t",
                                                 "      ",
                                                 " // c\n",
                                                 "\n// c\n",
                                                 " /* c */ ",
                                                 "\n/* c\n   d */ ",
                                                 "\n/* c */\n",
                                                 " /* a */ /* b */\n",
                                                 "\r\n",
                                                 " // a\n// b\n\n"};
  for (size_t count = 1 + random.below(12); count != 0; --count) {
    size_t from = text.find_first_of(" \n", random.below(text.size()));
    if (from == std::string::npos)
      continue;
    size_t to = text.find_first_not_of(" \n", from);
    text.replace(from, std::min(to, text.size()) - from, Gaps[random.below(std::size(Gaps))]);
  }
}

// Whether the text was accepted.
bool checkText(const std::string &text) {
  Fixture first(text);
  std::optional<std::string> once = first.format();
  REQUIRE(once.has_value() == first.reports.empty());
  if (!once)
    return false;
  Fixture second(*once);
  std::optional<std::string> twice = second.format();
  REQUIRE(twice.has_value());
  if (*once != *twice)
    FAIL("not a fixed point:\n"
         << text << "\n---- once:\n"
         << *once << "\n---- twice:\n"
         << *twice);
  return true;
}

} // namespace

TEST_CASE("damaged programs neither crash nor change when formatted") {
  std::vector<std::string> inputs = readInputs();
  REQUIRE(inputs.size() >= 5);
  Random random(20);
  unsigned accepted = 0;
  for (int i = 0; i < 6000; ++i) {
    std::string text = inputs[random.below(inputs.size())];
    for (size_t count = 1 + random.below(3); count != 0; --count)
      damage(text, inputs[random.below(inputs.size())], random);
    accepted += checkText(text);
  }
  // Much damage is inside comments and bodies: a share is accepted, most is not.
  CHECK(accepted > 500);
  CHECK(accepted < 5500);
}

TEST_CASE("white space and comments anywhere are formatted to a fixed point") {
  std::vector<std::string> inputs = readInputs();
  Random random(30);
  unsigned accepted = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text = inputs[random.below(inputs.size())];
    respace(text, random);
    accepted += checkText(text);
  }
  CHECK(accepted > 1500); // some comments end up in bodies, where a `//` hides a brace
}
