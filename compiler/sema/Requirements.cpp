// Requirements that no launch can meet. Each scalar of the kernel is followed alone, through what
// compares it, or its remainder, with a constant: that finds the slips (`rows > 8` beside `rows <
// 4`, `rows % 64 == 0` beside `rows == 100`) and never a contradiction that is none.
#include "compiler/sema/KernelState.h"
#include "compiler/sema/SemaDiagnostics.h"

#include <numeric>

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> RequirementsContradict{
    kind::RequirementsContradict, "no `{}` meets this requirement and those before it"};
constexpr Diagnostic<llvm::StringRef, int64_t, int64_t> RequirementImpossible{
    kind::RequirementsContradict, "no `{}` meets this requirement: it lies in {} .. {}"};

namespace {

// `x cmp value` or, with a modulus, `x % modulus == value`.
struct Atom {
  ir::ScalarId scalar;
  ir::ExprOp comparison = ir::ExprOp::Eq;
  int64_t modulus = 0;
  int64_t value = 0;
  SourceRange loc;
};

// The integers that are left for one scalar: low, low + step, … up to high.
struct Remaining {
  int64_t low = 0;
  int64_t high = 0;
  int64_t step = 1;
  std::vector<SourceRange> because = {};

  bool isEmpty() const { return low > high; }
  void narrow(const Atom &atom);

private:
  void restrictLow(int64_t least);
  void restrictRemainder(int64_t modulus, int64_t remainder);
};

} // namespace

// Numbers that a sum or product of two still fits.
static constexpr int64_t Limit = int64_t{1} << 40;

void Remaining::restrictLow(int64_t least) {
  if (least > low)
    low += (least - low + step - 1) / step * step;
}

// Chinese remainders by trial: the first that has both, and from there on every step that has both.
void Remaining::restrictRemainder(int64_t modulus, int64_t remainder) {
  int64_t divisor = std::gcd(step, modulus);
  if (modulus / divisor > 65536 || step > Limit / (modulus / divisor))
    return; // too far to look; nothing is concluded
  for (int64_t tries = modulus / divisor; tries > 0 && low <= high; --tries, low += step)
    if (low % modulus == remainder) {
      step *= modulus / divisor;
      return;
    }
  low = high + 1;
}

void Remaining::narrow(const Atom &atom) {
  if (atom.modulus)
    return restrictRemainder(atom.modulus, atom.value);
  switch (atom.comparison) {
  case ir::ExprOp::Lt:
    high = std::min(high, atom.value - 1);
    return;
  case ir::ExprOp::Le:
    high = std::min(high, atom.value);
    return;
  case ir::ExprOp::Gt:
    return restrictLow(atom.value + 1);
  case ir::ExprOp::Ge:
    return restrictLow(atom.value);
  case ir::ExprOp::Eq:
    high = std::min(high, atom.value);
    return restrictLow(atom.value);
  default:
    return;
  }
}

// ---- Reading conditions -------------------------------------------------------------------------

static ir::ExprOp mirrored(ir::ExprOp op) {
  switch (op) {
  case ir::ExprOp::Lt:
    return ir::ExprOp::Gt;
  case ir::ExprOp::Le:
    return ir::ExprOp::Ge;
  case ir::ExprOp::Gt:
    return ir::ExprOp::Lt;
  case ir::ExprOp::Ge:
    return ir::ExprOp::Le;
  default:
    return op;
  }
}

static bool isComparison(ir::ExprOp op) {
  return op == ir::ExprOp::Lt || op == ir::ExprOp::Le || op == ir::ExprOp::Gt ||
         op == ir::ExprOp::Ge || op == ir::ExprOp::Eq;
}

static std::optional<Atom> atomOf(const ir::ValueTables &tables, const ir::Expr &expr) {
  if (!isComparison(expr.op))
    return std::nullopt;
  ir::ExprId left = expr.operands[0];
  ir::ExprId right = expr.operands[1];
  Atom atom;
  atom.comparison = expr.op;
  atom.loc = expr.loc;
  std::optional<int64_t> value = ir::constantValue(tables, right);
  if (!value) {
    std::swap(left, right);
    atom.comparison = mirrored(expr.op);
    value = ir::constantValue(tables, right);
  }
  if (!value || *value < -Limit || *value > Limit)
    return std::nullopt;
  atom.value = *value;
  const ir::Expr *side = &tables.exprs[left];
  if (side->op == ir::ExprOp::Rem && atom.comparison == ir::ExprOp::Eq) {
    std::optional<int64_t> modulus = ir::constantValue(tables, side->operands[1]);
    if (!modulus || *modulus < 1 || *modulus > Limit)
      return std::nullopt;
    atom.modulus = *modulus;
    side = &tables.exprs[side->operands[0]];
  }
  if (side->op != ir::ExprOp::Scalar)
    return std::nullopt;
  atom.scalar = side->scalarRef;
  return atom;
}

static void collect(const ir::ValueTables &tables, ir::ExprId id, std::vector<Atom> &atoms) {
  const ir::Expr &expr = tables.exprs[id];
  if (expr.op == ir::ExprOp::And) {
    collect(tables, expr.operands[0], atoms);
    collect(tables, expr.operands[1], atoms);
  } else if (std::optional<Atom> atom = atomOf(tables, expr)) {
    atoms.push_back(*atom);
  }
}

// What the launcher grants. Remainders of negative numbers are negative: only what is never
// negative is followed, which dimensions are.
static std::optional<Remaining> initial(const ir::Scalar &scalar) {
  if (scalar.isDimension)
    return Remaining{0, INT32_MAX};
  if (!ir::isInteger(scalar.type) || ir::bitWidth(scalar.type) > 32)
    return std::nullopt;
  bool isSigned = ir::scalarClass(scalar.type) == ir::ScalarClass::Int;
  int64_t values = int64_t{1} << ir::bitWidth(scalar.type);
  return isSigned ? Remaining{-values / 2, values / 2 - 1} : Remaining{0, values - 1};
}

void checkRequirements(KernelState &state) {
  const ir::Kernel &kernel = *state.kernel;
  std::vector<Atom> atoms;
  for (const ir::Requirement &requirement : kernel.requirements)
    collect(kernel.tables, requirement.condition, atoms);
  std::map<ir::ScalarId, Remaining> remaining;
  for (const Atom &atom : atoms) {
    const ir::Scalar &scalar = kernel.scalars[atom.scalar];
    std::optional<Remaining> start = initial(scalar);
    if (!start || (atom.modulus && start->low < 0))
      continue;
    Remaining &left = remaining.try_emplace(atom.scalar, *start).first->second;
    if (left.isEmpty())
      continue; // reported
    left.narrow(atom);
    if (!left.isEmpty()) {
      left.because.push_back(atom.loc);
    } else if (left.because.empty()) {
      state.context.report(atom.loc, RequirementImpossible, scalar.name, start->low, start->high);
    } else {
      ReportBuilder report = state.context.report(atom.loc, RequirementsContradict, scalar.name);
      for (SourceRange range : left.because)
        report.note(range, "`{}` is required here", state.context.text(range));
    }
  }
}

} // namespace tsk::sema
