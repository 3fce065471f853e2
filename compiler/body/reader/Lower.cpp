// Declarations and statements of Clang's AST, reduced to what bodies can do. What is left out
// becomes Unknown (a value nobody knows) or Strange (a statement nobody follows), never silence.
#include "compiler/body/reader/Lowering.h"

#include "clang/AST/RecordLayout.h"
#include "clang/AST/RecursiveASTVisitor.h"

namespace tsk::body {

// ---- Places, types, declarations ----------------------------------------------------------------

Place Lowering::placeOf(clang::SourceLocation begin, clang::SourceRange range) {
  Place place;
  place.site = ++sites;
  const clang::SourceLocation loc = sources.getFileLoc(begin);
  if (loc.isInvalid() || sources.getFileID(loc) != sources.getMainFileID())
    return place;
  const clang::PresumedLoc presumed = sources.getPresumedLoc(loc);
  if (presumed.isInvalid() || presumed.getFilename() == homes.generatedFile)
    return place;
  const llvm::StringRef name = presumed.getFilename();
  auto known = llvm::find(tree.files, name);
  place.file = static_cast<uint32_t>(known - tree.files.begin());
  if (known == tree.files.end())
    tree.files.push_back(name.str());
  place.line = presumed.getLine();
  place.column = presumed.getColumn();
  clang::SourceLocation end = sources.getFileLoc(range.getEnd());
  if (end.isInvalid() || end < loc || sources.getPresumedLineNumber(end) != presumed.getLine())
    end = loc;
  place.length = sources.getFileOffset(end) - sources.getFileOffset(loc) +
                 clang::Lexer::MeasureTokenLength(end, sources, context.getLangOpts());
  return place;
}

// A call is where its function is named.
Place Lowering::placeOf(const clang::Expr *e) {
  clang::SourceLocation begin = e->getBeginLoc();
  if (const auto *call = dyn_cast<clang::CallExpr>(e);
      call && !isa<clang::CXXOperatorCallExpr, clang::CXXMemberCallExpr>(call))
    if (const auto *callee = dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreImpCasts()))
      begin = callee->getLocation();
  return placeOf(begin, {begin, e->getEndLoc()});
}

std::string Lowering::typeName(clang::QualType type) const {
  clang::PrintingPolicy policy(context.getLangOpts());
  policy.SuppressTagKeyword = true;
  return type.getCanonicalType().getAsString(policy);
}

std::string Lowering::qualifiedName(const clang::NamedDecl *decl) {
  std::string name = decl->getDeclName().getAsString();
  for (const clang::DeclContext *outer = decl->getDeclContext(); outer;
       outer = outer->getParent()) {
    const auto *named = dyn_cast<clang::NamedDecl>(outer);
    if (!named)
      continue;
    // Of an operator or a destructor, what is declared inside: a lambda, a local class.
    if (const std::string around = named->getDeclName().getAsString(); !around.empty())
      name.insert(0, around + "::");
  }
  return name;
}

Function::Home Lowering::homeOf(clang::SourceLocation declared) const {
  const clang::SourceLocation loc = sources.getSpellingLoc(declared);
  const llvm::StringRef file = sources.getFilename(loc);
  if (isInside(file, homes.shimFolder) && sources.getFileID(loc) != sources.getMainFileID())
    return Function::Home::Shim;
  if (isInside(file, homes.runtimeFolder))
    return Function::Home::Runtime;
  return sources.isInSystemHeader(loc) ? Function::Home::System : Function::Home::User;
}

static Type::Kind kindOf(clang::QualType type) {
  if (type->isVoidType())
    return Type::Kind::Void;
  if (type->isBooleanType())
    return Type::Kind::Bool;
  if (type->isIntegralOrEnumerationType())
    return Type::Kind::Integer;
  if (type->isRealFloatingType())
    return Type::Kind::Float;
  if (type->isReferenceType())
    return Type::Kind::Reference;
  if (type->isPointerType() || type->isNullPtrType())
    return Type::Kind::Pointer;
  if (type->isConstantArrayType())
    return Type::Kind::Array;
  return type->isRecordType() ? Type::Kind::Record : Type::Kind::Other;
}

