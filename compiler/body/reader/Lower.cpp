// Declarations of Clang's AST, reduced to what bodies can do, and the functions that it starts
// from. Statements: LowerStmt.cpp; expressions: LowerExpr.cpp, LowerMade.cpp.
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

// Where the members stand, and in how many bits, as far as that is settled.
void Lowering::setOffsets(const clang::RecordDecl *definition, Record &record) {
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
  for (const clang::FieldDecl *field : definition->fields()) {
    Member &member = record.members[next++];
    member.offset = static_cast<int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8);
    if (!field->isBitField())
      continue;
    Type narrow = tree.types[member.type];
    narrow.bits = std::min(narrow.bits, field->getBitWidthValue(context));
    member.bitField = tree.types.add(std::move(narrow));
  }
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
