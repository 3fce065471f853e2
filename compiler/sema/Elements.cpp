#include "compiler/sema/Elements.h"

#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> NotAResource{kind::WrongKindOfName,
                                                   "`{}` is an expression, expected a resource"};

std::string elementName(llvm::StringRef name, size_t index) {
  return fmt::format("{}_{}", name, index);
}

std::optional<ir::ResourceId> resourceOf(Context &context, ExprResolver resolver,
                                         const Symbol &symbol, const ast::Expr *index,
                                         SourceRange range) {
  const auto wanted = index ? Symbol::Kind::ResourceArray : Symbol::Kind::Resource;
  if (symbol.kind != wanted) {
    reportWrongKind(context, range, symbol, index ? "an array of resources" : "a resource");
    return std::nullopt;
  }
  if (!index)
    return symbol.resource;
  auto number = resolver.constantInteger(index, fmt::format("an index of `{}`", symbol.name), 0,
                                         static_cast<int64_t>(symbol.elements.size()) - 1);
  if (!number)
    return std::nullopt;
  return symbol.elements[static_cast<size_t>(*number)];
}

std::optional<NamedResource> resourceOf(Context &context, const Scope &scope, ExprResolver resolver,
                                        const ast::Expr &expr) {
  const auto *element = llvm::dyn_cast<ast::IndexExpr>(&expr);
  const auto *name = llvm::dyn_cast<ast::NameExpr>(element ? element->base : &expr);
  if (!name) {
    if (expr.kind != ast::Expr::Kind::Error)
      context.report(expr.range, NotAResource, context.text(expr.range));
    return std::nullopt;
  }
  const Symbol *symbol = lookUpQualified(context, scope, name->parts);
  if (!symbol)
    return std::nullopt;
  auto id = resourceOf(context, resolver, *symbol, element ? element->index : nullptr, expr.range);
  if (!id)
    return std::nullopt;
  return NamedResource{*id, element ? context.text(expr.range).str() : symbol->name, symbol->loc};
}

} // namespace tsk::sema
