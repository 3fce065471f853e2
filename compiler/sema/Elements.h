// Arrays of resources and instances of tasks: each element is a resource or task of its own, called
// `s_0`, `s_1`, … in bodies and reports.
#pragma once

#include "compiler/sema/ExprResolver.h"

namespace tsk::sema {

// `s_1`.
std::string elementName(llvm::StringRef name, size_t index);

// The resource that a name stands for, with an index or without (`index` null). `range` is what is
// reported if that is something else.
std::optional<ir::ResourceId> resourceOf(Context &context, ExprResolver resolver,
                                         const Symbol &symbol, const ast::Expr *index,
                                         SourceRange range);

// `r`, `p::r` or `s[1]` as an expression.
struct NamedResource {
  ir::ResourceId id;
  std::string name; // as it was written
  SourceRange loc;  // of its declaration
};
std::optional<NamedResource> resourceOf(Context &context, const Scope &scope, ExprResolver resolver,
                                        const ast::Expr &expr);

} // namespace tsk::sema