TypeId Lowering::typeOf(clang::QualType written) {
  const clang::QualType type = written.getCanonicalType();
  if (auto known = types.find(type.getAsOpaquePtr()); known != types.end())
    return known->second;
  const TypeId id = tree.types.add({});
  types[type.getAsOpaquePtr()] = id;
  // What has no meaning yet: in text with errors.
  if (type->isDependentType() || type->isPlaceholderType() || type->isUndeducedType())
    return id;
  Type result;
  result.kind = kindOf(type);
  result.isConst = type.isConstQualified();
  const clang::RecordDecl *broken = type->getAsRecordDecl();
  if (!type->isIncompleteType() && !type->isFunctionType() && !type->isReferenceType() &&
      !(broken && broken->isInvalidDecl()))
    result.bytes = context.getTypeSizeInChars(type).getQuantity();
  switch (result.kind) {
  case Type::Kind::Integer:
    result.isSigned = type->isSignedIntegerOrEnumerationType();
    result.bits = static_cast<unsigned>(context.getIntWidth(type));
    break;
  case Type::Kind::Pointer:
  case Type::Kind::Reference:
    if (!type->getPointeeType().isNull())
      result.element = typeOf(type->getPointeeType());
    break;
  case Type::Kind::Array: {
    const clang::ConstantArrayType *array = context.getAsConstantArrayType(type);
    result.element = typeOf(array->getElementType());
    result.count = static_cast<int64_t>(array->getZExtSize());
    break;
  }
  case Type::Kind::Record:
    result.record = recordOf(type->getAs<clang::RecordType>()->getDecl());
    break;
  default:
    break;
  }
  tree.types[id] = result;
  return id;
}

// Where the members stand, as far as that is settled.
void Lowering::setOffsets(const clang::RecordDecl *definition, Record &record) const {
  if (!definition || definition->isInvalidDecl() || definition->isDependentType() ||
      !definition->isCompleteDefinition())
    return;
  const clang::ASTRecordLayout &layout = context.getASTRecordLayout(definition);
  size_t next = 0;
  if (const auto *cxx = dyn_cast<clang::CXXRecordDecl>(definition))
    for (const clang::CXXBaseSpecifier &base : cxx->bases()) {
      const clang::CXXRecordDecl *of = base.getType()->getAsCXXRecordDecl();
      if (of && !base.isVirtual())
        record.members[next].offset = layout.getBaseClassOffset(of).getQuantity();
      ++next;
    }
  for (const clang::FieldDecl *field : definition->fields())
    record.members[next++].offset =
        static_cast<int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8);
}

RecordId Lowering::recordOf(const clang::RecordDecl *decl) {
  const clang::RecordDecl *definition = decl->getDefinition();
  const clang::RecordDecl *key = definition ? definition : decl;
  if (auto known = records.find(key); known != records.end())
    return known->second;
  const RecordId id = tree.records.add({});
  records[key] = id;
  Record result;
  result.name = qualifiedName(key);
  result.isUnion = key->isUnion();
  result.isOpaque = !definition;
  result.isResults = llvm::any_of(key->specific_attrs<clang::AnnotateAttr>(), [](const auto *note) {
    return note->getAnnotation() == "tsk::results";
  });
  if (const auto *instance = dyn_cast<clang::ClassTemplateSpecializationDecl>(key))
    for (const clang::TemplateArgument &argument : instance->getTemplateArgs().asArray()) {
      const bool isPack = argument.getKind() == clang::TemplateArgument::Pack;
      for (const clang::TemplateArgument &one :
           isPack ? argument.getPackAsArray() : llvm::ArrayRef(argument))
        if (one.getKind() == clang::TemplateArgument::Integral)
          result.extents.push_back(one.getAsIntegral().getExtValue());
    }
  if (const auto *cxx = dyn_cast_or_null<clang::CXXRecordDecl>(definition))
    for (const clang::CXXBaseSpecifier &base : cxx->bases())
      result.members.push_back({"", typeOf(base.getType())});
  if (definition)
    for (const clang::FieldDecl *field : definition->fields())
      result.members.push_back({field->getNameAsString(), typeOf(field->getType())});
  setOffsets(definition, result);
  tree.records[id] = std::move(result);
  return id;
}

VariableId Lowering::variableOf(const clang::VarDecl *given) {
  const clang::VarDecl *decl = given->getCanonicalDecl();
  if (auto known = variables.find(decl); known != variables.end())
    return known->second;
  Variable variable;
  variable.name = decl->getNameAsString();
  variable.type = typeOf(decl->getType());
  variable.place = placeOf(decl->getLocation());
  variable.isParam = isa<clang::ParmVarDecl>(decl);
  variable.isGlobal = !decl->hasLocalStorage();
  variable.isShared = decl->hasAttr<clang::CUDASharedAttr>();
  variable.isUsers = variable.isGlobal && homeOf(decl->getLocation()) == Function::Home::User;
  return variables[decl] = tree.variables.add(std::move(variable));
}

