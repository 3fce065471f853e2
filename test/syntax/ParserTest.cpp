// What text tests cannot show well: limits, long and hostile inputs, the shape of trees.
#include "Fixture.h"
#include "compiler/syntax/AstDump.h"

#include "catch2/catch.hpp"

using namespace tsk;
using tsk::test::Fixture;
using Strings = std::vector<std::string>;

static std::string repeat(llvm::StringRef text, size_t count) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += text;
  return result;
}

static size_t errorsOf(llvm::StringRef text, llvm::StringRef kind) {
  Fixture fixture(text);
  fixture.parse();
  for (const std::string &report : fixture.reports)
    CHECK(llvm::StringRef(report).ends_with(kind));
  return fixture.reports.size();
}

static const ast::Expr &valueOf(const ast::File &file) {
  return *llvm::cast<ast::ConstDecl>(file.decls[0])->value;
}

TEST_CASE("nesting without end gives one error") {
  constexpr size_t Deep = 100'000;
  const std::string Bodies[] = {
      "const x = " + repeat("(", Deep) + "1" + repeat(")", Deep) + ";",
      "const x = " + repeat("(", Deep),
      "const x = " + repeat("- ", Deep) + "1;",
      "const x = " + repeat("!~", Deep) + "1;",
      "const x = " + repeat("f(", Deep),
      "const x = " + repeat("a[", Deep),
      "const x = " + repeat("{", Deep),
      "const x = " + repeat("a ? ", Deep),
      "const x = " + repeat("a ? b : ", Deep) + "c;",
      "const x : " + repeat("a<", Deep),
      "kernel k() { schedule s " + repeat("{ if (a) ", Deep),
      "kernel k() { schedule s { " + repeat("for i in 0 .. n { ", Deep),
      "kernel k() { schedule s { " + repeat("static for i in 0 .. n { ", Deep),
      "kernel k() { " + repeat("static if (a) { ", Deep),
      "kernel k() { resource r : smem { " + repeat("static if (a) { ", Deep),
  };
  for (const std::string &text : Bodies) {
    INFO(text.substr(0, 60));
    CHECK(errorsOf(text, "NestingTooDeep") == 1);
  }
}

TEST_CASE("chains are no nesting") {
  constexpr size_t Long = 100'000;
  const std::string Bodies[] = {
      "const x = a" + repeat(" + a", Long) + ";",
      "const x = a" + repeat(" && a", Long) + ";",
      "const x = a" + repeat(".a", Long) + ";",
      "const x = a" + repeat("(1)", Long) + ";",
      "const x = a" + repeat("[1]", Long) + ";",
      "kernel k() { schedule s { " + repeat("if (a) { } else ", Long) + "{ } } }",
      "kernel k() { schedule s { " + repeat("static if (a) { } else ", Long) + "{ } } }",
      "kernel k() { " + repeat("static if (a) { } else ", Long) + "{ } }",
      "kernel k() { resource r : smem { " + repeat("static if (a) { } else ", Long) + "{ } } }",
  };
  for (const std::string &text : Bodies) {
    INFO(text.substr(0, 60));
    CHECK(errorsOf(text, "") == 0);
  }
}

TEST_CASE("the limit itself is allowed") {
  CHECK(errorsOf("const x = " + repeat("(", 254) + "1" + repeat(")", 254) + ";", "") == 0);
  CHECK(errorsOf("const x = 1" + repeat(" + 1", 254) + ";", "") == 0);
  CHECK(errorsOf("kernel k() { schedule s " + repeat("{ if (a) ", 250) + "{ }" + repeat("}", 250) +
                     "}",
                 "") == 0);
}

TEST_CASE("braces of a body may nest without end") {
  CHECK(errorsOf("cpp " + repeat("{", 100'000) + repeat("}", 100'000), "") == 0);
}

