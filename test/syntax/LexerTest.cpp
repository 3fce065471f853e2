#include "Fixture.h"

#include "catch2/catch.hpp"

using tsk::test::Fixture;
using Strings = std::vector<std::string>;

TEST_CASE("a number never swallows a range") {
  Fixture range("0..n 1 ..2 3 .. 4 5.0..6.0 0x10..0x20 1'000..2");
  CHECK(range.tokens() == "Integer DotDot Identifier Integer DotDot Integer Integer DotDot Integer "
                          "Float DotDot Float Integer DotDot Integer Integer DotDot Integer");
  CHECK(range.reports.empty());
}

TEST_CASE("integers and floats are told apart as in C++") {
  CHECK(Fixture("1 1'000 0x1F 0b101 017 1u 1ULL").tokens() ==
        "Integer Integer Integer Integer Integer Integer Integer");
  CHECK(Fixture("1.0 1. .5 1e3 1e-3 1.5e+3f 0x1p3 0x1.8p-1").tokens() ==
        "Float Float Float Float Float Float Float Float");
  // The sign after a hexadecimal e is an operator, unlike in C++, where it is an error.
  CHECK(Fixture("0x1e+3").tokens() == "Integer Plus Integer");
  CHECK(Fixture("a.b 1.x").tokens() == "Identifier Dot Identifier Float");
}

TEST_CASE("swizzle spans are one token") {
  CHECK(Fixture("32B 64B 128B").tokens() == "SwizzleSpan SwizzleSpan SwizzleSpan");
  CHECK(Fixture("16B 128Bx 0x32B").tokens() == "Integer Integer Integer");
}

TEST_CASE("keywords are whole words, contextual ones are names") {
  CHECK(Fixture("kernel kernels Kernel").tokens() == "KwKernel Identifier Identifier");
  CHECK(Fixture("task produce await in reversed 32").tokens() ==
        "Identifier Identifier Identifier Identifier Identifier Integer");
}

TEST_CASE("the longest mark wins") {
  CHECK(Fixture("<-> -> <- <= < - ==").tokens() ==
        "ExchangeArrow Arrow Less Minus LessEqual Less Minus EqualEqual");
  CHECK(Fixture("a<-b").tokens() == "Identifier Less Minus Identifier");
  CHECK(Fixture(">> :: .. ... ++ +=").tokens() ==
        "Greater Greater ColonColon DotDot Ellipsis PlusPlus PlusEqual");
}

TEST_CASE("comments are C++'s") {
  CHECK(Fixture("a // b\nc /* d\n e */ f /* // */ g // /*\nh").tokens() ==
        "Identifier Identifier Identifier Identifier Identifier");
  CHECK(Fixture("a // goes on \\\n here\nb").tokens() == "Identifier Identifier");
  CHECK(Fixture("a // goes on \\\r\n here\r\nb").tokens() == "Identifier Identifier");
  Fixture open("a /* b\n c");
  CHECK(open.tokens() == "Identifier");
  CHECK(open.reports == Strings{"1:3: UnterminatedComment"});
}

TEST_CASE("strings end on their line") {
  Fixture good(R"("a\"b" "" "\\" "// no comment")");
  CHECK(good.tokens() == "String String String String");
  CHECK(good.reports.empty());
  Fixture open("x \"ab\ny");
  CHECK(open.tokens() == "Identifier String Identifier");
  CHECK(open.reports == Strings{"1:3: UnterminatedString"});
  Fixture atEnd("\"ab\\");
  CHECK(atEnd.tokens() == "String");
  CHECK(atEnd.reports == Strings{"1:1: UnterminatedString"});
}

TEST_CASE("a byte-order mark and NUL bytes are passed over") {
  Fixture marked("\xEF\xBB\xBF"
                 "kernel");
  CHECK(marked.tokens() == "KwKernel");
  CHECK(marked.reports.empty());
  Fixture nul(llvm::StringRef("a\0b", 3));
  CHECK(nul.tokens() == "Identifier Identifier");
}

TEST_CASE("a run of unexpected characters is one error") {
  Fixture run("a @@#$ b \xC3\xA9\xC3\xA9 c");
  CHECK(run.tokens() == "Identifier Identifier Identifier");
  CHECK(run.reports == Strings{"1:3: UnexpectedCharacter", "1:10: UnexpectedCharacter"});
}

TEST_CASE("bad encoding is found wherever it stands") {
  auto reportsOf = [](llvm::StringRef text) {
    Fixture fixture(text);
    tsk::syntax::SyntaxErrors errors(fixture.engine);
    tsk::syntax::checkEncoding(fixture.sources, fixture.buffer, errors);
    return fixture.reports;
  };
  CHECK(reportsOf("// \xFF\n").front() == "1:4: InvalidUtf8");
  CHECK(reportsOf("a\n\"\xC3\"").front() == "2:2: InvalidUtf8");         // cut short
  CHECK(reportsOf("cpp { \xC0\x80 }").front() == "1:7: InvalidUtf8");    // overlong
  CHECK(reportsOf("\xED\xA0\x80").front() == "1:1: InvalidUtf8");        // a surrogate
  CHECK(reportsOf("\xF4\x90\x80\x80").front() == "1:1: InvalidUtf8");    // past U+10FFFF
  CHECK(reportsOf("// \xC3\xA9 \xE2\x80\xA6 \xF0\x9F\x98\x80").empty()); // é … 😀
  CHECK(reportsOf(llvm::StringRef("a\0\0b", 4)) == Strings{"1:2: NulByte"});
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "\xFF ";
  CHECK(reportsOf(many).size() == 8);
}

TEST_CASE("tokens know whether they begin a line") {
  Fixture fixture("a b\n/* c */ d /*\n*/ e");
  tsk::syntax::SyntaxErrors errors(fixture.engine);
  tsk::syntax::Lexer lexer(fixture.sources, fixture.buffer, errors);
  CHECK(lexer.next().startsLine);
  CHECK_FALSE(lexer.next().startsLine);
  CHECK(lexer.next().startsLine);
  CHECK(lexer.next().startsLine);
}