VariableId Lowering::temporary(clang::QualType type) {
  Variable variable;
  variable.type = typeOf(type);
  return tree.variables.add(std::move(variable));
}

FunctionId Lowering::functionOf(const clang::FunctionDecl *given) {
  const clang::FunctionDecl *decl = given->getCanonicalDecl();
  if (auto known = functions.find(decl); known != functions.end())
    return known->second;
  Function function;
  function.name = qualifiedName(decl);
  function.home = decl->getBuiltinID() != 0 ? Function::Home::Builtin : homeOf(decl->getLocation());
  if (function.home == Function::Home::Runtime) // inside a task's namespace too
    if (const size_t at = function.name.rfind("::tsk::"); at != std::string::npos)
      function.name = function.name.substr(at + 2);
  function.result = typeOf(decl->getReturnType());
  function.place = placeOf(decl->getLocation());
  const clang::FunctionDecl *definition = nullptr;
  const bool hasBody = decl->hasBody(definition) && !definition->isInvalidDecl();
  const clang::FunctionDecl *source = hasBody ? definition : decl;
  for (const clang::ParmVarDecl *param : source->parameters())
    function.params.push_back(variableOf(param));
  const auto *method = dyn_cast<clang::CXXMethodDecl>(decl);
  if (method && !method->isStatic())
    function.self = temporary(method->getThisType());
  const FunctionId id = tree.functions.add(std::move(function));
  functions[decl] = id;
  if (hasBody)
    pending.push_back({id, definition});
  return id;
}

void Lowering::lowerBody(FunctionId id, const clang::FunctionDecl *decl) {
  closure = nullptr;
  captures.clear();
  capturedThis = nullptr;
  if (const auto *method = dyn_cast<clang::CXXMethodDecl>(decl);
      method && method->getParent()->isLambda()) {
    closure = method->getParent();
    llvm::DenseMap<const clang::ValueDecl *, clang::FieldDecl *> fields;
    closure->getCaptureFields(fields, capturedThis);
    captures = std::move(fields);
  }
  objects.clear();
  objectsAroundBreak = objectsAroundContinue = 0;
  Stmt block = makeStmt(StmtKind::Block);
  if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(decl))
    lowerInitializers(constructor, block);
  block.statements.push_back(stmt(decl->getBody()));
  if (const auto *destructor = dyn_cast<clang::CXXDestructorDecl>(decl))
    lowerMemberDestructors(destructor, block);
  tree.functions[id].body = add(std::move(block));
}

void Lowering::lowerInitializers(const clang::CXXConstructorDecl *decl, Stmt &block) {
  const clang::QualType self = context.getRecordType(decl->getParent());
  for (const clang::CXXCtorInitializer *init : decl->inits()) {
    const ExprId value = expr(init->getInit());
    Stmt assign = makeStmt(StmtKind::Expr);
    const ExprId pointer = make(decl->getThisType(), false, ExprKind::This, {}, {});
    const ExprId whole = make(self, true, ExprKind::Deref, {pointer}, {});
    ExprId target = whole;
    if (const clang::FieldDecl *field = init->getAnyMember()) {
      target = make(field->getType(), true, ExprKind::Member, {whole}, {});
      tree.exprs[target].value = memberNumber(field).value_or(0);
    } else if (init->isBaseInitializer()) {
      const clang::QualType base(init->getBaseClass(), 0);
      target = make(base, true, ExprKind::Member, {whole}, {});
      tree.exprs[target].value = baseNumber(decl->getParent(), base->getAsCXXRecordDecl());
    }
    // A reference is bound, not assigned through: the interpreter tells by the member's type.
    assign.exprs.push_back(make(tree.exprs[target].isLValue ? init->getInit()->getType() : self,
                                true, ExprKind::Assign, {target, value}, {}));
    block.statements.push_back(add(std::move(assign)));
  }
}

std::optional<unsigned> Lowering::memberNumber(const clang::FieldDecl *field) {
  unsigned bases = 0;
  if (const auto *cxx = dyn_cast<clang::CXXRecordDecl>(field->getParent()))
    bases = cxx->getNumBases();
  return bases + field->getFieldIndex();
}

