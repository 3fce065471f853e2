#include "compiler/ir/ExprText.h"
#include "compiler/ir/IrDiagnostics.h"

namespace tsk::ir {

constexpr Diagnostic<unsigned> TextTooDeep{kind::TextTooDeep, "expressions nest deeper than {}"};

namespace {

// Of parentheses and prefixes; the parser of .tsk files lets 256 of each nest.
constexpr unsigned DepthLimit = 600;

class Reader {
public:
  Reader(TextReader &textReader, ValueTables &valueTables, const ExprScope &exprScope)
      : reader(textReader), tables(valueTables), scope(exprScope) {}

  ExprId conditional() {
    if (depth == DepthLimit)
      reader.fail(reader.peek().range, TextTooDeep, DepthLimit);
    if (reader.failed())
      return {};
    ++depth;
    ExprId result = conditionalBare();
    --depth;
    return result;
  }

private:
  struct Level {
    llvm::ArrayRef<ExprOp> ops;
  };

  ExprId conditionalBare() {
    SourceLoc begin = reader.peek().range.begin;
    ExprId condition = binary(0);
    if (!reader.accept("?"))
      return condition;
    ExprId whenTrue = conditional();
    reader.expect(":");
    ExprId whenFalse = conditional();
    return make(ExprOp::Select, {condition, whenTrue, whenFalse}, begin);
  }

  ExprId binary(unsigned level) {
    static constexpr ExprOp Ors[] = {ExprOp::Or};
    static constexpr ExprOp Ands[] = {ExprOp::And};
    static constexpr ExprOp Relations[] = {ExprOp::Eq, ExprOp::Ne, ExprOp::Le,
                                           ExprOp::Ge, ExprOp::Lt, ExprOp::Gt};
    static constexpr ExprOp Xors[] = {ExprOp::Xor};
    static constexpr ExprOp Sums[] = {ExprOp::Add, ExprOp::Sub};
    static constexpr ExprOp Products[] = {ExprOp::Mul, ExprOp::Div, ExprOp::Rem};
    static constexpr llvm::ArrayRef<ExprOp> Levels[] = {Ors, Ands, Relations, Xors, Sums, Products};
    if (level == std::size(Levels))
      return unary();
    SourceLoc begin = reader.peek().range.begin;
    ExprId left = binary(level + 1);
    while (std::optional<ExprOp> op = acceptOneOf(Levels[level])) {
      ExprId right = binary(level + 1);
      left = make(*op, {left, right}, begin);
    }
    return left;
  }

  std::optional<ExprOp> acceptOneOf(llvm::ArrayRef<ExprOp> ops) {
    for (ExprOp op : ops)
      if (reader.accept(spelling(op)))
        return op;
    return std::nullopt;
  }

  ExprId unary() {
    SourceLoc begin = reader.peek().range.begin;
    if (reader.at("-")) {
      reader.accept("-");
      if (reader.peek().kind == TextToken::Kind::Number)
        return literal(true, begin);
      return make(ExprOp::Negate, {nested()}, begin);
    }
    if (reader.accept("!"))
      return make(ExprOp::Not, {nested()}, begin);
    if (reader.accept("~"))
      return make(ExprOp::Complement, {nested()}, begin);
    return primary();
  }

  // An operand of a prefix operator: `- - - … x` must not recurse without bound either.
  ExprId nested() {
    if (depth == DepthLimit)
      reader.fail(reader.peek().range, TextTooDeep, DepthLimit);
    if (reader.failed())
      return {};
    ++depth;
    ExprId result = unary();
    --depth;
    return result;
  }

  ExprId literal(bool isNegative, SourceLoc begin);

  ExprId primary() {
    SourceLoc begin = reader.peek().range.begin;
    if (reader.peek().kind == TextToken::Kind::Number)
      return literal(false, begin);
    if (reader.accept("(")) {
      ExprId inner = conditional();
      reader.expect(")");
      return inner;
    }
    TextToken token = reader.word("an expression");
    if (reader.failed())
      return {};
    if (token.text == "true" || token.text == "false")
      return makeConstant(tables, ConstantScalar::ofBool(token.text == "true"), token.range);
    if (reader.at("("))
      return call(token, begin);
    if (std::optional<Builtin> builtin = acceptBuiltin(token))
      return makeBuiltin(tables, *builtin, reader.rangeFrom(begin));
    return named(token);
  }

