// Results of the reference library that a `test` compares with: which functions there are, and what
// shape each result has. What they compute is in runtime/include/tsk/test/reference.h.
#include "compiler/sema/TestBuilder.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> UnknownReference{
    kind::UnknownReference,
    "the reference library has no `{}`; it has `matmul_nn`, `matmul_nt`, `matmul_tn`, "
    "`matmul_tt`, `softmax`, `attention`, `sum` and `row_sums`"};
constexpr Diagnostic<llvm::StringRef> ElementOfTensor{
    kind::ExpectForm, "an expectation compares whole tensors, not an element of `{}`: fill a "
                      "tensor of the test's own "
                      "with what it should be, or compare in `cpp`"};
constexpr Diagnostic<llvm::StringRef, std::string> UnfitShapes{
    kind::ShapeMismatch, "`{}` does not take these shapes: {}"};

namespace {

using Shape = std::vector<int64_t>;
using Shapes = llvm::ArrayRef<Shape>;

Shape turned(Shape shape, bool isTurned) {
  if (isTurned)
    std::swap(shape[0], shape[1]);
  return shape;
}

std::optional<Shape> product(const Shape &a, const Shape &b, bool isATurned, bool isBTurned) {
  if (a.size() != 2 || b.size() != 2)
    return std::nullopt;
  const Shape left = turned(a, isATurned), right = turned(b, isBTurned);
  if (left[1] != right[0])
    return std::nullopt;
  return Shape{left[0], right[1]};
}

std::optional<Shape> attention(Shapes of) {
  const std::optional<Shape> scores = product(of[0], of[1], false, true);
  return scores ? product(*scores, of[2], false, false) : std::nullopt;
}

std::optional<Shape> rowSums(Shapes of) {
  Shape shape = of[0];
  if (!shape.empty())
    shape.pop_back();
  return shape;
}

struct Reference {
  llvm::StringLiteral name;
  size_t tensors;
  std::optional<Shape> (*shape)(Shapes); // nothing: they do not fit together
};

constexpr Reference References[] = {
    {"matmul_nn", 2, [](Shapes of) { return product(of[0], of[1], false, false); }},
    {"matmul_nt", 2, [](Shapes of) { return product(of[0], of[1], false, true); }},
    {"matmul_tn", 2, [](Shapes of) { return product(of[0], of[1], true, false); }},
    {"matmul_tt", 2, [](Shapes of) { return product(of[0], of[1], true, true); }},
    {"softmax", 1, [](Shapes of) { return std::optional(of[0]); }},
    {"attention", 3, attention},
    {"sum", 1, [](Shapes) { return std::optional(Shape{1}); }},
    {"row_sums", 1, rowSums},
};

} // namespace

std::string TestBuilder::shapeText(llvm::StringRef name, llvm::ArrayRef<int64_t> dims) {
  std::string text = "`" + name.str();
  for (int64_t extent : dims)
    text += fmt::format("[{}]", extent);
  return text + "`";
}

// `matmul_nt(A, B)`: the same in C++, where the tensors' namespace has the function.
TestBuilder::Operand TestBuilder::referenceCall(const ast::CallExpr &call) {
  const auto *callee = llvm::dyn_cast<ast::NameExpr>(call.callee);
  const llvm::StringRef name = callee ? callee->parts.back().text : "";
  const auto *reference =
      llvm::find_if(References, [&](const Reference &each) { return each.name == name; });
  if (reference == std::end(References)) {
    if (findTensor(name))
      context.report(call.range, ElementOfTensor, name);
    else
      context.report(call.range, UnknownReference, name);
    return {};
  }
  if (call.args.size() != reference->tensors) {
    context.report(call.range, WrongArgumentCount, name, Count{reference->tensors, "argument"},
                   call.args.size());
    return {};
  }
  std::vector<std::string> tensors, shown;
  std::vector<Shape> shapes;
  for (const ast::Arg &arg : call.args) {
    const ir::TestTensor *tensor = referenceArgument(arg);
    if (!tensor)
      return {};
    tensors.push_back(tensor->name);
    shown.push_back(shapeText(tensor->name, tensor->dims));
    shapes.emplace_back(tensor->dims.begin(), tensor->dims.end());
  }
  const std::optional<Shape> shape = reference->shape(shapes);
  if (!shape) {
    context.report(call.range, UnfitShapes, name, fmt::format("{}", fmt::join(shown, ", ")));
    return {};
  }
  return {fmt::format("{}({})", name.str(), fmt::join(tensors, ", ")), *shape};
}

} // namespace tsk::sema
