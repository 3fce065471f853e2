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
  CHECK(integer("9223372036854775807") == INT64_MAX);
  CHECK(integer("18446744073709551615u") == UINT64_MAX);
  CHECK(integer("0xFFFFFFFFFFFFFFFF") == UINT64_MAX);
}

TEST_CASE("integers that do not fit or make no sense are reported") {
  CHECK(integerReport("9223372036854775808") == "1:1: IntegerOverflow");
  CHECK(integerReport("9223372036854775808L") == "1:1: IntegerOverflow");
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
  CHECK(floating("0x1p-1f") == 0.5);
  CHECK(floating("0x.8p0") == 0.5);
  CHECK(floating("0.0e-999f") == 0);
  CHECK(floating("0.1f") == double(0.1f));
  // Between two floats; the nearest double is the middle, from which the other float is nearest.
  CHECK(floating("1.00000005960464477540f") == double(1.00000005960464477540f));
  CHECK(floating("1.00000005960464477540f") != double(float(1.00000005960464477540)));
  CHECK(floating("3.4028235e38f") == double(3.4028235e38f));
}

TEST_CASE("floats that do not fit or make no sense are reported") {
  auto report = [](llvm::StringRef text) {
    Decoded decoded(text);
    decodeFloat(decoded.token, decoded.errors);
    return decoded.report();
  };
  for (llvm::StringRef text : {"1e999", "1e39f", "1e300f", "1e-400", "1e-50f", "0x1p1024"})
    CHECK(report(text) == "1:1: FloatOutOfRange");
  for (llvm::StringRef text : {"1.0x", "1e+", "1.5L", "1.0fL", "0x1.8", "0x1.8f", "0x1p1L", "1.5u"})
    CHECK(report(text) == "1:1: MalformedNumber");
}

TEST_CASE("a number's spelling says what type it has") {
  using syntax::numberForm;
  CHECK(numberForm("0").isDecimal);
  CHECK(numberForm("10").isDecimal);
  for (llvm::StringRef text : {"010", "0x1f", "0b1", "0XFFL"})
    CHECK_FALSE(numberForm(text).isDecimal);
  CHECK(numberForm("0x1fu").isUnsigned);
  CHECK(numberForm("5LU").isUnsigned);
  CHECK_FALSE(numberForm("5l").isUnsigned);
  for (llvm::StringRef text : {"5L", "5ull", "5z", "0xfUL"})
    CHECK(numberForm(text).isLong);
  CHECK_FALSE(numberForm("0xbu").isLong);
  for (llvm::StringRef text : {"1.f", "1e5F", "0x1p3f", ".5f"})
    CHECK(numberForm(text).isSingle);
  for (llvm::StringRef text : {"0x1f", "1.5", "0xep3", "1e5"})
    CHECK_FALSE(numberForm(text).isSingle);
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
