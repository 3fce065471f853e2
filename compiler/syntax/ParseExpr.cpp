// Expressions, by precedence climbing.
#include "compiler/syntax/Literal.h"
#include "compiler/syntax/ParserImpl.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

namespace tsk::syntax {

constexpr Diagnostic<> ChainedComparison{
    kind::ChainedComparison,
    "comparisons do not chain; write `a < b && b < c`, or use parentheses"};
constexpr Diagnostic<> AssignmentAsCondition{
    kind::AssignmentAsCondition, "`=` assigns and cannot stand in a condition; `==` compares"};
constexpr Diagnostic<llvm::StringRef> MissingParentheses{kind::MissingParentheses,
                                                         "the condition {} stands in parentheses"};

namespace {

enum Precedence : unsigned { None, Or, And, Relation, Xor, Sum, Product };

struct Operator {
  Precedence precedence = None;
  ast::BinaryOp op = ast::BinaryOp::Add;
};

Operator operatorOf(TokenKind kind) {
  switch (kind) {
  case TokenKind::OrOr:
    return {Or, ast::BinaryOp::Or};
  case TokenKind::AndAnd:
    return {And, ast::BinaryOp::And};
  case TokenKind::EqualEqual:
    return {Relation, ast::BinaryOp::Eq};
  case TokenKind::NotEqual:
    return {Relation, ast::BinaryOp::Ne};
  case TokenKind::LessEqual:
    return {Relation, ast::BinaryOp::Le};
  case TokenKind::GreaterEqual:
    return {Relation, ast::BinaryOp::Ge};
  case TokenKind::Less:
    return {Relation, ast::BinaryOp::Lt};
  case TokenKind::Greater:
    return {Relation, ast::BinaryOp::Gt};
  case TokenKind::Caret:
    return {Xor, ast::BinaryOp::Xor};
  case TokenKind::Plus:
    return {Sum, ast::BinaryOp::Add};
  case TokenKind::Minus:
    return {Sum, ast::BinaryOp::Sub};
  case TokenKind::Star:
    return {Product, ast::BinaryOp::Mul};
  case TokenKind::Slash:
    return {Product, ast::BinaryOp::Div};
  case TokenKind::Percent:
    return {Product, ast::BinaryOp::Rem};
  default:
    return {};
  }
}

} // namespace

// Notes how deep the tree under `node` nests. `chain`, if any, is what a longer chain continues:
// `a + a` in `a + a + a`, `a.b` in `a.b.b`.
template <typename Node>
Node *Parser::grow(Node *node, llvm::ArrayRef<const ast::Expr *> children, const ast::Expr *chain) {
  unsigned height = chain ? chain->height - 1u : 0;
  for (const ast::Expr *child : children)
    height = std::max<unsigned>(height, child->height);
  if (height >= MaxNesting) {
    reportTooDeep();
    return nullptr;
  }
  node->height = static_cast<uint16_t>(height + 1);
  return node;
}

const ast::Expr *Parser::parseExpr() {
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  const ast::Expr *condition = parseUnary();
  if (condition)
    condition = parseBinary(condition, Or);
  if (!condition || !accept(TokenKind::Question))
    return condition;
  auto *node = make<ast::ConditionalExpr>();
  node->condition = condition;
  node->whenTrue = parseExpr();
  gap(TracedToken::Gap::Spaced);
  if (!node->whenTrue || !expect(TokenKind::Colon, "of the conditional expression"))
    return nullptr;
  node->whenFalse = parseExpr();
  if (!node->whenFalse || !grow(node, {condition, node->whenTrue, node->whenFalse}))
    return nullptr;
  return done(node, condition->range.begin);
}

const ast::Expr *Parser::parseAngleExpr() {
  const ast::Expr *left = parseUnary();
  static_assert(AngleMinPrecedence == Xor);
  return left ? parseBinary(left, AngleMinPrecedence) : nullptr;
}

const ast::Expr *Parser::parseBinary(const ast::Expr *first, unsigned minPrecedence) {
  for (const ast::Expr *left = first;;) {
    Operator found = operatorOf(tok().kind);
    if (found.precedence < minPrecedence || found.precedence == None)
      return left;
    if (reportShift())
      return nullptr;
    SourceRange opRange = consume().range;
    const ast::Expr *right = parseUnary();
    // What binds tighter on the right belongs to the right operand: at most one level a rank.
    if (right)
      right = parseBinary(right, found.precedence + 1);
    if (!right)
      return nullptr;
    auto *node = make<ast::BinaryExpr>();
    node->op = found.op;
    node->opRange = opRange;
    node->left = left;
    node->right = right;
    if (!(left == first ? grow(node, {left, right}) : grow(node, {right}, left)))
      return nullptr;
    if (found.precedence == Relation && operatorOf(tok().kind).precedence == Relation) {
      error(tok().range, ChainedComparison);
      return nullptr;
    }
    left = done(node, left->range.begin);
  }
}

const ast::Expr *Parser::parseUnary() {
  if (!at(TokenKind::Minus) && !at(TokenKind::Not) && !at(TokenKind::Tilde)) {
    bool isLiteral = at(TokenKind::Integer) || at(TokenKind::Float) || at(TokenKind::String);
    const ast::Expr *primary = parsePrimary();
    return !primary || isLiteral ? primary : parsePostfix(primary);
  }
  Nesting nesting(*this);
  if (!nesting)
    return nullptr;
  auto *node = make<ast::UnaryExpr>();
  node->op = at(TokenKind::Minus) ? ast::UnaryOp::Negate
             : at(TokenKind::Not) ? ast::UnaryOp::Not
                                  : ast::UnaryOp::Complement;
  SourceLoc begin = consume().range.begin;
  tightAfter();
  // `- -x`: tight, the two would be one token.
  if (at(TokenKind::Minus) && node->op == ast::UnaryOp::Negate)
    gap(TracedToken::Gap::Spaced);
  node->operand = parseUnary();
  if (!node->operand || !grow(node, {node->operand}))
    return nullptr;
  return done(node, begin);
}

const ast::Expr *Parser::parsePostfix(const ast::Expr *primary) {
  for (const ast::Expr *base = primary;;) {
    Items<const ast::Expr *> children;
    const ast::Expr *chain = base;
    if (base == primary) {
      children.push_back(primary);
      chain = nullptr;
    }
    if (accept(TokenKind::Dot)) {
      auto *member = make<ast::MemberExpr>();
      member->base = base;
      member->member = expectName("a member, after `.`");
      if (!member->member || !grow(member, children, chain))
        return nullptr;
      base = done(member, base->range.begin);
    } else if (at(TokenKind::LeftParen)) {
      auto *call = make<ast::CallExpr>();
      call->callee = base;
      if (!parseCallArgs(call->args))
        return nullptr;
      for (const ast::Arg &arg : call->args)
        children.push_back(arg.value);
      if (!grow(call, children, chain))
        return nullptr;
      base = done(call, base->range.begin);
    } else if (at(TokenKind::LeftBracket)) {
      consume();
      auto *index = make<ast::IndexExpr>();
      index->base = base;
      index->index = parseExpr();
      if (!index->index || !expect(TokenKind::RightBracket, "after the index"))
        return nullptr;
      children.push_back(index->index);
      if (!grow(index, children, chain))
        return nullptr;
      base = done(index, base->range.begin);
    } else {
      return base;
    }
  }
}

const ast::Expr *Parser::parsePrimary() {
  SourceLoc begin = tok().range.begin;
  switch (tok().kind) {
  case TokenKind::Integer: {
    auto *node = make<ast::IntExpr>();
    node->value = decodeInteger(tok(), errors);
    consume();
    return done(node, begin);
  }
  case TokenKind::Float: {
    auto *node = make<ast::FloatExpr>();
    node->value = decodeFloat(tok(), errors);
    consume();
    return done(node, begin);
  }
  case TokenKind::String: {
    auto *node = make<ast::StringExpr>();
    node->value = file.string(decodeString(tok(), errors));
    llvm::StringRef spelled = consume().text;
    if (spelled.size() < 2 || !spelled.ends_with("\""))
      excuseNext(); // unterminated: it took the `;` with it
    return done(node, begin);
  }
  case TokenKind::LeftParen: {
    gap(TracedToken::Gap::Spaced);
    consume();
    auto *node = make<ast::ParenExpr>();
    node->inner = parseExpr();
    if (!node->inner || !expect(TokenKind::RightParen, "to close the parenthesis") ||
        !grow(node, node->inner))
      return nullptr;
    return done(node, begin);
  }
  case TokenKind::LeftBrace: {
    consume();
    tightAfter();
    auto *node = make<ast::ListExpr>();
    if (!parseArgs(TokenKind::RightBrace, node->items))
      return nullptr;
    Items<const ast::Expr *> children;
    for (const ast::Arg &arg : node->items)
      children.push_back(arg.value);
    return grow(node, children) ? done(node, begin) : nullptr;
  }
  case TokenKind::Identifier:
    return parseName();
  default:
    unexpected("an expression");
    return nullptr;
  }
}

const ast::Expr *Parser::parseName() {
  SourceLoc begin = tok().range.begin;
  auto *node = make<ast::NameExpr>();
  return parseQualifiedName(node->parts, "an expression") ? done(node, begin) : nullptr;
}

bool Parser::parseQualifiedName(ast::List<ast::Name> &parts, llvm::StringRef what) {
  Items<ast::Name> list;
  do {
    if (!expectNameFor(what))
      return false;
    list.push_back(nameOf(consume()));
  } while (accept(TokenKind::ColonColon));
  parts = file.list(llvm::ArrayRef(list));
  return true;
}

bool Parser::parseCondition(llvm::StringRef what, const ast::Expr *&condition) {
  condition = make<ast::ErrorExpr>(); // so that what follows the condition can be kept
  if (!at(TokenKind::LeftParen)) {
    error(tok().range, MissingParentheses, what);
    return false;
  }
  gap(TracedToken::Gap::Spaced);
  consume();
  const ast::Expr *read = parseExpr();
  if (!read)
    return false;
  condition = read;
  if (at(TokenKind::Equal)) {
    error(tok().range, AssignmentAsCondition).fixit(tok().range, "==", "write `==`");
    consume();
    const ast::Expr *right = parseExpr(); // as if `==` stood there
    return right && expect(TokenKind::RightParen, "after the condition");
  }
  return expect(TokenKind::RightParen, "after the condition");
}

// Expressions up to and with the closing mark; at least one.
bool Parser::parseExprList(TokenKind close, llvm::StringRef what,
                           ast::List<const ast::Expr *> &list) {
  Items<const ast::Expr *> exprs;
  do {
    const ast::Expr *expr = parseExpr();
    if (!expr)
      return false;
    exprs.push_back(expr);
  } while (accept(TokenKind::Comma));
  list = file.list(llvm::ArrayRef(exprs));
  return expect(close, what);
}

bool Parser::parseParenExprs(llvm::StringRef what, ast::List<const ast::Expr *> &list) {
  gap(TracedToken::Gap::Spaced);
  return expect(TokenKind::LeftParen, what) &&
         parseExprList(TokenKind::RightParen, "to close the parenthesis", list);
}

// Arguments up to and with the closing mark.
bool Parser::parseArgs(TokenKind close, ast::List<ast::Arg> &args) {
  Items<ast::Arg> list;
  if (!at(close)) {
    do {
      ast::Arg arg;
      SourceLoc begin = tok().range.begin;
      if (at(TokenKind::Identifier) && peek(1).is(TokenKind::Equal)) {
        arg.name = nameOf(consume());
        consume();
      }
      arg.value = parseExpr();
      if (!arg.value)
        return false;
      arg.range = from(begin);
      list.push_back(arg);
    } while (accept(TokenKind::Comma));
  }
  args = file.list(llvm::ArrayRef(list));
  gap(TracedToken::Gap::Tight);
  return expect(close, "after the arguments");
}

bool Parser::parseCallArgs(ast::List<ast::Arg> &args) {
  gap(TracedToken::Gap::Tight);
  return expect(TokenKind::LeftParen, "and the arguments") &&
         parseArgs(TokenKind::RightParen, args);
}

} // namespace tsk::syntax
