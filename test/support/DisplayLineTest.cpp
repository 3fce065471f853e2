#include "compiler/support/DisplayLine.h"

#include <catch2/catch.hpp>

using namespace tsk;

TEST_CASE("the marked bytes are underlined") {
  DisplayLine line = displayLine("let v = box.colum();", 12, 17);
  CHECK(line.text == "let v = box.colum();");
  CHECK(line.underline == "            ^~~~~");
}

TEST_CASE("an empty mark and one behind the end get a caret") {
  CHECK(displayLine("ab", 1, 1).underline == " ^");
  CHECK(displayLine("ab", 2, 2).underline == "  ^");
  CHECK(displayLine("ab", 9, 9).underline == "  ^");
  CHECK(displayLine("", 0, 5).underline == "^");
}

TEST_CASE("a tab is as wide as the step to its stop") {
  DisplayLine line = displayLine("\ta\tb", 3, 4);
  CHECK(line.text == "    a   b");
  CHECK(line.underline == "        ^");
}

TEST_CASE("columns are those of the terminal, not bytes") {
  DisplayLine accents = displayLine("// \xC3\xA9\xC3\xA9 x", 8, 9);
  CHECK(accents.underline == "      ^");
  DisplayLine wide = displayLine("\xE6\xBC\xA2 x", 4, 5); // 漢 takes two columns
  CHECK(wide.underline == "   ^");
}

TEST_CASE("control characters and broken UTF-8 are replaced") {
  DisplayLine line = displayLine("a\x1b[31m\xff!", 7, 8);
  CHECK(line.text == "a\xEF\xBF\xBD[31m\xEF\xBF\xBD!");
  CHECK(line.underline == "       ^");
  CHECK(printable("a\x1b\xff") == "a\\x1b\\xff");
  CHECK(printable("h\xC3\xA9") == "h\xC3\xA9");
}

TEST_CASE("a long line is cut around the mark") {
  std::string text(1000000, 'a');
  text[500000] = 'X';
  DisplayLine line = displayLine(text, 500000, 500001, 20);
  CHECK(line.text.size() < 40);
  size_t column = line.underline.size() - 1; // … is three bytes and one column
  CHECK(line.underline.back() == '^');
  CHECK(line.text[column + 2] == 'X');

  DisplayLine longMark = displayLine(text, 10, 900000, 20);
  CHECK(longMark.text.size() < 50);
  CHECK(longMark.underline == "          ^~~~~~~~~~");
}

TEST_CASE("a line that fits is shown whole, wherever the mark is") {
  std::string text(100, 'a');
  CHECK(displayLine(text, 0, 1, 100).text == text);
  CHECK(displayLine(text, 99, 100, 100).text == text);
}