unsigned Lowering::baseNumber(const clang::CXXRecordDecl *derived,
                              const clang::CXXRecordDecl *base) {
  unsigned number = 0;
  for (const clang::CXXBaseSpecifier &one : derived->bases()) {
    const clang::CXXRecordDecl *found = one.getType()->getAsCXXRecordDecl();
    if (found && base && found->getCanonicalDecl() == base->getCanonicalDecl())
      return number;
    ++number;
  }
  return 0;
}

// ---- Statements ---------------------------------------------------------------------------------

StmtId Lowering::strangeAt(clang::SourceLocation loc, llvm::StringRef what) {
  Stmt result = makeStmt(StmtKind::Strange);
  result.text = what.str();
  result.place = placeOf(loc);
  return add(std::move(result));
}

StmtId Lowering::strange(const clang::Stmt *s, llvm::StringRef what) {
  return strangeAt(s->getBeginLoc(), what);
}

// The body of a loop, or of a `switch`, which `continue` does not leave.
StmtId Lowering::inside(const clang::Stmt *s, bool isSwitch) {
  const auto before = std::pair(objectsAroundBreak, objectsAroundContinue);
  objectsAroundBreak = objects.size();
  if (!isSwitch)
    objectsAroundContinue = objects.size();
  const StmtId result = stmt(s);
  std::tie(objectsAroundBreak, objectsAroundContinue) = before;
  return result;
}

void Lowering::declare(const clang::VarDecl *decl, Stmt &block) {
  Stmt result = makeStmt(StmtKind::Declare);
  result.variable = variableOf(decl);
  result.place = placeOf(decl->getLocation());
  if (const clang::Expr *init = decl->getInit())
    result.exprs.push_back(expr(init));
  const VariableId variable = result.variable;
  block.statements.push_back(add(std::move(result)));
  if (!decl->hasLocalStorage() ||
      decl->needsDestruction(context) != clang::QualType::DK_cxx_destructor)
    return;
  const clang::CXXRecordDecl *record = decl->getType()->getAsCXXRecordDecl();
  if (record && record->getDestructor())
    objects.push_back(
        {variable, decl->getType(), record->getDestructor(), placeOf(decl->getLocation())});
  else
    block.statements.push_back(strangeAt(decl->getLocation(), "an array with a destructor"));
}

StmtId Lowering::declarations(const clang::DeclStmt *s) {
  Stmt block = makeStmt(StmtKind::Block);
  for (const clang::Decl *decl : s->decls()) {
    if (const auto *variable = dyn_cast<clang::VarDecl>(decl))
      declare(variable, block);
    if (const auto *parts = dyn_cast<clang::DecompositionDecl>(decl))
      for (const clang::BindingDecl *binding : parts->bindings())
        if (const clang::VarDecl *holding = binding->getHoldingVar())
          declare(holding, block);
  }
  return add(std::move(block));
}

StmtId Lowering::forLoop(const clang::ForStmt *s) {
  Stmt result = makeStmt(StmtKind::For);
  result.place = placeOf(s->getForLoc());
  result.statements.push_back(s->getInit() ? stmt(s->getInit()) : add(makeStmt(StmtKind::Block)));
  result.exprs.push_back(s->getCond() ? expr(s->getCond()) : ExprId{});
  result.exprs.push_back(s->getInc() ? expr(s->getInc()) : ExprId{});
  result.statements.push_back(inside(s->getBody()));
  return add(std::move(result));
}

StmtId Lowering::rangeLoop(const clang::CXXForRangeStmt *s) {
  Stmt init = makeStmt(StmtKind::Block);
  for (const clang::Stmt *part : {s->getInit(), static_cast<const clang::Stmt *>(s->getRangeStmt()),
                                  static_cast<const clang::Stmt *>(s->getBeginStmt()),
                                  static_cast<const clang::Stmt *>(s->getEndStmt())})
    if (part)
      init.statements.push_back(stmt(part));
  Stmt body = makeStmt(StmtKind::Block);
  body.statements.push_back(stmt(s->getLoopVarStmt()));
  body.statements.push_back(inside(s->getBody()));
  Stmt result = makeStmt(StmtKind::For);
  result.place = placeOf(s->getForLoc());
  result.statements.push_back(add(std::move(init)));
  result.exprs.push_back(expr(s->getCond()));
  result.exprs.push_back(expr(s->getInc()));
  result.statements.push_back(add(std::move(body)));
  return add(std::move(result));
}

