#include "compiler/ir/CppText.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace tsk::ir;

static std::string tokens(llvm::StringRef text) {
  CppLexer lexer(text);
  std::string result;
  for (CppToken t = lexer.next(); t.kind != CppToken::Kind::End; t = lexer.next())
    result += (result.empty() ? "" : "|") + t.text.str();
  return result + (lexer.isUnterminated() ? "|unterminated" : "");
}

TEST_CASE("comments, strings and numbers are single tokens or none") {
  CHECK(tokens("a /* } */ b // c\nd") == "a|b|d");
  CHECK(tokens("\"}\\\"\" + '}'") == "\"}\\\"\"|+|'}'");
  CHECK(tokens("R\"x(})\" )x\" y") == "R\"x(})\" )x\"|y");
  CHECK(tokens("1'000 0x1p-3 1e+5f a-1 0xe+1") == "1'000|0x1p-3|1e+5f|a|-|1|0xe|+|1");
  CHECK(tokens("tsk::tma_load(a->b)") == "tsk|::|tma_load|(|a|->|b|)");
  CHECK(tokens("x<:1:> <%%> %: vec<::tsk::f16> y<::>") ==
        "x|<:|1|:>|<%|%>|%:|vec|<|::|tsk|::|f16|>|y|<:|:>");
  CHECK(tokens("/* open") == "|unterminated");
  CHECK(tokens("\"open") == "\"open|unterminated");
}

TEST_CASE("the closing brace of a body is found") {
  CHECK(findClosingBrace("a }") == 2);
  CHECK(findClosingBrace("{ '}' \"}\" /* } */ // }\n } } x") == 26);
  CHECK(findClosingBrace("{ }") == llvm::StringRef::npos);
  CHECK(findClosingBrace("\"}") == llvm::StringRef::npos);
  CHECK(findClosingBrace("'a }\n }") == 6); // a stray quote ends with its line
}

TEST_CASE("a digraph is another spelling") {
  CHECK(spelledOut("<:") == "[");
  CHECK(spelledOut("%>") == "}");
  CHECK(spelledOut("<") == "<");
}
