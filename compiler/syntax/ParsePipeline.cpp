// Pipelines and their options.
#include "compiler/syntax/ParserImpl.h"

namespace tsk::syntax {

// In the order of ast::Mechanism.
static constexpr llvm::StringRef MechanismWords[] = {"async", "cp_async", "tma",    "wgmma",
                                                     "umma",  "clc",      "remote", "cta"};

bool Parser::isMechanism(llvm::StringRef word) { return llvm::is_contained(MechanismWords, word); }

const ast::Pipeline *Parser::parsePipeline() {
  SourceLoc begin = consume().range.begin;
  auto *pipeline = make<ast::Pipeline>();
  if (!parseMechanisms(pipeline->producers))
    return nullptr;
  pipeline->isExchange = at(TokenKind::ExchangeArrow);
  if (!accept(TokenKind::ExchangeArrow) &&
      !expect(TokenKind::Arrow, "(or `<->`) and the consumer's mechanism"))
    return nullptr;
  if (!parseMechanisms(pipeline->consumers) ||
      !expectWord("stages", "and the number of stages, after the mechanisms"))
    return nullptr;
  pipeline->stages = parseExpr();
  if (!pipeline->stages)
    return nullptr;
  if (at(TokenKind::LeftBrace) ? !parsePipelineOptions(*pipeline)
                               : !expectSemicolon("the pipeline"))
    return nullptr;
  return done(pipeline, begin);
}

bool Parser::parseMechanisms(ast::List<ast::MechanismUse> &list) {
  Items<ast::MechanismUse> uses;
  do {
    std::optional<ast::MechanismUse> use = parseMechanism("as the mechanism");
    if (!use)
      return false;
    uses.push_back(*use);
  } while (accept(TokenKind::Plus));
  list = file.list(llvm::ArrayRef(uses));
  return true;
}

std::optional<ast::MechanismUse> Parser::parseMechanism(llvm::StringRef what) {
  SourceRange range = tok().range;
  std::optional<unsigned> kind = expectOneOf(MechanismWords, what);
  if (!kind)
    return std::nullopt;
  return ast::MechanismUse{static_cast<ast::Mechanism>(*kind), range};
}

bool Parser::parsePipelineOptions(ast::Pipeline &pipeline) {
  SourceRange open = tok().range;
  openBlock("of the pipeline's options");
  Items<ast::PipelineOption> options;
  while (!atEnd() && !at(TokenKind::RightBrace)) {
    if (endsUnclosedBlock(Scope::Plain, open))
      break;
    unsigned before = progress();
    beginItem();
    ast::PipelineOption option;
    if (parsePipelineOption(option))
      options.push_back(option);
    else
      recover(Scope::Plain, before);
    if (progress() == before)
      consume();
  }
  pipeline.options = file.list(llvm::ArrayRef(options));
  return closeBlock(open);
}

bool Parser::parsePipelineOption(ast::PipelineOption &option) {
  using Option = ast::PipelineOption;
  SourceLoc begin = tok().range.begin;
  auto word = expectOneOf({"bytes", "signal", "lanes", "producer", "consumer"},
                          "as an option of the pipeline");
  if (!word)
    return false;
  bool isRead = false;
  if (*word == 0) {
    option.kind = Option::Kind::Bytes;
    if (atWord("per") && peek(1).isWord("warp")) {
      consume();
      consume();
      if (!expectWord("per", "after `bytes per warp`") ||
          !expectWord("cta", "after `bytes per warp per`"))
        return false;
      option.kind = Option::Kind::BytesPerWarpPerCta;
    }
    option.value = parseExpr();
    isRead = option.value != nullptr;
  } else if (*word == 1) {
    option.kind = Option::Kind::Signal;
    auto side = expectOneOf({"producer", "consumer", "wait"}, "after `signal`");
    auto by =
        side ? expectOneOf({"all", "cta_leader", "warp_leader"}, "as who signals") : std::nullopt;
    option.side = static_cast<Option::Side>(side.value_or(0) + 1);
    option.signal = static_cast<Option::SignalBy>(by.value_or(0));
    isRead = by.has_value();
  } else {
    option.kind = Option::Kind::Lanes;
    option.side = *word == 2   ? Option::Side::Both
                  : *word == 3 ? Option::Side::Producer
                               : Option::Side::Consumer;
    isRead = (*word == 2 || expectWord("lanes", "after the side")) && parseLanes(option);
  }
  if (!isRead || !expectSemicolon("the option"))
    return false;
  option.range = from(begin);
  return true;
}

// by warp, by 4, 4, (2, 4)
bool Parser::parseLanes(ast::PipelineOption &option) {
  using By = ast::PipelineOption::LanesBy;
  if (atWord("by") && !peek(1).is(TokenKind::Semicolon)) {
    consume();
    option.lanesBy = atWord("warp")   ? By::Warp
                     : atWord("tile") ? By::Tile
                     : atWord("rank") ? By::Rank
                     : atWord("task") ? By::Task
                                      : By::None;
    if (option.lanesBy != By::None) {
      consume();
      return true;
    }
  } else if (at(TokenKind::LeftParen)) {
    return parseParenExprs("after `lanes`", option.lanes);
  }
  const ast::Expr *count = parseExpr();
  if (count)
    option.lanes = file.list(llvm::ArrayRef(count));
  return count != nullptr;
}

} // namespace tsk::syntax
