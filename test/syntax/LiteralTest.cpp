#include "compiler/syntax/Literal.h"
#include "Fixture.h"

#include "catch2/catch.hpp"

using namespace tsk;
using tsk::test::Fixture;

namespace {

struct Decoded {
  explicit Decoded(llvm::StringRef text) : fixture(text) {
    syntax::Lexer lexer(fixture.sources, fixture.buffer, errors);
    token = lexer.next();
  }
  std::string report() const { return fixture.reports.empty() ? "" : fixture.reports.front(); }

  Fixture fixture;
  syntax::SyntaxErrors errors{fixture.engine};
  syntax::Token token;
};

uint64_t integer(llvm::StringRef text) {
  Decoded decoded(text);
  uint64_t value = decodeInteger(decoded.token, decoded.errors);
  CHECK(decoded.report() == "");
  return value;
}
double floating(llvm::StringRef text) {
  Decoded decoded(text);
  double value = decodeFloat(decoded.token, decoded.errors);
  CHECK(decoded.report() == "");
  return value;
}
std::string string(llvm::StringRef text) {
  Decoded decoded(text);
  std::string value = decodeString(decoded.token, decoded.errors);
  CHECK(decoded.report() == "");
  return value;
}
std::string integerReport(llvm::StringRef text) {
  Decoded decoded(text);
  decodeInteger(decoded.token, decoded.errors);
  return decoded.report();
}

} // namespace

TEST_CASE("integers have the values of C++") {
  CHECK(integer("0") == 0);
  CHECK(integer("1'000'000") == 1000000);
  CHECK(integer("0xFf") == 255);
  CHECK(integer("0X1'0") == 16);
  CHECK(integer("0b1'01") == 5);
  CHECK(integer("017") == 15);
  CHECK(integer("42ull") == 42);
  CHECK(integer("42LLu") == 42);
  CHECK(integer("18446744073709551615") == UINT64_MAX);
  CHECK(integer("0xFFFFFFFFFFFFFFFF") == UINT64_MAX);
}

TEST_CASE("integers that do not fit or make no sense are reported") {
  CHECK(integerReport("18446744073709551616") == "1:1: IntegerOverflow");
  CHECK(integerReport("0x10000000000000000") == "1:1: IntegerOverflow");
  CHECK(integerReport("99999999999999999999999999") == "1:1: IntegerOverflow");
  for (llvm::StringRef text : {"08", "0b12", "0x", "0b", "1lul", "1LlU", "1f", "16B", "1'u"})
    CHECK(integerReport(text) == "1:1: MalformedNumber");
}

TEST_CASE("floats have the values of C++") {
  CHECK(floating("1.5") == 1.5);
  CHECK(floating(".5") == 0.5);
  CHECK(floating("1.") == 1.0);
  CHECK(floating("1e-3") == 1e-3);
  CHECK(floating("1'0.2'5f") == 10.25);
  CHECK(floating("0x1.8p1") == 3.0);
  Decoded huge("1e999");
  decodeFloat(huge.token, huge.errors);
  CHECK(huge.report() == "1:1: FloatOutOfRange");
  Decoded suffix("1.0x");
  decodeFloat(suffix.token, suffix.errors);
  CHECK(suffix.report() == "1:1: MalformedNumber");
  Decoded exponent("1e+");
  decodeFloat(exponent.token, exponent.errors);
  CHECK(exponent.report() == "1:1: MalformedNumber");
}

TEST_CASE("escapes of strings are resolved") {
  CHECK(string(R"("")") == "");
  CHECK(string(R"("a\n\t\"\\\'\?")") == "a\n\t\"\\'?");
  CHECK(string(R"("\x41\x7a\101\0z")") == std::string("AzA\0z", 5));
  CHECK(string(R"("\u00e9\U0001F600")") == "\xC3\xA9\xF0\x9F\x98\x80");
}

TEST_CASE("unknown escapes are reported where they stand") {
  auto report = [](llvm::StringRef text) {
    Decoded decoded(text);
    decodeString(decoded.token, decoded.errors);
    return decoded.report();
  };
  CHECK(report(R"("ab\q")") == "1:4: UnknownEscape");
  CHECK(report(R"("\x")") == "1:2: UnknownEscape");
  CHECK(report(R"("\x100")") == "1:2: UnknownEscape");
  CHECK(report(R"("\u12")") == "1:2: UnknownEscape");
  CHECK(report(R"("\uD800")") == "1:2: UnknownEscape"); // a surrogate is no character
  CHECK(report(R"("\400")") == "1:2: UnknownEscape");
}
