// A text in memory and what was reported about it.
#pragma once

#include "compiler/support/Diagnostics.h"
#include "compiler/syntax/Formatter.h"
#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/Parser.h"

namespace tsk::test {

struct Fixture : DiagnosticConsumer {
  explicit Fixture(llvm::StringRef text) {
    buffer = sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "test.tsk");
  }
  void handle(const Report &report) override {
    PresumedLoc loc = sources.presumed(report.range.begin);
    reports.push_back(
        fmt::format("{}:{}: {}", loc.line, loc.column, diagnosticInfo(report.kind).name));
  }

  // "Identifier Dot Identifier", without the end of the file.
  std::string tokens() {
    syntax::SyntaxErrors errors(engine);
    syntax::Lexer lexer(sources, buffer, errors);
    std::string kinds;
    for (syntax::Token token = lexer.next(); !token.is(syntax::TokenKind::EndOfFile);
         token = lexer.next()) {
      kinds += (kinds.empty() ? "" : " ") + name(token.kind).str();
      texts.push_back(token.text.str());
    }
    return kinds;
  }
  std::unique_ptr<ast::File> parse() { return syntax::parseFile(sources, buffer, engine); }
  std::optional<std::string> format() { return syntax::format(sources, buffer, engine); }

  SourceManager sources;
  SourceLoc buffer;
  DiagnosticEngine engine{*this};
  std::vector<std::string> reports;
  std::vector<std::string> texts;
};

} // namespace tsk::test
