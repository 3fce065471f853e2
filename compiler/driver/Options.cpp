#include "compiler/driver/Options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Option/Option.h"

namespace tsk::driver {

// Options.td names visibilities so; bit 0 is LLVM's DefaultVis.
enum : unsigned {
#define TSK_VERB(Name, Spelling, Operands, Summary)                                                \
  Name##Verb = 1u << (1 + static_cast<unsigned>(Verb::Name)),
#include "compiler/driver/Verbs.def"
};

static constexpr VerbInfo Verbs[] = {
#define TSK_VERB(Name, Spelling, Operands, Summary) {Verb::Name, Spelling, Operands, Summary},
#include "compiler/driver/Verbs.def"
};

llvm::ArrayRef<VerbInfo> allVerbs() { return Verbs; }
const VerbInfo &info(Verb verb) { return Verbs[static_cast<size_t>(verb)]; }

std::optional<Verb> verbByName(llvm::StringRef name) {
  const auto *found = llvm::find_if(Verbs, [&](const VerbInfo &v) { return v.name == name; });
  if (found == std::end(Verbs))
    return std::nullopt;
  return found->verb;
}

llvm::opt::Visibility visibility(Verb verb) {
  return llvm::opt::Visibility(1u << (1 + static_cast<unsigned>(verb)));
}

using namespace llvm::opt; // DefaultVis, HelpHidden

#define PREFIX(Name, Value)                                                                        \
  static constexpr llvm::StringLiteral Name##_init[] = Value;                                      \
  static constexpr llvm::ArrayRef<llvm::StringLiteral> Name(Name##_init,                           \
                                                            std::size(Name##_init) - 1);
#include "compiler/driver/Options.inc"
#undef PREFIX

static constexpr llvm::opt::OptTable::Info InfoTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "compiler/driver/Options.inc"
#undef OPTION
};

namespace {
class TskOptTable : public llvm::opt::GenericOptTable {
public:
  TskOptTable() : GenericOptTable(InfoTable) { setDashDashParsing(true); }
};
} // namespace

const llvm::opt::OptTable &optionTable() {
  static const TskOptTable Table;
  return Table;
}

} // namespace tsk::driver
