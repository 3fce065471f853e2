// The recursive-descent parser: one function a rule of lang/grammar.ebnf, one file a family of
// constructs. A function that returns a pointer returns null after an error that costs the item.
#pragma once

#include "compiler/syntax/ParserBase.h"

namespace tsk::syntax {

class Parser : ParserBase {
public:
  Parser(const SourceManager &manager, SourceLoc buffer, SyntaxErrors &reporter, ast::File &tree,
         TokenTrace *tokenTrace)
      : ParserBase(manager, buffer, reporter, tree, tokenTrace) {}
  void parseFile();

private:
  template <typename T> using Items = llvm::SmallVector<T, 8>;

  // Parser.cpp: files
  const ast::Decl *parseFileItem();
  const ast::Decl *parseImport();
  const ast::Decl *parseCpp();
  const ast::Decl *parseConst();
  const ast::Decl *parseFunction();
  const ast::Decl *parseInstantiate();

  // ParseKernel.cpp
  const ast::Decl *parseKernel();
  bool parseKernelHead(ast::KernelDecl &kernel);
  bool parseKernelParams(llvm::StringRef owner, bool needsDims,
                         ast::List<ast::KernelParam> &params);
  bool parseKernelParam(ast::KernelParam &param, bool needsDims);
  bool parseTensorType(ast::KernelParam &param, bool needsDims);
  ast::List<const ast::Decl *> parseKernelItems(SourceRange open, bool ownLines);
  const ast::Decl *parseKernelItem();
  const ast::Decl *parseKernelWord();
  const ast::Decl *parseStaticIfDecl();
  const ast::Decl *parseRequires();
  const ast::Decl *parseGrid();
  const ast::Decl *parseCluster();
  const ast::Decl *parseTarget();
  void reportNoDeclaration(Scope scope);

  // ParseResource.cpp
  const ast::Decl *parseResource();
  const ast::Decl *parseResourceType(ast::Name name, SourceLoc begin);
  bool parseSpace(ast::Space &space);
  bool parseResourceBody(llvm::StringRef what, ast::List<ast::ResourceMember> &members);
  ast::List<ast::ResourceMember> parseMembers(SourceRange open);
  bool parseMember(ast::ResourceMember &member);
  const ast::StaticIfMember *parseStaticIfMember();
  const ast::Field *parseField();
  bool parseFieldAttr(ast::FieldAttr &attr, bool &isAttr);

  // ParseWork.cpp
  const ast::Work *parseWork(ast::WorkKind kind);
  bool parseWorkHead(ast::Work &work);
  bool parseWorkResults(ast::Work &work);
  bool reportLateResults(ast::Work &work, SourceLoc begin, const char *clauses);
  bool parseWorkClauses(ast::Work &work);
  bool parseEffects(ast::Work &work);
  static bool isMechanism(llvm::StringRef word);

  // ParsePipeline.cpp
  const ast::Pipeline *parsePipeline();
  bool parseMechanisms(ast::List<ast::MechanismUse> &list);
  std::optional<ast::MechanismUse> parseMechanism(llvm::StringRef what);
  bool parsePipelineOptions(ast::Pipeline &pipeline);
  bool parsePipelineOption(ast::PipelineOption &option);
  bool parseLanes(ast::PipelineOption &option);

  // ParseOrdering.cpp: what orders and connects resources
  const ast::Decl *parseQueue();
  bool parseQueueAttr(ast::QueueAttr &attr, bool &isAttr);
  const ast::Decl *parseBarrier();
  const ast::Decl *parseGroup();
  const ast::Decl *parseOverlay();
  bool parseOverlaySet(ast::OverlayDecl::Set &set);
  const ast::Decl *parseOrder();
  const ast::Decl *parseDepends();
  bool parseDependsEdge(ast::DependsDecl::Edge &edge);

  // ParseTask.cpp
  const ast::Decl *parseTask();
  bool parseTaskWarps(ast::TaskDecl &task);
  bool parseTaskRank(ast::TaskDecl &task);

  // ParseStmt.cpp
  const ast::Decl *parseSchedule();
  bool parseBlock(llvm::StringRef what, ast::Block &block);
  const ast::Stmt *parseStmt();
  const ast::Stmt *parseLet();
  const ast::Stmt *parseVar();
  const ast::Stmt *parseAssign();
  bool parseTuple(llvm::StringRef what, ast::List<ast::Name> &names);
  const ast::Stmt *parseAwait();
  const ast::Stmt *parseExprStmt();
  bool atTupleAssign();
  bool reportForeignStmt(Scope scope);

