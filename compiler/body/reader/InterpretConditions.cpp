// What a condition says of the numbers in it where it holds, or does not.
#include "compiler/body/reader/Interpreter.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

using namespace tree;

// A number that a condition names, in the bounds that it sets.
void Interpreter::narrow(ExprId number, int64_t low, int64_t high) {
  const Expr &expr = tree.exprs[number];
  if (expr.kind == ExprKind::Convert) {
    const Expr &inner = tree.exprs[expr.operands[0]];
    const Type &from = tree.types[inner.type], &to = tree.types[expr.type];
    if (from.kind != Type::Kind::Integer || to.kind != Type::Kind::Integer)
      return;
    // To a wider type, or one without a sign: what fits there is the same number here.
    const bool isKept = to.isSigned ? to.bits > from.bits || from.isSigned
                                    : to.bits >= from.bits && low >= 0 && high < Value::Max;
    const int64_t most =
        from.bits >= 64 ? Value::Max : (int64_t{1} << (from.bits - (from.isSigned ? 1 : 0))) - 1;
    if (isKept && (to.bits >= from.bits) && (!from.isSigned || to.isSigned || high <= most))
      narrow(expr.operands[0], low, high);
    return;
  }
  if (expr.kind != ExprKind::Load)
    return;
  const Expr &from = tree.exprs[expr.operands[0]];
  if (from.kind != ExprKind::Variable || tree.types[from.type].kind != Type::Kind::Integer)
    return;
  const Variable &variable = tree.variables[from.variable];
  if (isReference(variable.type) || variable.isGlobal)
    return;
  ValueRef &value = state.variables[from.variable.index];
  if (!value || !value->parts.empty() || (low <= value->low && high >= value->high))
    return;
  Value result = *value;
  result.low = std::max(result.low, low);
  result.high = std::min(result.high, high);
  result.isTaken = false;
  if (result.low > result.high) // nobody comes here; what is known is not wrong
    return;
  value = std::make_shared<const Value>(std::move(result));
}

// Whether evaluating it may change a variable: what a comparison says of one then need not hold any
// more when the condition is known, and evaluating it again would change it again.
bool Interpreter::mayWrite(ExprId id) const {
  const Expr &expr = tree.exprs[id];
  switch (expr.kind) {
  case ExprKind::Step:
  case ExprKind::Assign:
  case ExprKind::Compound:
  case ExprKind::Construct:
  case ExprKind::Bind:
  case ExprKind::Unknown:
    return true;
  case ExprKind::Call:
    if (!expr.function || tree.functions[expr.function].home == tree::Function::Home::User)
      return true;
    break;
  default:
    break;
  }
  return llvm::any_of(expr.operands, [&](ExprId operand) { return operand && mayWrite(operand); });
}

void Interpreter::assume(ExprId id, bool holds) {
  if (mayWrite(id))
    return;
  const Expr &expr = tree.exprs[id];
  if (expr.kind == ExprKind::Unary && expr.op == Op::Not)
    return assume(expr.operands[0], !holds);
  if ((expr.kind == ExprKind::And && holds) || (expr.kind == ExprKind::Or && !holds)) {
    assume(expr.operands[0], holds);
    return assume(expr.operands[1], holds);
  }
  if (expr.kind == ExprKind::Convert)
    return tree.types[expr.type].kind == Type::Kind::Bool ? assume(expr.operands[0], holds)
                                                          : void();
  if (expr.kind != ExprKind::Binary)
    return;
  Op op = expr.op;
  if (!holds) {
    constexpr std::pair<Op, Op> Contraries[] = {
        {Op::Less, Op::GreaterEqual}, {Op::GreaterEqual, Op::Less}, {Op::LessEqual, Op::Greater},
        {Op::Greater, Op::LessEqual}, {Op::NotEqual, Op::Equal},    {Op::Equal, Op::NotEqual}};
    const auto *found = llvm::find_if(Contraries, [&](const auto &one) { return one.first == op; });
    if (found == std::end(Contraries))
      return;
    op = found->second;
  }
  if (tree.types[tree.exprs[expr.operands[0]].type].kind != Type::Kind::Integer)
    return;
  const State before = state;
  const bool wasRecording = std::exchange(isRecording, false);
  const bool wasFirst = std::exchange(isFirstRound, false);
  const bool wasComing = comes;
  const ValueRef values[] = {eval(expr.operands[0]), eval(expr.operands[1])};
  isRecording = wasRecording;
  isFirstRound = wasFirst;
  comes = wasComing;
  state = before;
  for (size_t side : {0, 1}) {
    const ValueRef &other = values[1 - side];
    if (!other)
      continue;
    const bool isUpper = side == 0 ? op == Op::Less || op == Op::LessEqual
                                   : op == Op::Greater || op == Op::GreaterEqual;
    const bool isLower = side == 0 ? op == Op::Greater || op == Op::GreaterEqual
                                   : op == Op::Less || op == Op::LessEqual;
    const bool isStrict = op == Op::Less || op == Op::Greater;
    int64_t low = Value::Min, high = Value::Max;
    if ((isUpper || op == Op::Equal) && other->high != Value::Max)
      high = other->high - (isStrict ? 1 : 0);
    if ((isLower || op == Op::Equal) && other->low != Value::Min)
      low = other->low + (isStrict ? 1 : 0);
    // What is compared without a sign is not negative.
    const Type &type = tree.types[tree.exprs[expr.operands[side]].type];
    if (!type.isSigned && high != Value::Max)
      low = std::max<int64_t>(low, 0);
    if (low != Value::Min || high != Value::Max)
      narrow(expr.operands[side], low, high);
  }
}

} // namespace tsk::body
