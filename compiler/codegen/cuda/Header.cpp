// The header: what a program that calls the kernels includes. Plain C++.
#include "compiler/codegen/cuda/Expressions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::codegen {

namespace {

struct Member {
  std::string declaration;
  std::string comment;
};

std::string describeTensor(const KernelContext &context, const ir::Param &param) {
  const auto dims = llvm::map_range(
      param.dims, [&](ir::ExprId dim) { return hostExpr(context, context.kernel.tables, dim); });
  std::string text = "[" + llvm::join(dims, ", ") + "]";
  if (!param.strides.empty())
    text += ", strided";
  if (needsAlignment(context, param))
    text += ", aligned to 16 bytes";
  return text;
}

// Parameters as declared, then the dimensions and strides that they name.
std::vector<Member> members(const KernelContext &context) {
  const ir::Kernel &kernel = context.kernel;
  std::vector<Member> list;
  std::set<ir::ScalarId> done;
  const auto scalar = [&](ir::ScalarId id) {
    if (done.insert(id).second)
      list.push_back(
          {cppType(kernel.scalars[id].type) + " " + cppName(kernel.scalars[id].name), ""});
  };
  for (const ir::Param &param : kernel.params) {
    if (param.shape == ir::Param::Shape::Scalar) {
      scalar(param.scalar);
      continue;
    }
    const bool isConst = param.direction == ir::Direction::In;
    const bool isTensor = param.shape == ir::Param::Shape::Tensor;
    list.push_back({(isConst ? "const " : "") + cppType(param.element) + " *" + cppName(param.name),
                    isTensor ? describeTensor(context, param) : ""});
  }
  for (size_t i = 0; i < kernel.scalars.size(); ++i)
    scalar(kernel.scalars.idAt(i));
  return list;
}

} // namespace

void emitArguments(Writer &out, const KernelContext &context) {
  const std::vector<Member> list = members(context);
  size_t width = 0;
  for (const Member &member : list)
    if (!member.comment.empty())
      width = std::max(width, member.declaration.size());
  out.open("struct {}", context.names.arguments);
  for (const Member &member : list) {
    const std::string declaration = member.declaration + ";";
    const std::string aligned =
        declaration + std::string(width - std::min(width, member.declaration.size()), ' ') +
        " // " + member.comment;
    if (member.comment.empty()) {
      out.line(llvm::StringRef(declaration));
    } else if (Writer::fits("  " + aligned)) {
      out.line(llvm::StringRef(aligned));
    } else {
      out.line("// {}", member.comment);
      out.line(llvm::StringRef(declaration));
    }
  }
  out.close(";");
  out.blank();
}

bool haveEqualArguments(const KernelContext &a, const KernelContext &b) {
  return llvm::equal(members(a), members(b), [](const Member &left, const Member &right) {
    return left.declaration == right.declaration;
  });
}

std::string launcherDeclaration(const std::string &name, const std::string &arguments) {
  return fmt::format("[[nodiscard]] tsk::status {}(const {} &args, tsk::stream stream = {{}});",
                     name, arguments);
}

void emitLauncherDeclaration(Writer &out, const KernelContext &context) {
  for (const ir::Requirement &requirement : context.kernel.requirements)
    out.line("// requires {}", llvm::join(llvm::split(requirement.text, '\n'), " "));
  out.line("{}", launcherDeclaration(context.names.kernel, context.names.arguments));
  out.blank();
}

} // namespace tsk::codegen
