// The kernel instance that is being made, shared by the builders of its parts.
#pragma once

#include "compiler/body/BodyScan.h"
#include "compiler/sema/ExprResolver.h"
#include "compiler/sema/Instance.h"
#include "compiler/sema/Purity.h"

#include "llvm/ADT/StringSet.h"

#include <map>
#include <set>

namespace tsk::sema {

struct KernelState : FunctionTable {
  KernelState(Context &semaContext, const Instance &kernelInstance,
              const llvm::StringSet<> &namesInCpp, Purity &purityOfCpp)
      : context(semaContext), instance(kernelInstance), decl(*kernelInstance.kernel.decl),
        global(&kernelInstance.kernel.home->visible), cppNames(namesInCpp), purity(purityOfCpp),
        errorsBefore(semaContext.errorCount()) {}

  Context &context;
  const Instance &instance;
  const ast::KernelDecl &decl;
  std::unique_ptr<ir::Kernel> kernel = std::make_unique<ir::Kernel>();

  // The file's constants that the kernel's text names, as constants of the kernel, above all that
  // the file brings; then what the kernel declares.
  Scope global;
  Scope scope{&global};
  // The kernel's items with `static if` resolved.
  std::vector<const ast::Decl *> items;
  const llvm::StringSet<> &cppNames; // in C++ blocks: types and functions that we know nothing of
  Purity &purity;                    // of code that calls what is in them
  // C++ types with every constant replaced by its value: equal texts, equal types.
  llvm::StringMap<std::string> canonicalTypes;
  // The tasks that take turns, by the order's resource.
  std::map<ir::ResourceId, std::vector<std::string>> orders;
  // The two ways of an iteration over tiles that two tasks share.
  struct Share {
    ir::TaskId task;
    ir::RegionId own, others;
  };
  std::vector<Share> shares;
  // Which resource type a resource is an instance of, for schedules that take one.
  std::map<ir::ResourceId, const ast::ResourceTypeDecl *> resourceTypes;

  // Mistakes that have been reported, so that what follows from them is not: fields of a tensor
  // that is wrong itself, resources without the pipeline that schedules use.
  std::set<ir::FieldId> ofBroken;
  std::set<ir::ResourceId> lackPipeline;
  std::vector<body::UnfilledField> unfilled; // by TMA: reported when the schedules are known

  // Values of schedules by the place of their declaration: a schedule that is run twice is read
  // twice, and a value counts as used if one of its lives is.
  struct Use {
    std::string name;
    SourceRange range;
    bool isUsed = false;
    bool isAssigned = false; // a `var`, behind its declaration
  };
  std::map<SourceLoc, Use> uses;
  size_t unfolded = 0; // statements built so far
  // Works that declare effects: what they name may be declared below them.
  std::vector<std::pair<ir::WorkId, const ast::Work *>> declaringWorks;
  // Likewise the resources of parameters that are stages.
  struct WrittenHold {
    ir::WorkId work;
    size_t index; // in its holds
    const ast::Param *param;
  };
  std::vector<WrittenHold> holdParams;

  // Judgements about the whole ("never used") would only echo an error in a part.
  unsigned errorsBefore;
  bool hasErrors() const { return context.errorCount() != errorsBefore; }

  std::map<const ast::FunctionDecl *, std::optional<ir::FunctionId>> functions; // made so far
  std::optional<ir::FunctionId> find(const Symbol &function) override;          // Functions.cpp

  ExprResolver resolver(const Scope &names, WorkCaller *works = nullptr) {
    return ExprResolver(context, kernel->tables, names, works, this);
  }
  ExprResolver resolver() { return resolver(scope); }
};

// The constants in sight that a text may come to: that it spells, and those that it may mean by a
// macro of a `cpp` block or through a file that is included. In the order of their declaration.
std::vector<const Symbol *> reachableConstants(const KernelState &state, llvm::StringRef text,
                                               const Scope &visible); // KernelBuilder.cpp

// Whether a launcher can compute it, of arguments alone: before it has a grid.
bool isKnownAtLaunch(const ir::ValueTables &tables, ir::ExprId id); // Launch.cpp

// Is it `r::stage`? HoldParams.cpp
bool isStageType(const ast::Type *type);

// The parts, in the order in which they are built. Each reports what is wrong and leaves the kernel
// without it.
void flattenItems(KernelState &state);             // KernelItems.cpp
void declareCompileTimeParams(KernelState &state); // KernelParams.cpp
void buildKernelParams(KernelState &state);
void declareItems(KernelState &state);      // KernelItems.cpp
void buildLaunch(KernelState &state);       // Launch.cpp: requires, grid, target, when
void checkRequirements(KernelState &state); // Requirements.cpp: can they hold together?
void buildResources(KernelState &state);    // ResourceBuilder.cpp
void buildEffects(KernelState &state);      // Effects.cpp
void buildHoldParams(KernelState &state);   // HoldParams.cpp
void buildOrder(KernelState &state, const ast::OrderDecl &decl); // Turns.cpp
void buildTasks(KernelState &state);                             // Tasks.cpp
void finishShares(KernelState &state); // Turns.cpp: what is skipped, when all tasks are built
void buildDepends(KernelState &state); // Depends.cpp

// What checkUses() does, in two parts.
using AddNotes = llvm::function_ref<void(ReportBuilder &)>;
void checkDirections(const ir::Kernel &kernel, DiagnosticEngine &diags,
                     AddNotes more);                                               // Directions.cpp
void checkRoles(const ir::Kernel &kernel, DiagnosticEngine &diags, AddNotes more); // Roles.cpp

} // namespace tsk::sema
