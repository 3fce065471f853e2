#include "compiler/syntax/BodyScanner.h"

#include "catch2/catch.hpp"

#include <string>
#include <vector>

using tsk::syntax::BodyScan;
using tsk::syntax::scanBody;
using Problem = BodyScan::Problem;

// What follows the body that begins the text.
static std::string rest(llvm::StringRef text) {
  BodyScan scan = scanBody(text, 0);
  REQUIRE(scan.closed);
  return text.drop_front(scan.end).str();
}

TEST_CASE("braces are counted") {
  CHECK(rest("{} x") == " x");
  CHECK(rest("{ { } {} } x }") == " x }");
}

TEST_CASE("braces in comments do not count") {
  CHECK(rest("{ // }\n} x") == " x");
  CHECK(rest("{ /* } */ } x") == " x");
  CHECK(rest("{ // } \\\n } \n} x") == " x"); // the comment goes on
  CHECK(rest("{ a / b } x") == " x");
}

TEST_CASE("braces in strings and characters do not count") {
  CHECK(rest(R"({ f("}"); } x)") == " x");
  CHECK(rest(R"({ f("\"}"); } x)") == " x");
  CHECK(rest(R"({ f('}', '\'', '\\', '"'); } x)") == " x");
  CHECK(rest(R"({ f(u8'}', L"}"); } x)") == " x");
  CHECK(rest("{ \"a\\\n}\" } x") == " x"); // a string that goes on
}

TEST_CASE("raw strings end with their delimiter") {
  CHECK(rest(R"~({ R"(}")" } x)~") == " x"); // the quote inside is text
  CHECK(rest(R"~({ R"--(} )" })--" } x)~") == " x");
  CHECK(rest(R"~({ u8R"(})" LR"(})" } x)~") == " x");
  CHECK(rest(R"~({ FOOR"(" } x)~") == " x"); // not a raw string: R ends a longer name
  CHECK(rest("{ R\"(\n}\n\" \\)\" } x") == " x");
}

TEST_CASE("digit separators open no literal") {
  CHECK(rest("{ f(1'000'000, 0x1'F, 1'0.5'0); } x") == " x");
  CHECK(rest("{ x = 1'000; y = '}'; } x") == " x");
  CHECK(rest("{ 1e+5'0 } x") == " x");
  CHECK(rest("{ x1'}' } x") == " x"); // after a name it is a literal with a prefix
}

TEST_CASE("preprocessor lines may hold lone quotes") {
  CHECK(rest("{\n#error don't\n} x") == " x");
  CHECK(rest("{\n  # warning \"open\n} x") == " x");
  CHECK(rest("{\n#if 0 \\\n it's\n#endif\n} x") == " x");
  CHECK(scanBody("{\n#error don't\n f('a)\n}", 0).findings.size() == 1);
}

TEST_CASE("what has no end is found at its beginning") {
  auto findings = [](llvm::StringRef text) {
    std::vector<std::pair<Problem, size_t>> found;
    for (const BodyScan::Finding &finding : scanBody(text, 0).findings)
      found.emplace_back(finding.problem, finding.at);
    return found;
  };
  using Found = std::vector<std::pair<Problem, size_t>>;
  CHECK(findings("{ {}") == Found{{Problem::Body, 0}});
  CHECK(findings("{ /* }") == Found{{Problem::Comment, 2}});
  CHECK(findings("{ R\"x( )y\" }") == Found{{Problem::RawString, 3}});
  CHECK(findings("{ f(\"a); \n}") == Found{{Problem::String, 4}});
  CHECK(findings("{ f('a); \n}") == Found{{Problem::Character, 4}});
  CHECK(findings("{ \"a") == Found{{Problem::String, 2}, {Problem::Body, 0}});
  CHECK(findings("{ \"a\\") == Found{{Problem::String, 2}, {Problem::Body, 0}});
}

TEST_CASE("lines whose white space is text are pinned") {
  auto pinned = [](llvm::StringRef text) {
    BodyScan scan = scanBody(text, 0);
    return std::vector<size_t>(scan.pinnedLines.begin(), scan.pinnedLines.end());
  };
  CHECK(pinned("{\n  a;\n  b;\n}").empty());
  CHECK(pinned("{ /*\n x\n*/ }") == std::vector<size_t>{5, 8});
  CHECK(pinned("{ R\"(\n)\" }") == std::vector<size_t>{6});
  CHECK(pinned("{ \"a\\\n b\" }") == std::vector<size_t>{6});
  CHECK(pinned("{ // a \\\n b\n }") == std::vector<size_t>{9});
}
