// Terms as C++ would write them.
#include "compiler/verify/proof/Terms.h"

namespace tsk::proof {

namespace {

constexpr size_t MaxText = 200; // beyond, a reader is lost anyway

class Printer {
public:
  explicit Printer(const Terms &all) : terms(all) {}

  std::string print(TermId id, bool isOperand = false) {
    if (++printed > MaxText)
      return "…";
    const Term &term = terms[id];
    switch (term.kind) {
    case TermKind::Sum:
      return inside(sum(term), isOperand && term.operands.size() + (term.constant != 0) > 1);
    case TermKind::Product:
      return inside(infix(term, "*"), isOperand);
    case TermKind::FloorDiv:
      return quotient(term, isOperand);
    case TermKind::FloorMod:
      return inside(fmt::format("{} % {}", print(term.operands[0], true), number(term.constant)),
                    isOperand);
    case TermKind::Wrap:
      return fmt::format("u{}({})", number(term.constant), print(term.operands[0]));
    case TermKind::Convert:
      return fmt::format("{}({})", ir::spelling(term.type), print(term.operands[0]));
    case TermKind::Truth:
      return term.constant ? "true" : "false";
    case TermKind::AtMost:
      return inside(print(term.operands[0]) + " <= " + number(term.constant), isOperand);
    case TermKind::Equal:
      return inside(print(term.operands[0]) + " == " + number(term.constant), isOperand);
    case TermKind::Not:
      return "!" + print(term.operands[0], true);
    case TermKind::And:
      return inside(infix(term, "&&"), isOperand);
    case TermKind::Same:
      return inside(infix(term, "=="), isOperand);
    case TermKind::Real:
      return fmt::format("{}", term.real);
    case TermKind::Operation:
      return operation(term, isOperand);
    case TermKind::Call:
      return fmt::format("{}({})", term.name, list(term));
    case TermKind::Leaf:
      return term.text;
    }
    TSK_UNREACHABLE("kind of term outside its enumeration");
  }

private:
  static std::string number(Wide value) {
    bool fits = value <= INT64_MAX && value >= INT64_MIN;
    return fits ? fmt::format("{}", static_cast<int64_t>(value)) : "…";
  }
  static std::string inside(const std::string &text, bool isInParentheses) {
    return isInParentheses ? "(" + text + ")" : text;
  }
  std::string list(const Term &term) {
    std::string text;
    for (TermId operand : term.operands)
      text += (text.empty() ? "" : ", ") + print(operand);
    return text;
  }
  std::string infix(const Term &term, llvm::StringRef op) {
    std::string text;
    for (TermId operand : term.operands)
      text += (text.empty() ? "" : fmt::format(" {} ", op)) + print(operand, true);
    return text;
  }

  std::string sum(const Term &term) {
    std::string text;
    for (bool isNegative : {false, true}) // `a - b`, not `-b + a`
      for (size_t i = 0; i < term.operands.size(); ++i) {
        Wide weight = term.weights[i];
        if ((weight < 0) != isNegative)
          continue;
        text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
        weight = isNegative ? -weight : weight;
        text += (weight == 1 ? "" : number(weight) + " * ") + print(term.operands[i], true);
      }
    if (text.empty())
      return number(term.constant);
    if (term.constant == 0)
      return text;
    bool isNegative = term.constant < 0;
    return text + (isNegative ? " - " : " + ") +
           number(isNegative ? -term.constant : term.constant);
  }

  // (x + d - 1) / d rounds up.
  std::string quotient(const Term &term, bool isOperand) {
    Term dividend = terms[term.operands[0]];
    if (dividend.kind != TermKind::Sum || dividend.constant != term.constant - 1)
      return inside(fmt::format("{} / {}", print(term.operands[0], true), number(term.constant)),
                    isOperand);
    dividend.constant = 0;
    return fmt::format("ceil_div({}, {})", sum(dividend), number(term.constant));
  }

  std::string operation(const Term &term, bool isOperand) {
    llvm::StringRef op = ir::spelling(term.op);
    switch (term.op) {
    case ir::ExprOp::Min:
    case ir::ExprOp::Max:
    case ir::ExprOp::CeilDiv:
    case ir::ExprOp::First:
    case ir::ExprOp::Last:
    case ir::ExprOp::Every:
      return fmt::format("{}({})", op, list(term));
    case ir::ExprOp::Select:
      return inside(fmt::format("{} ? {} : {}", print(term.operands[0], true),
                                print(term.operands[1], true), print(term.operands[2], true)),
                    isOperand);
    default:
      return term.operands.size() == 1 ? op.str() + print(term.operands[0], true)
                                       : inside(infix(term, op), isOperand);
    }
  }

  const Terms &terms;
  size_t printed = 0;
};

} // namespace

std::string Terms::text(TermId id) const { return Printer(*this).print(id); }

} // namespace tsk::proof
