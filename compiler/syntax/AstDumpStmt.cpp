// Statements of schedules and tests.
#include "compiler/syntax/AstDumper.h"

namespace tsk::ast {

void Dumper::test(const TestDecl &node) {
  line(node.range,
       "test " + node.name.text +
           (node.compileTimeArgs.empty() ? "" : " <" + list(node.compileTimeArgs) + ">") + " (" +
           list(node.args) + ")");
  inside([&] {
    for (const TestStmt &child : node.stmts) {
      switch (child.kind) {
      case TestStmt::Kind::Run:
        line(child.range, "run (" + list(child.args) + ")");
        break;
      case TestStmt::Kind::ExpectFault:
        line(child.range, "expect fault " + child.name.text);
        break;
      case TestStmt::Kind::Expect:
        line(child.range, "expect " + toString(*child.expr));
        break;
      case TestStmt::Kind::Cpp:
        line(child.range, "cpp");
        inside([&] { body(child.body); });
        break;
      case TestStmt::Kind::Let:
        line(child.range, "let " + child.name.text + " = " + toString(*child.expr));
        break;
      case TestStmt::Kind::Tensor:
        line(child.range, "tensor " + child.name.text + " of " + toString(*child.elementType) +
                              " [" + list(child.dims) + "]");
        break;
      case TestStmt::Kind::Expr:
        line(child.range, "expr " + toString(*child.expr));
        break;
      }
    }
  });
}

static std::string bounds(bool isReversed, const Expr *lower, const Expr *upper, const Expr *step) {
  return std::string(isReversed ? " in reversed " : " in ") + toString(*lower) + " .. " +
         toString(*upper) + optional("step", step);
}

void Dumper::stmt(const Stmt &node) {
  auto loop = [&](const llvm::Twine &head, const Block &children) {
    line(node.range, head);
    inside([&] { block(children); });
  };
  switch (node.kind) {
  case Stmt::Kind::Let: {
    const auto *let = llvm::cast<LetStmt>(&node);
    std::string names = let->isTuple ? "(" + list(let->names) + ")" : list(let->names);
    return line(node.range, "let " + names + " = " + toString(*let->value));
  }
  case Stmt::Kind::Var: {
    const auto *var = llvm::cast<VarStmt>(&node);
    return line(node.range,
                "var " + var->name.text + withType(var->type) + " = " + toString(*var->value));
  }
  case Stmt::Kind::Assign: {
    const auto *assign = llvm::cast<AssignStmt>(&node);
    std::string names = assign->isTuple ? "(" + list(assign->names) + ")" : list(assign->names);
    return line(node.range, "assign " + names + " = " + toString(*assign->value));
  }
  case Stmt::Kind::Expr:
    return line(node.range, "expr " + toString(*llvm::cast<ExprStmt>(&node)->expr));
  case Stmt::Kind::For: {
    const auto *child = llvm::cast<ForStmt>(&node);
    return loop("for " + child->variable.text +
                    bounds(child->isReversed, child->lower, child->upper, child->step) +
                    optional("unroll", child->unroll),
                child->body);
  }
  case Stmt::Kind::QueueFor: {
    const auto *child = llvm::cast<QueueForStmt>(&node);
    return loop("for-queue " + child->variable.text + " in " + toString(*child->queue) +
                    optional("share", child->shareIndex) + optional("of", child->shareCount),
                child->body);
  }
  case Stmt::Kind::ParallelFor: {
    const auto *child = llvm::cast<ParallelForStmt>(&node);
    return loop("parallel-for " + child->variable.text +
                    bounds(false, child->lower, child->upper, child->step) + " across " +
                    spelling(child->across) + optional("unroll", child->unroll),
                child->body);
  }
  case Stmt::Kind::StaticFor: {
    const auto *child = llvm::cast<StaticForStmt>(&node);
    return loop("static-for " + child->variable.text +
                    bounds(false, child->lower, child->upper, child->step),
                child->body);
  }
  case Stmt::Kind::If:
    return ifChain("if", *llvm::cast<IfStmt>(&node));
  case Stmt::Kind::StaticIf:
    return ifChain("static-if", *llvm::cast<StaticIfStmt>(&node));
  case Stmt::Kind::Await: {
    const auto *await = llvm::cast<AwaitStmt>(&node);
    return line(node.range, "await " + toString(await->target) + optional("but", await->but) +
                                (await->read ? " read" : ""));
  }
  }
}

} // namespace tsk::ast
