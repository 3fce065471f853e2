// Diagnostics that more than one file reports. The others stand beside their only use.
#pragma once

#include "compiler/sema/Context.h"
#include "compiler/sema/SemaDiagnostics.h"

namespace tsk::sema {

inline constexpr Diagnostic<llvm::StringRef> Redeclared{kind::Redeclared,
                                                        "`{}` is already declared"};
inline constexpr Diagnostic<llvm::StringRef> Shadowed{
    kind::Shadowed, "`{}` hides a name of an enclosing scope; names are not shadowed, "
                    "choose another one"};
inline constexpr Diagnostic<llvm::StringRef, Count, size_t> WrongArgumentCount{
    kind::WrongArgumentCount, "`{}` takes {}, found {}"};
// Of a field or pipeline.
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> DuplicateOption{
    kind::DuplicateItem, "{} `{}` has a `{}` already"};
inline constexpr Diagnostic<llvm::StringRef> DuplicateArgument{kind::DuplicateArgument,
                                                               "`{}` is given twice"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> MissingCompileTimeArgument{
    kind::MissingCompileTimeArgument,
    "compile-time parameter `{}` of `{}` has no default and no value"};
inline constexpr Diagnostic<llvm::StringRef, Suggestion> UnknownSchedule{kind::UnknownSchedule,
                                                                         "unknown schedule `{}`{}"};
inline constexpr Diagnostic<> StatementWithoutEffect{
    kind::StatementWithoutEffect,
    "this statement does nothing; a statement calls an operation, a work or a schedule"};
inline constexpr Diagnostic<llvm::StringRef> NoResult{kind::NoResult,
                                                      "`{}` is a statement and has no value"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NoPipeline{
    kind::NoPipeline, "`{0}` needs a pipeline, and resource `{1}` has none"};
inline constexpr Diagnostic<> NotCallable{kind::NotCallable, "this cannot be called"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> NotKnownAtLaunch{
    kind::NotKnownAtLaunch, "{} must be known at launch, but `{}` is not"};

} // namespace tsk::sema