StmtId Lowering::switchOver(const clang::SwitchStmt *s) {
  const auto *body = dyn_cast<clang::CompoundStmt>(s->getBody());
  if (!body)
    return strange(s, "a `switch` without a block");
  Stmt result = makeStmt(StmtKind::Switch);
  result.place = placeOf(s->getSwitchLoc());
  result.exprs.push_back(expr(s->getCond()));
  for (const clang::Stmt *child : body->body()) {
    std::optional<Stmt::Label> label;
    while (const auto *labelled = dyn_cast<clang::SwitchCase>(child)) {
      if (!label)
        label.emplace();
      if (const auto *one = dyn_cast<clang::CaseStmt>(labelled)) {
        clang::Expr::EvalResult value;
        if (one->getLHS()->EvaluateAsInt(value, context) && !one->getRHS())
          label->values.push_back(value.Val.getInt().getExtValue());
        else
          label->isDefault = true; // a range: any value
      } else {
        label->isDefault = true;
      }
      child = labelled->getSubStmt();
    }
    result.labels.push_back(std::move(label));
    result.statements.push_back(inside(child, /*isSwitch=*/true));
  }
  return add(std::move(result));
}

StmtId Lowering::assembly(const clang::GCCAsmStmt *s) {
  Stmt result = makeStmt(StmtKind::Asm);
  result.place = placeOf(s->getAsmLoc());
  result.text = s->getAsmString()->getString().str();
  result.isVolatile = s->isVolatile();
  for (unsigned i = 0; i < s->getNumClobbers(); ++i)
    result.touchesMemory |= s->getClobber(i) == "memory";
  result.outputs = s->getNumOutputs();
  for (unsigned i = 0; i < s->getNumOutputs(); ++i)
    result.exprs.push_back(expr(s->getOutputExpr(i)));
  for (unsigned i = 0; i < s->getNumOutputs(); ++i)
    result.isReadToo.push_back(s->isOutputPlusConstraint(i));
  for (unsigned i = 0; i < s->getNumInputs(); ++i)
    result.exprs.push_back(expr(s->getInputExpr(i)));
  return add(std::move(result));
}

StmtId Lowering::attributed(const clang::AttributedStmt *s) {
  const StmtId inner = stmt(s->getSubStmt());
  for (const clang::Attr *attribute : s->getAttrs())
    if (const auto *hint = dyn_cast<clang::LoopHintAttr>(attribute)) {
      const bool isOff = hint->getState() == clang::LoopHintAttr::Disable;
      clang::Expr::EvalResult count;
      const bool isOne = hint->getOption() == clang::LoopHintAttr::UnrollCount &&
                         hint->getValue() && hint->getValue()->EvaluateAsInt(count, context) &&
                         count.Val.getInt() == 1;
      tree.stmts[inner].isNotUnrolled |= isOff || isOne;
    }
  return inner;
}