TEST_CASE("no text gives more than a screen of errors") {
  std::string binary;
  uint32_t state = 1;
  for (size_t i = 0; i < 1'000'000; ++i) {
    state = state * 1664525 + 1013904223;
    binary += static_cast<char>(state >> 24);
  }
  const std::string Texts[] = {
      binary,
      repeat(";", 1'000'000),
      repeat("{", 1'000'000),
      repeat("}", 1'000'000),
      repeat("a b c\n", 200'000),
      repeat("resource ", 100'000),
      repeat("kernel k(", 100'000),
      repeat("@ ", 500'000),
      repeat("\"\n", 500'000),
      "kernel k() { schedule s { " + repeat("x y;\n", 200'000),
      "kernel k() { resource r : smem { " + repeat("x y;\n", 200'000),
  };
  for (const std::string &text : Texts) {
    Fixture fixture(text);
    fixture.parse();
    INFO(fmt::format("{:.40}", text));
    CHECK(!fixture.reports.empty());
    CHECK(fixture.reports.size() <= 32);
  }
}

TEST_CASE("operators bind as in C++") {
  auto text = [](llvm::StringRef expr) {
    Fixture fixture(("const x = " + expr + ";").str());
    auto file = fixture.parse();
    REQUIRE(fixture.reports.empty());
    return toString(valueOf(*file));
  };
  CHECK(text("1 + 2 * 3 - 4") == "((1 + (2 * 3)) - 4)");
  CHECK(text("a ^ b + c") == "(a ^ (b + c))");
  CHECK(text("a - b ^ c") == "((a - b) ^ c)");
  CHECK(text("a < b && c == d || e") == "(((a < b) && (c == d)) || e)");
  CHECK(text("a || b && c") == "(a || (b && c))");
  CHECK(text("-a.b * !c[1](2)") == "((-a.b) * (!c[1](2)))");
  CHECK(text("a ? b : c ? d : e") == "(a ? b : (c ? d : e))");
  CHECK(text("a % b / c * d") == "(((a % b) / c) * d)");
  CHECK(text("a <-b") == "(a < (-b))");
  CHECK(text("f(x = 1, {2, y = 3}, \"s\\n\")") == "f(x = 1, {2, y = 3}, \"s\\x0a\")");
}

TEST_CASE("ranges of nodes cover their text") {
  llvm::StringRef source = "const x = a + f(b) * c.d;";
  Fixture fixture(source);
  auto file = fixture.parse();
  auto textOf = [&](SourceRange range) { return fixture.sources.text(range).str(); };
  CHECK(textOf(file->decls[0]->range) == source);
  const auto *sum = llvm::cast<ast::BinaryExpr>(&valueOf(*file));
  CHECK(textOf(sum->range) == "a + f(b) * c.d");
  CHECK(textOf(sum->opRange) == "+");
  const auto *product = llvm::cast<ast::BinaryExpr>(sum->right);
  CHECK(textOf(product->left->range) == "f(b)");
  CHECK(textOf(product->right->range) == "c.d");
  CHECK(sum->height == 4); // + * f(b) b
}

TEST_CASE("a body's text and range") {
  Fixture fixture("cpp { int x; }");
  auto file = fixture.parse();
  const ast::Body &body = llvm::cast<ast::CppDecl>(file->decls[0])->body;
  CHECK(body.text == " int x; ");
  CHECK(fixture.sources.text(body.range) == "{ int x; }");
  CHECK(fixture.sources.presumed(body.textBegin()).column == 6);
}

TEST_CASE("an unreadable head does not cost the block") {
  Fixture fixture(
      "kernel k(in x tensor<f32>[n]) {\n  grid (1);\n  schedule s { a b; c.d(); }\n}\n");
  auto file = fixture.parse();
  CHECK(fixture.reports == Strings{"1:15: ExpectedToken", "3:16: UnknownStatement"});
  const auto *kernel = llvm::cast<ast::KernelDecl>(file->decls[0]);
  REQUIRE(kernel->items.size() == 2);
  const auto *schedule = llvm::cast<ast::ScheduleDecl>(kernel->items[1]);
  CHECK(schedule->body.stmts.size() == 1);
}
