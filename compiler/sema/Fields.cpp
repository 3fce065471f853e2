// Fields of resources and their attributes.
#include "compiler/sema/ResourceBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/target/Target.h"

#include "llvm/Support/MathExtras.h"

#include <map>

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> FieldInGmem{kind::FieldInGmem,
                                                  "a `gmem` resource has no fields: its memory is "
                                                  "the tensor; `{}` belongs into `smem` or `regs`"};
constexpr Diagnostic<llvm::StringRef> FieldTooLarge{kind::FieldTooLarge,
                                                    "field `{}` is larger than any memory"};
constexpr Diagnostic<int64_t> AlignNotPowerOfTwo{kind::AlignNotPowerOfTwo,
                                                 "an alignment is a power of two, not {}"};
constexpr Diagnostic<llvm::StringRef> AttributeOutsideSmem{
    kind::AttributeOutsideSmem, "`{}` is an attribute of fields in `smem`"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef, llvm::StringRef>
    FieldTensorType{kind::FieldTensorType,
                    "TMA converts nothing: `{}` has elements of `{}`, but `{}` of `{}`"};
constexpr Diagnostic<llvm::StringRef, Count, llvm::StringRef, size_t> FieldTensorRank{
    kind::FieldTensorRank, "a TMA box has its tensor's rank: `{}` has {}, `{}` has {}"};
constexpr Diagnostic<> InitOutsideRegs{
    kind::InitOutsideRegs, "only fields in `regs` are initialised; write shared memory in a work"};

void ResourceBuilder::addField(const ast::Field &field) {
  if (!field.name)
    return;
  Symbol *symbol = declare(state.context, bodyNames, field.name, Symbol::Kind::Field);
  if (!symbol)
    return;
  members.insert(*symbol);
  if (resource().space == ast::SpaceKind::Gmem) {
    state.context.report(field.range, FieldInGmem, field.name.text);
    return;
  }
  ir::Field built;
  built.name = field.name.text.str();
  built.resource = id;
  built.loc = field.name.range;
  TypeResolver types(state, scope);
  auto element = types.element(field.type, fmt::format("fields like `{}`", field.name.text));
  hasElement = element.has_value();
  if (element)
    built.element = *element;
  // A field is there even if its extents are wrong: works name it.
  hasDims = setDims(built, field);
  std::map<ast::FieldAttr::Kind, SourceRange> seen;
  for (const ast::FieldAttr &attr : field.attrs)
    if (const auto [first, isFirst] = seen.try_emplace(attr.kind, attr.range); isFirst)
      setAttribute(built, field, attr);
    else
      state.context
          .report(attr.range, DuplicateOption, "field", field.name.text,
                  state.context.text(attr.range).split(' ').first)
          .note(first->second, "the first is here");
  if (resource().space == ast::SpaceKind::Regs && !built.per)
    built.per = ast::PerUnit::Thread;
  if (field.init && element)
    setInit(built, field);
  ir::FieldId fieldId = kernel.fields.add(std::move(built));
  resource().fields.push_back(fieldId);
}

bool ResourceBuilder::setDims(ir::Field &built, const ast::Field &field) {
  ExprResolver resolver = state.resolver(scope);
  for (const ast::Expr *dim : field.dims) {
    auto extent = resolver.constantInteger(
        dim, fmt::format("an extent of field `{}`", field.name.text), 1, INT32_MAX);
    if (!extent)
      return false;
    built.dims.push_back(*extent);
  }
  // 2^40 bytes are far beyond any memory, and small enough to compute with.
  int64_t elements = 1;
  for (int64_t extent : built.dims) {
    elements = elements > (int64_t(1) << 40) / extent ? int64_t(1) << 41 : elements * extent;
    if (elements > int64_t(1) << 40) {
      state.context.report(field.range, FieldTooLarge, field.name.text);
      return false;
    }
  }
  return true;
}

void ResourceBuilder::setAttribute(ir::Field &built, const ast::Field &field,
                                   const ast::FieldAttr &attr) {
  bool isShared = resource().space == ast::SpaceKind::Smem;
  auto needsShared = [&](llvm::StringRef name) {
    if (!isShared)
      state.context.report(attr.range, AttributeOutsideSmem, name);
    return isShared;
  };
  switch (attr.kind) {
  case ast::FieldAttr::Kind::Align:
    if (needsShared("align"))
      setAlign(built, attr);
    return;
  case ast::FieldAttr::Kind::Swizzle:
    if (needsShared("swizzle"))
      built.swizzle = attr.swizzle;
    return;
  case ast::FieldAttr::Kind::Per:
    return setPer(built, attr);
  case ast::FieldAttr::Kind::Of:
    if (needsShared("of"))
      setTensors(built, field, attr);
    return;
  case ast::FieldAttr::Kind::Multicast:
    built.multicast = attr.axis;
    return;
  case ast::FieldAttr::Kind::View:
    return state.context.notYetCompiled(Construct::Views, attr.range);
  }
}

void ResourceBuilder::setAlign(ir::Field &built, const ast::FieldAttr &attr) {
  ExprResolver resolver = state.resolver(scope);
  auto align = resolver.constantInteger(attr.value, "an alignment", 1, target::SharedAlignment);
  if (align && !llvm::isPowerOf2_64(static_cast<uint64_t>(*align)))
    state.context.report(attr.value->range, AlignNotPowerOfTwo, *align);
  else if (align)
    built.align = static_cast<unsigned>(*align);
}

void ResourceBuilder::setPer(ir::Field &built, const ast::FieldAttr &attr) {
  if (resource().space != ast::SpaceKind::Regs)
    return state.context.notYetCompiled(Construct::PerFields, attr.range);
  if (attr.per == ast::PerUnit::Warp)
    return state.context.notYetCompiled(Construct::PerWarpRegs, attr.range);
  built.per = attr.per;
}

void ResourceBuilder::setTensors(ir::Field &built, const ast::Field &field,
                                 const ast::FieldAttr &attr) {
  for (const ast::Name &name : attr.tensors) {
    const Symbol *symbol = lookUp(state.context, scope, name);
    if (!symbol) {
      state.ofBroken.insert(kernel.fields.idAt(kernel.fields.size()));
      continue;
    }
    if (symbol->kind != Symbol::Kind::Tensor) {
      reportWrongKind(state.context, name.range, *symbol, "a tensor");
      continue;
    }
    const ir::Param &tensor = kernel.params[symbol->param];
    if (hasElement && tensor.element != built.element)
      state.context
          .report(name.range, FieldTensorType, field.name.text, ir::spelling(built.element),
                  name.text, ir::spelling(tensor.element))
          .note(tensor.loc, "`{}` is declared here", tensor.name);
    else if (hasDims && tensor.dims.size() != built.dims.size())
      state.context
          .report(name.range, FieldTensorRank, field.name.text,
                  Count{built.dims.size(), "dimension"}, name.text, tensor.dims.size())
          .note(tensor.loc, "`{}` is declared here", tensor.name);
    built.tensors.push_back(symbol->param);
  }
}

void ResourceBuilder::setInit(ir::Field &built, const ast::Field &field) {
  if (resource().space != ast::SpaceKind::Regs) {
    state.context.report(field.init->range, InitOutsideRegs);
    return;
  }
  ExprResolver resolver = state.resolver(scope);
  std::string what = fmt::format("the initial value of `{}`", field.name.text);
  auto constant = resolver.constant(field.init, what);
  if (!constant)
    return;
  ir::ExprId value = ir::makeConstant(kernel.tables, *constant, field.init->range);
  // Any number may start any element type; what it cannot hold is reported.
  ir::Folded fitted = constant->type == built.element ? ir::Folded{*constant}
                                                      : ir::convert(*constant, built.element);
  if (fitted)
    built.init = ir::makeConstant(kernel.tables, fitted.constant, field.init->range);
  else
    resolver.convertTo(value, ir::Type::ofScalar(built.element), field.init->range, what);
}

} // namespace tsk::sema
