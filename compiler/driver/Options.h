// The option table that Options.td describes.
#pragma once

#include "llvm/Option/OptTable.h"

namespace tsk::driver {

enum class Verb : uint8_t {
#define TSK_VERB(Name, Spelling, Operands, Summary) Name,
#include "compiler/driver/Verbs.def"
};

struct VerbInfo {
  Verb verb;
  llvm::StringLiteral name;
  llvm::StringLiteral operands;
  llvm::StringLiteral summary;
};
llvm::ArrayRef<VerbInfo> allVerbs();
const VerbInfo &info(Verb verb);
std::optional<Verb> verbByName(llvm::StringRef name);

enum OptionId : unsigned {
  OPT_INVALID = 0,
#define OPTION(...) LLVM_MAKE_OPT_ID(__VA_ARGS__),
#include "compiler/driver/Options.inc"
#undef OPTION
};

const llvm::opt::OptTable &optionTable();
llvm::opt::Visibility visibility(Verb verb);

// The part of tskc's own command line that is not an option's value.
constexpr llvm::StringLiteral ProgramName = "tskc";

} // namespace tsk::driver
