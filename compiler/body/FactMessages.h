// What is said about bodies that Clang has read.
#pragma once

#include "compiler/body/BodyDiagnostics.h"
#include "compiler/support/Diagnostics.h"

namespace tsk::body {

using llvm::StringRef;

inline constexpr Diagnostic<StringRef, std::string> PrimitiveCount{
    kind::TmaUncounted, "`tsk::{}` runs {} in a call, and its barrier expects one copy a call; "
                        "guard or repeat the call in the schedule instead"};
inline constexpr Diagnostic<StringRef, StringRef, StringRef, StringRef> DivergentCollective{
    kind::DivergentCollective, "`{}` needs all {}, and {}; bring them together first{}"};
inline constexpr Diagnostic<StringRef, int64_t> LaneNotNamed{
    kind::DivergentCollective,
    "lane {1} comes to `{0}`, and its mask does not name it; name all lanes that come, or let the "
    "others go round it"};
inline constexpr Diagnostic<std::string, std::string, int64_t, StringRef> IndexOutOfRange{
    kind::IndexOutOfRange, "index {} is outside of {}, which has {} element(s){}"};
inline constexpr Diagnostic<std::string, int64_t> LocalArrayIndexed{
    kind::LocalArrayIndexed,
    "{} is indexed by a number that is known at run time only, so its {} bytes cannot stay in "
    "registers; index it with constants, in loops that can be unrolled"};
inline constexpr Diagnostic<std::string, std::string, StringRef> EffectsUnknown{
    kind::EffectsUnknown,
    "{} may do anything with {}, and nobody can see what; say what the work does: `{}`"};
inline constexpr Diagnostic<std::string, StringRef> AddressLeaves{
    kind::AddressLeaves, "the address of {} is {}, where no rule holds for its stage any more; "
                         "pass on the values that it holds"};
inline constexpr Diagnostic<StringRef, std::string, StringRef> StoreNotFenced{
    kind::StoreNotFenced,
    "`tsk::{}` reads {} by the {} not see this body's own stores to it; end the work after "
    "the stores and synchronise the task in the schedule"};
inline constexpr Diagnostic<int64_t, int64_t, StringRef> ResultsMissing{
    kind::ResultsMissing, "{} of {} results of `{}` are returned; the others would be zero"};
inline constexpr Diagnostic<StringRef, StringRef, StringRef, StringRef> ArgumentType{
    kind::ArgumentType, "`{}` of `{}` is `{}`, which `{}` does not convert to"};
inline constexpr Diagnostic<StringRef, StringRef> MixedMechanisms{
    kind::MixedMechanisms,
    "`{}` fills `{}` both by TMA and by threads: the barrier of the stage counts bytes, and does "
    "not wait for the threads' stores; give each its own field and pipeline"};
inline constexpr Diagnostic<StringRef> HiddenName{
    kind::HiddenName,
    "`{}` is a parameter of this work; a local of its outermost block has another name"};
inline constexpr Diagnostic<StringRef, StringRef, std::string> EffectNotDeclared{
    kind::EffectNotDeclared, "`{}` declares its effects, but it also {} {}"};
inline constexpr Diagnostic<StringRef> EffectsVisible{
    kind::EffectsVisible,
    "nothing in `{}` is hidden from view, so it need not declare its effects"};
inline constexpr Diagnostic<StringRef> ReadBeforeWrite{
    kind::ReadBeforeWrite,
    "the first round of the loop reads `{}` before anything was written there"};
inline constexpr Diagnostic<StringRef> EmptyStageRead{
    kind::EmptyStageRead,
    "this reads `{}` of a stage that nobody has filled yet; a stage begins with no content"};
inline constexpr Diagnostic<StringRef, StringRef> ResultNotUniform{
    kind::ResultNotUniform, "`{}` of `{}` is declared `uniform`, but each thread finds its own: it "
                            "follows from the thread's "
                            "number"};
inline constexpr Diagnostic<std::string, std::string, int64_t> OutsideStage{
    kind::OutsideStage, "this reaches {} of a stage of {}, which has {} bytes: what lies there "
                        "belongs to another stage or field"};
inline constexpr Diagnostic<std::string, int64_t, std::string, std::string> NotShownInside{
    kind::NotShownInside,
    "not proved: that this stays inside of a stage of {}, which has {} bytes{}; bound the index by "
    "constants, or let the work declare its effects, which are then trusted: `{}`"};
inline constexpr Diagnostic<int64_t, int64_t, StringRef, std::string, StringRef, StringRef>
    ThreadsMeetInTensor{kind::ThreadsMeet,
                        "threads {} and {} of one call of `{}` meet in {}: one {} what the other "
                        "{}, and no barrier is between; give each thread elements of its own, let "
                        "one run it (`by leader`), or use atomics"};
inline constexpr Diagnostic<StringRef, std::string, StringRef, StringRef> ThreadsMeet{
    kind::ThreadsMeet, "threads of one call of `{}` meet in {}: one {} what another {}, and no "
                       "barrier is between; make two works of it, with `task.sync()` between"};
inline constexpr Diagnostic<StringRef, StringRef, std::string, StringRef, std::string>
    ThreadsMayMeet{kind::ThreadsMayMeet, "not proved: that no thread of a call of `{}` {} in {} "
                                         "what another {}; index it by sums of "
                                         "`tsk::task_thread()` and loops with constant bounds, "
                                         "make two works of it, or let it declare "
                                         "its effects, which are then trusted: `{}`"};
inline constexpr Diagnostic<StringRef, StringRef> UniformNotShown{
    kind::UniformNotShown,
    "not proved: that `{}` of `{}`, which is declared `uniform`, is the same in all threads: they "
    "read it at places of their own, or exchange it among some; read it where all read the same"};
inline constexpr Diagnostic<std::string, StringRef, StringRef> SharedVariable{
    kind::SharedVariable,
    "not proved: that `{}` holds what `{}` expects, which {} it: no barrier orders variables of "
    "`cpp` blocks; let a tensor of the kernel hold it"};
inline constexpr Diagnostic<StringRef, StringRef> LaneOfOne{
    kind::LaneOfOne,
    "one elected thread runs `{}`, and which one `{}` does not say: loop over all, or let all "
    "threads run the work"};
inline constexpr Diagnostic<StringRef, std::string> FunctionChanges{
    kind::FunctionChanges,
    "function `{}` only computes, the same in all threads from the same arguments; {}"};
inline constexpr Diagnostic<StringRef, StringRef, std::string> BodyNotFollowed{
    kind::BodyNotFollowed, "what `{}` does cannot be followed, since {}; say what it does: `{}`"};
inline constexpr Diagnostic<StringRef, StringRef, StringRef> OperandsDiffer{
    kind::OperandsDiffer,
    "{} is another in the threads of a {}, which run one instruction together: it follows from "
    "the thread's number; {}"};
inline constexpr Diagnostic<StringRef, StringRef, StringRef> OperandsNotShownAlike{
    kind::OperandsDiffer, "not proved: that {} is the same in all threads of a {}, which run one "
                          "instruction together; {}"};
inline constexpr Diagnostic<StringRef, int64_t> OtherRows{
    kind::OperandRows, "{} has {} rows, and `rows` says another number of them"};
inline constexpr Diagnostic<StringRef, int64_t> RowsNotShown{
    kind::OperandRows, "not proved: that `rows` says how many rows {} has, {}; say the number"};
inline constexpr Diagnostic<StringRef, int64_t> RowsBeginElsewhere{
    kind::OperandRows,
    "the rows of {} do not begin at a multiple of {}, where the swizzle's pattern begins"};
inline constexpr Diagnostic<StringRef, int64_t, int64_t> RowsBeginNotShown{
    kind::OperandRows, "not proved: that the rows of {} begin at a multiple of {}, where the "
                       "swizzle's pattern begins; multiply in the body: `rows({} * i, …)`"};
inline constexpr Diagnostic<std::string> OperandNotSwizzled{
    kind::OperandNotSwizzled, "{} is not swizzled, and `tsk::wgmma` and `tsk::stmatrix` take no "
                              "other fields; declare it with `swizzle 128B`"};

} // namespace tsk::body
