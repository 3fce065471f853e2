// Findings that tokens and Clang report alike.
#pragma once

#include "compiler/body/BodyDiagnostics.h"

namespace tsk::body {

inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodyProtocol{
    kind::BodyProtocol, "`{}` has no place in a body: synchronisation is the schedule's; {}"};
inline constexpr Diagnostic<llvm::StringRef> BodyAsmProtocol{
    kind::BodyAsmProtocol,
    "`{}` has no place in a body: barriers and registers are the compiler's"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodyThreadIdx{
    kind::BodyThreadIdx, "`{}` counts the threads of the CTA, padding included; {}"};
inline constexpr llvm::StringLiteral OwnThread = "a body's thread is `tsk::task_thread()`";
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodyBlockIdx{
    kind::BodyThreadIdx, "`{}` is not what the simulator and the schedule know; write `tsk::{}()`"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodyConsumeWrites{
    kind::BodyConsumeWrites,
    "`{}` is a `consume` work and writes `{}`; what reads and writes is an `update`"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef, llvm::StringRef> BodyWritesForeign{
    kind::BodyWritesForeign, "a body writes only its own resource, and `{}` is not {} of `{}`"};
inline constexpr Diagnostic<llvm::StringRef> BodyWritesInput{
    kind::BodyWritesInput, "`{}` is an `in` tensor; those are never written"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> BodySetupTouches{
    kind::BodySetupTouches, "`{}` is a `setup` work and touches no payload, but names `{}`"};
inline constexpr Diagnostic<llvm::StringRef> PrimitiveArgument{
    kind::PrimitiveArgument, "the first argument of `tsk::{}` is a field"};
inline constexpr Diagnostic<llvm::StringRef> PrimitiveNotYetCompiled{kind::PrimitiveNotYetCompiled,
                                                                     "not yet compiled: {}"};
inline constexpr Diagnostic<llvm::StringRef> TmaWithoutTensor{
    kind::TmaWithoutTensor, "TMA needs a tensor: say which one it moves, `{} : … of tensor;`"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> TmaOutsidePipeline{
    kind::TmaOutsidePipeline,
    "TMA fills `{}` behind the threads' back: resource `{}` needs a pipeline with `tma` on its "
    "producer side"};
inline constexpr Diagnostic<llvm::StringRef, llvm::StringRef> TmaPipelineWithoutTma{
    kind::TmaPipelineWithoutTma,
    "the pipeline of `{}` is filled by `tma`, but `{}` issues no `tsk::tma_load`"};
inline constexpr Diagnostic<llvm::StringRef> TmaTwice{
    kind::TmaUncounted,
    "a second `tsk::tma_load` fills the stage of `{}` again, and its barrier expects one copy a "
    "call; give the second copy a field or a work of its own"};

// What to do instead of a part of the protocol; what a primitive will be.
llvm::StringRef insteadOf(llvm::StringRef protocol);
llvm::StringRef laterText(llvm::StringRef primitive);

} // namespace tsk::body