  std::optional<Builtin> acceptBuiltin(const TextToken &token) {
    auto isKnown = [](const std::string &text) -> std::optional<Builtin> {
      for (unsigned i = 0; i <= static_cast<unsigned>(Builtin::Instance); ++i)
        if (spelling(static_cast<Builtin>(i)) == text)
          return static_cast<Builtin>(i);
      return std::nullopt;
    };
    if (!reader.at("."))
      return isKnown(token.text.str());
    reader.accept(".");
    TextToken member = reader.word("a member");
    std::string full = fmt::format("{}.{}", token.text, member.text);
    std::optional<Builtin> builtin = isKnown(full);
    if (!builtin)
      reader.fail(token.range, TextUnknownName, "value", full);
    return builtin;
  }

  ExprId named(const TextToken &token) {
    Expr leaf;
    leaf.loc = token.range;
    if (auto it = scope.values.find(token.text); it != scope.values.end())
      return makeValueRef(tables, it->second, token.range);
    if (auto it = scope.scalars.find(token.text); it != scope.scalars.end()) {
      leaf.op = ExprOp::Scalar;
      leaf.type = it->second.type;
      leaf.uniformity = Uniformity::Kernel;
      leaf.scalarRef = it->second.id;
      return tables.exprs.add(std::move(leaf));
    }
    if (auto it = scope.constants.find(token.text); it != scope.constants.end()) {
      ExprId id = makeConstant(tables, it->second.value, token.range);
      tables.exprs[id].constantRef = it->second.id;
      return id;
    }
    if (!reader.failed())
      reader.fail(token.range, TextUnknownName, "value", token.text);
    return {};
  }

  ExprId call(const TextToken &token, SourceLoc begin) {
    if (scalarTypeByName(token.text))
      return literalOfType(*scalarTypeByName(token.text), begin);
    for (ExprOp op :
         {ExprOp::CeilDiv, ExprOp::Min, ExprOp::Max, ExprOp::First, ExprOp::Last, ExprOp::Every})
      if (token.text == spelling(op)) {
        llvm::SmallVector<ExprId, 3> operands;
        reader.list("(", ")", [&] { operands.push_back(conditional()); });
        if (!reader.failed() && static_cast<int>(operands.size()) != operandCount(op))
          reader.unexpected(fmt::format("{} operands of `{}`", operandCount(op), spelling(op)));
        return make(op, operands, begin);
      }
    if (auto it = scope.functions.find(token.text); it != scope.functions.end())
      return callFunction(it->second, begin);
    reader.fail(token.range, TextUnknownName, "function", token.text);
    return {};
  }

  ExprId callFunction(FunctionId function, SourceLoc begin) {
    llvm::SmallVector<ExprId, 3> operands;
    reader.list("(", ")", [&] { operands.push_back(conditional()); });
    size_t expected = tables.functions[function].params.size();
    if (!reader.failed() && operands.size() != expected)
      reader.unexpected(
          fmt::format("{} arguments of `{}`", expected, tables.functions[function].name));
    if (reader.failed())
      return {};
    ExprId id = makeCall(tables, function, operands, reader.rangeFrom(begin));
    checkDepth(id, reader.rangeFrom(begin));
    return id;
  }

  ExprId literalOfType(ScalarType type, SourceLoc begin);

  // A chain `a + a + …` is deep without recursion here.
  void checkDepth(ExprId id, SourceRange range) {
    if (tables.exprs[id].depth > MaxExprDepth)
      reader.fail(range, TextTooDeep, MaxExprDepth);
  }

  ExprId make(ExprOp op, llvm::ArrayRef<ExprId> operands, SourceLoc begin) {
    if (reader.failed())
      return {};
    SourceRange range = reader.rangeFrom(begin);
    ExprId id = makeExpr(tables, op, operands, range);
    if (!id)
      reader.fail(range, TextTypeMismatch, spelling(op));
    else
      checkDepth(id, range);
    return id;
  }