StmtId Lowering::stmt(const clang::Stmt *s) {
  Stmt result = makeStmt(StmtKind::Block);
  result.place = placeOf(s->getBeginLoc());
  auto finish = [&](StmtKind kind) {
    result.kind = kind;
    return add(std::move(result));
  };
  // `if (int x = f(); x > 0)`: what is declared there comes first.
  auto before = [&](const clang::Stmt *init, const clang::DeclStmt *variable, StmtId inner) {
    Stmt block = makeStmt(StmtKind::Block);
    for (const clang::Stmt *part : {init, static_cast<const clang::Stmt *>(variable)})
      if (part)
        block.statements.push_back(stmt(part));
    block.statements.push_back(inner);
    return add(std::move(block));
  };
  if (const auto *value = dyn_cast<clang::Expr>(s)) {
    result.exprs.push_back(expr(value));
    return finish(StmtKind::Expr);
  }
  switch (s->getStmtClass()) {
  case clang::Stmt::NullStmtClass:
    return finish(StmtKind::Block);
  case clang::Stmt::CompoundStmtClass: {
    const size_t first = objects.size();
    for (const clang::Stmt *child : cast<clang::CompoundStmt>(s)->body())
      result.statements.push_back(stmt(child));
    endObjects(first, result.statements);
    objects.resize(first);
    return finish(StmtKind::Block);
  }
  case clang::Stmt::DeclStmtClass:
    return declarations(cast<clang::DeclStmt>(s));
  case clang::Stmt::IfStmtClass: {
    const auto *branch = cast<clang::IfStmt>(s);
    if (std::optional<const clang::Stmt *> taken = branch->getNondiscardedCase(context))
      return before(branch->getInit(), branch->getConditionVariableDeclStmt(),
                    *taken ? stmt(*taken) : add(makeStmt(StmtKind::Block)));
    const bool isDeclaring = branch->getInit() || branch->getConditionVariableDeclStmt();
    result.exprs.push_back(expr(branch->getCond()));
    result.statements.push_back(stmt(branch->getThen()));
    if (branch->getElse())
      result.statements.push_back(stmt(branch->getElse()));
    const StmtId id = finish(StmtKind::If);
    return isDeclaring ? before(branch->getInit(), branch->getConditionVariableDeclStmt(), id) : id;
  }
  case clang::Stmt::ForStmtClass:
    return forLoop(cast<clang::ForStmt>(s));
  case clang::Stmt::CXXForRangeStmtClass:
    return rangeLoop(cast<clang::CXXForRangeStmt>(s));
  case clang::Stmt::WhileStmtClass: {
    const auto *loop = cast<clang::WhileStmt>(s);
    if (loop->getConditionVariable())
      return strange(s, "a `while` that declares a variable");
    result.exprs.push_back(expr(loop->getCond()));
    result.statements.push_back(inside(loop->getBody()));
    return finish(StmtKind::While);
  }
  case clang::Stmt::DoStmtClass:
    result.statements.push_back(inside(cast<clang::DoStmt>(s)->getBody()));
    result.exprs.push_back(expr(cast<clang::DoStmt>(s)->getCond()));
    return finish(StmtKind::Do);
  case clang::Stmt::SwitchStmtClass: {
    const auto *choice = cast<clang::SwitchStmt>(s);
    return before(choice->getInit(), choice->getConditionVariableDeclStmt(), switchOver(choice));
  }
  case clang::Stmt::ReturnStmtClass:
    return leaving(s, StmtKind::Return, 0);
  case clang::Stmt::BreakStmtClass:
    return leaving(s, StmtKind::Break, objectsAroundBreak);
  case clang::Stmt::ContinueStmtClass:
    return leaving(s, StmtKind::Continue, objectsAroundContinue);
  case clang::Stmt::GCCAsmStmtClass:
    return assembly(cast<clang::GCCAsmStmt>(s));
  case clang::Stmt::AttributedStmtClass:
    return attributed(cast<clang::AttributedStmt>(s));
  case clang::Stmt::GotoStmtClass:
  case clang::Stmt::IndirectGotoStmtClass:
  case clang::Stmt::LabelStmtClass:
    return strange(s, "`goto`");
  default:
    return strange(s, "a statement of a rare kind");
  }
}

// ---- Roots --------------------------------------------------------------------------------------

namespace {

// Finds what the text numbers: works (with each instance of a template) and checks.
class RootFinder : public clang::RecursiveASTVisitor<RootFinder> {
public:
  explicit RootFinder(Lowering &to) : lowering(to) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionDecl(clang::FunctionDecl *decl) {
    if (std::optional<unsigned> number = numberOf(decl, "tsk::work");
        number && decl->isThisDeclarationADefinition() && !decl->isDependentContext())
      lowering.addRoot(decl, *number);
    return true;
  }
  bool VisitVarDecl(clang::VarDecl *decl) {
    if (std::optional<unsigned> number = numberOf(decl, "tsk::argument"))
      lowering.addCheck(decl, *number);
    return true;
  }

private:
  static std::optional<unsigned> numberOf(const clang::Decl *decl, llvm::StringRef annotation) {
    for (const auto *attribute : decl->specific_attrs<clang::AnnotateAttr>()) {
      if (attribute->getAnnotation() != annotation || attribute->args_size() != 1)
        continue;
      const clang::Expr *argument = *attribute->args_begin();
      if (const auto *literal = dyn_cast<clang::IntegerLiteral>(argument->IgnoreImplicit()))
        return static_cast<unsigned>(literal->getValue().getZExtValue());
    }
    return std::nullopt;
  }

  Lowering &lowering;
};

} // namespace

Tree lower(clang::ASTContext &context, const Homes &homes) {
  Lowering lowering(context, homes);
  RootFinder finder(lowering);
  const clang::SourceManager &sources = context.getSourceManager();
  for (clang::Decl *decl : context.getTranslationUnitDecl()->decls())
    if (isa<clang::NamespaceDecl>(decl) &&
        sources.getFileID(sources.getFileLoc(decl->getLocation())) == sources.getMainFileID())
      finder.TraverseDecl(decl);
  return lowering.take();
}

} // namespace tsk::body
