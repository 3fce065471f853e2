#include "compiler/ir/ExprText.h"

#include <catch2/catch.hpp>

using namespace tsk;
using namespace tsk::ir;

namespace {

struct Collector : DiagnosticConsumer {
  std::vector<std::string> messages;
  void handle(const Report &report) override { messages.push_back(report.message); }
};

// Reads and prints one expression over `n` (i32), `big` (i64) and the constant BOX.
struct RoundTrip {
  SourceManager sources;
  Collector collector;
  DiagnosticEngine diags{collector};
  ValueTables tables;
  ExprScope scope;
  ExprNames names{{"n", "big", "on"}, {"BOX"}};

  RoundTrip() {
    scope.scalars["n"] = {ScalarId{0}, Type::ofScalar(ScalarType::I32)};
    scope.scalars["big"] = {ScalarId{1}, Type::ofScalar(ScalarType::I64)};
    scope.scalars["on"] = {ScalarId{2}, Type::ofScalar(ScalarType::Bool)};
    scope.constants["BOX"] = {ConstantId{0}, ConstantScalar::ofInt(64)};
  }

  ExprId read(llvm::StringRef text) {
    SourceLoc begin = sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "e");
    TextReader reader(sources, begin, diags);
    ExprId id = readExpr(reader, tables, scope);
    if (!reader.failed() && !reader.atEnd())
      reader.unexpected("the end");
    return reader.failed() ? ExprId{} : id;
  }
  std::string print(ExprId id) {
    std::string text;
    llvm::raw_string_ostream os(text);
    printExpr(os, tables, names, id);
    return text;
  }
  std::string operator()(llvm::StringRef text) {
    ExprId id = read(text);
    if (id)
      return print(id);
    REQUIRE(!collector.messages.empty());
    return "error: " + collector.messages.back();
  }
};

} // namespace

TEST_CASE("expressions print as they read") {
  for (const char *text : {"n + 1",
                           "n - (1 - n)",
                           "n - 1 - n",
                           "(n + 1) * BOX",
                           "n * 2 % 3",
                           "block.x * BOX",
                           "-n",
                           "-5",
                           "-(5)",
                           "-(-n)",
                           "!on",
                           "!(n < 1)",
                           "~n",
                           "n ^ 3 + 1",
                           "(n ^ 3) + 1",
                           "(n ^ 3) * 2",
                           "n < 1 && big > 2 || on",
                           "n < 1 && (on || on)",
                           "on ? n : 2",
                           "(on ? on : on) ? 1 : 2",
                           "ceil_div(n, BOX)",
                           "min(n, 5L)",
                           "max(n, big)",
                           "5L",
                           "5u",
                           "18446744073709551615uL",
                           "0.5",
                           "3.0",
                           "0.25f",
                           "1e-05",
                           "u8(5)",
                           "f16(0.5)",
                           "true",
                           "grid.z",
                           "cluster.rank",
                           "inst",
                           "2147483648L",
                           "-9223372036854775808L",
                           "every(n, 4)"}) {
    RoundTrip trip;
    CHECK(trip(text) == text);
  }
}

TEST_CASE("superfluous parentheses go, types are inferred") {
  RoundTrip trip;
  CHECK(trip("((n) + (1 * 2))") == "n + 1 * 2");
  CHECK(trip("0x10") == "16");
  ExprId sum = trip.read("n + big");
  CHECK(trip.tables.exprs[sum].type == Type::ofScalar(ScalarType::I64));
  CHECK(trip.tables.exprs[sum].uniformity == Uniformity::Kernel);
  CHECK(trip.tables.exprs[trip.read("n + block.y")].uniformity == Uniformity::Cta);
}

TEST_CASE("bad expressions are errors") {
  RoundTrip trip;
  CHECK(trip("m + 1") == "error: unknown value `m`");
  CHECK(trip("n +") == "error: expected an expression, found the end of the text");
  CHECK(trip("n + )") == "error: expected an expression, found `)`");
  CHECK(trip("n && 1") == "error: the operands of `&&` have types that do not go together");
  CHECK(trip("foo(1)") == "error: unknown function `foo`");
  CHECK(trip("min(1)") == "error: expected 2 operands of `min`, found the end of the text");
  CHECK(trip("u8(300)") == "error: the operands of `u8` have types that do not go together");
  CHECK(trip("99999999999999999999") == "error: expected a number, found `99999999999999999999`");
  CHECK(trip("block.w") == "error: unknown value `block.w`");
  CHECK(trip("\"open") == "error: the string has no end");
}

TEST_CASE("deep nesting is an error, not a crash") {
  for (const char *prefix : {"(", "-", "!", "min(", "u8(", "n ? ", "1 ? 2 : "}) {
    std::string text;
    for (int i = 0; i < 100000; ++i)
      text += prefix;
    RoundTrip trip;
    CHECK(trip(text).starts_with("error: "));
  }
}

TEST_CASE("every truncation of a text is read without a crash") {
  std::string text = "min(n ^ 3, block.x) + (on ? -5L : u8(7)) * \"s\" << 0.5f .. ::";
  for (size_t length = 0; length <= text.size(); ++length) {
    RoundTrip trip;
    trip.read(llvm::StringRef(text).take_front(length));
  }
}