  TextReader &reader;
  ValueTables &tables;
  const ExprScope &scope;
  unsigned depth = 0;
};

} // namespace

// The literal at the reader's token, a Number.
static ConstantScalar readNumber(TextReader &reader, bool isNegative) {
  llvm::StringRef text = reader.peek().text;
  bool isReal = text.find_first_of(".e") != llvm::StringRef::npos && !text.starts_with("0x");
  if (isReal) {
    ScalarType type = text.consume_back("f") ? ScalarType::F32 : ScalarType::F64;
    double value = 0;
    if (text.getAsDouble(value))
      reader.unexpected("a number");
    reader.take();
    return ConstantScalar::ofReal(isNegative ? -value : value, type);
  }
  bool isLong = text.consume_back("L");
  bool isUnsigned = text.consume_back("u");
  uint64_t magnitude = 0;
  if (text.getAsInteger(0, magnitude)) {
    reader.unexpected("a number");
    return {};
  }
  reader.take();
  uint64_t value = isNegative ? 0 - magnitude : magnitude;
  if (isUnsigned)
    return ConstantScalar::ofInt(static_cast<int64_t>(value),
                                 isLong ? ScalarType::U64 : ScalarType::U32);
  bool fitsInt = magnitude <= (isNegative ? 0x80000000u : 0x7fffffffu);
  return ConstantScalar::ofInt(static_cast<int64_t>(value),
                               isLong || !fitsInt ? ScalarType::I64 : ScalarType::I32);
}

ExprId Reader::literal(bool isNegative, SourceLoc begin) {
  ConstantScalar constant = readNumber(reader, isNegative);
  if (reader.failed())
    return {};
  return makeConstant(tables, constant, reader.rangeFrom(begin));
}

// `(5)` behind the name of a type.
static ConstantScalar readOfType(TextReader &reader, ScalarType type, SourceLoc begin) {
  reader.expect("(");
  bool isNegative = reader.accept("-");
  if (reader.peek().kind != TextToken::Kind::Number)
    reader.unexpected("a number");
  if (reader.failed())
    return {};
  Folded converted = convert(readNumber(reader, isNegative), type);
  reader.expect(")");
  if (!converted)
    reader.fail(reader.rangeFrom(begin), TextTypeMismatch, spelling(type));
  return converted.constant;
}

ExprId Reader::literalOfType(ScalarType type, SourceLoc begin) {
  ConstantScalar constant = readOfType(reader, type, begin);
  return makeConstant(tables, constant, reader.rangeFrom(begin));
}

ExprId readExpr(TextReader &reader, ValueTables &tables, const ExprScope &scope) {
  return Reader(reader, tables, scope).conditional();
}

ExprId readPeer(TextReader &reader, ValueTables &tables, const ExprScope &scope) {
  if (!reader.accept("at"))
    return {};
  reader.expect("(");
  const ExprId peer = readExpr(reader, tables, scope);
  reader.expect(")");
  return peer;
}

ConstantScalar readConstant(TextReader &reader) {
  bool isNegative = reader.accept("-");
  if (!isNegative && reader.accept("true"))
    return ConstantScalar::ofBool(true);
  if (!isNegative && reader.accept("false"))
    return ConstantScalar::ofBool(false);
  if (reader.peek().kind == TextToken::Kind::Number)
    return readNumber(reader, isNegative);
  SourceLoc begin = reader.peek().range.begin;
  if (std::optional<ScalarType> type = scalarTypeByName(reader.peek().text)) {
    reader.take();
    return readOfType(reader, *type, begin);
  }
  reader.unexpected("a number");
  return {};
}

Signature readSignature(TextReader &reader, llvm::StringRef name) {
  Signature signature;
  signature.name = name.str();
  reader.list("(", ")", [&] { signature.params.push_back(readType(reader)); });
  reader.expect("->");
  reader.expect("(");
  signature.result = readType(reader);
  reader.expect(")");
  if (reader.accept("changes_by"))
    signature.changesBy = reader.word("a name").text.str();
  return signature;
}

Type readType(TextReader &reader) {
  std::string text = reader.typeText("a type");
  if (std::optional<ScalarType> scalar = scalarTypeByName(text))
    return Type::ofScalar(*scalar);
  return Type::ofCpp(text);
}

} // namespace tsk::ir