  // ParseLoop.cpp: what has blocks
  const ast::Stmt *parseStatic();
  template <typename IfNode> const ast::Stmt *parseIfStmt();
  const ast::Stmt *parseFor();
  const ast::Stmt *parseQueueFor(SourceLoc begin, ast::Name variable, const ast::Expr *queue);
  const ast::Stmt *parseParallelFor();
  const ast::Stmt *parseStaticFor();
  bool parseLoopVariable(llvm::StringRef what, ast::Name &variable);
  bool parseRange(const ast::Expr *&lower, const ast::Expr *&upper);
  bool parseClause(llvm::StringRef word, const ast::Expr *&value);
  bool atReversed();

  // `if (c) … else if (c) … else …` or the same with `static if`, in a loop: a chain may be long.
  // `where` says what a `static` stands between.
  template <typename Content, typename ReadThen, typename ReadElse>
  bool parseIfChain(llvm::StringRef where, ast::List<ast::Branch<Content>> &branches,
                    ReadThen readThen, ReadElse readElse) {
    const bool isStatic = at(TokenKind::KwStatic);
    Items<ast::Branch<Content>> list;
    bool hasElse = false;
    do {
      ast::Branch<Content> branch;
      branch.range.begin = tok().range.begin;
      if (isStatic)
        consume();
      if (!expect(TokenKind::KwIf, where))
        return false;
      if (!parseCondition(isStatic ? "after `static if`" : "after `if`", branch.condition) &&
          !recoverToBlock())
        return false;
      if (!readThen(branch.content))
        return false;
      list.push_back(branch);
      hasElse = accept(TokenKind::KwElse);
    } while (hasElse && (isStatic ? at(TokenKind::KwStatic) && peek(1).is(TokenKind::KwIf)
                                  : at(TokenKind::KwIf)));
    if (hasElse && !readElse())
      return false;
    for (ast::Branch<Content> &branch : list)
      branch.range = from(branch.range.begin);
    branches = file.list(llvm::ArrayRef(list));
    return true;
  }

  // ParseTest.cpp
  const ast::Decl *parseTest();
  bool parseTestStmt(ast::TestStmt &stmt);
  bool parseExpectStmt(ast::TestStmt &stmt);
  bool parseTestTensor(ast::TestStmt &stmt);

  // ParseExpr.cpp
  const ast::Expr *parseExpr();
  // Without `<`, `>` and everything that binds less: what stands bare between angle brackets.
  const ast::Expr *parseAngleExpr();
  static constexpr unsigned AngleMinPrecedence = 4; // `^` and what binds tighter
  const ast::Expr *parseBinary(const ast::Expr *first, unsigned minPrecedence);
  const ast::Expr *parseUnary();
  const ast::Expr *parsePostfix(const ast::Expr *primary);
  const ast::Expr *parsePrimary();
  const ast::Expr *parseName();
  bool parseQualifiedName(ast::List<ast::Name> &parts, llvm::StringRef what);
  bool parseCondition(llvm::StringRef what, const ast::Expr *&condition);
  bool parseExprList(TokenKind close, llvm::StringRef what, ast::List<const ast::Expr *> &list);
  bool parseParenExprs(llvm::StringRef what, ast::List<const ast::Expr *> &list);
  bool parseArgs(TokenKind close, ast::List<ast::Arg> &args);
  // `( args )` of a call, tight to its name.
  bool parseCallArgs(ast::List<ast::Arg> &args);
  template <typename Node>
  Node *grow(Node *node, llvm::ArrayRef<const ast::Expr *> children,
             const ast::Expr *chain = nullptr);

  // ParseType.cpp
  const ast::Type *parseType();
  bool parseTypeArgs(ast::Type &type);
  bool parseTypeArg(ast::TypeArg &arg);
  bool parseNameOrType(ast::TypeArg &arg);
  bool openAngle();
  bool closeAngle(llvm::StringRef what);
  bool parsePath(ast::Path &path, llvm::StringRef what);
  bool parsePathList(TokenKind close, llvm::StringRef what, ast::List<ast::Path> &paths);
  bool parseNameList(llvm::StringRef what, ast::List<ast::Name> &names);
  bool parseCompileTimeParams(ast::List<ast::CompileTimeParam> &params);
  bool parseTemplateArgs(ast::List<ast::TemplateArg> &args);
  // `( params )` of works, functions and schedules.
  bool parseParams(llvm::StringRef owner, ast::List<ast::Param> &params);
  bool parseParam(ast::Param &param, llvm::StringRef owner);
};

} // namespace tsk::syntax
