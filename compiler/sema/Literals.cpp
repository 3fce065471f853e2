#include "compiler/sema/Literals.h"

#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/Literal.h"

namespace tsk::sema {

using ir::ConstantScalar;
using ir::ScalarType;

// The first of int, unsigned, long and unsigned long that the spelling allows and the value fits.
// Numbers with another base than ten turn unsigned by themselves.
ConstantScalar integerLiteral(uint64_t value, llvm::StringRef spelled) {
  syntax::NumberForm form = syntax::numberForm(spelled);
  bool maySigned = !form.isUnsigned;
  bool mayUnsigned = form.isUnsigned || !form.isDecimal;
  ScalarType type = ScalarType::U64;
  if (!form.isLong && maySigned && value <= INT32_MAX)
    type = ScalarType::I32;
  else if (!form.isLong && mayUnsigned && value <= UINT32_MAX)
    type = ScalarType::U32;
  else if (maySigned && value <= INT64_MAX)
    type = ScalarType::I64;
  return ConstantScalar::ofInt(static_cast<int64_t>(value), type);
}

ConstantScalar realLiteral(double value, llvm::StringRef spelled) {
  return ConstantScalar::ofReal(value, syntax::numberForm(spelled).isSingle ? ScalarType::F32
                                                                            : ScalarType::F64);
}

namespace {
struct Silent : DiagnosticConsumer {
  void handle(const Report &) override {}
};
} // namespace

std::optional<ConstantScalar> parseNumber(llvm::StringRef text) {
  bool isNegative = text.consume_front("-");
  if (!isNegative)
    text.consume_front("+");
  SourceManager sources;
  Silent silent;
  DiagnosticEngine engine(silent);
  syntax::SyntaxErrors errors(engine);
  SourceLoc begin = sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), "number");
  syntax::Token token = syntax::Lexer(sources, begin, errors).next();
  if (token.text != text) // something stands around it
    return std::nullopt;
  ConstantScalar constant;
  if (token.is(syntax::TokenKind::Integer))
    constant = integerLiteral(syntax::decodeInteger(token, errors), text);
  else if (token.is(syntax::TokenKind::Float))
    constant = realLiteral(syntax::decodeFloat(token, errors), text);
  else
    return std::nullopt;
  if (engine.hasErrors())
    return std::nullopt;
  if (!isNegative)
    return constant;
  ir::Folded negated = ir::fold(ir::ExprOp::Negate, {constant});
  return negated ? std::optional(negated.constant) : std::nullopt;
}

} // namespace tsk::sema
