// V7: bodies do what their resource says. A pipeline's barriers count arrivals for one mechanism
// and bytes for the other, so the stage has to be filled by the one that is declared; a bulk load
// completes a barrier, so it needs a pipeline.
#include "compiler/ir/Text.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/structure/Structure.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, llvm::StringRef, std::string, llvm::StringRef> WrongMechanism{
    kind::WrongMechanism, "`{}` fills the stage by `{}`, but the pipeline of `{}` says `{}`"};
constexpr Diagnostic<std::string, std::string> LoadWithoutPipeline{
    kind::LoadWithoutPipeline,
    "`{}` loads into `{}` by TMA, which has no pipeline: nothing tells when the load is complete"};
constexpr Diagnostic<std::string, std::string> WritesForeignField{
    kind::WritesForeignField, "`{}` writes `{}`; a body writes only its own resource"};
constexpr Diagnostic<std::string, std::string> ConsumeWrites{
    kind::ConsumeWrites,
    "`{}` is a `consume` work and writes `{}`; a work that changes its stage in place is an "
    "`update`"};

// A peer's stage is filled by threads' stores.
bool isFilledBy(const ir::Pipeline &pipeline, ir::Mechanism mechanism) {
  return llvm::is_contained(pipeline.producers, mechanism) ||
         (ir::isRemote(pipeline) && mechanism == ir::Mechanism::Async);
}

class Checker {
public:
  Checker(const ir::Kernel &theKernel, DiagnosticEngine &engine)
      : kernel(theKernel), diags(engine) {}

  bool run() {
    for (size_t i = 0; i < kernel.works.size(); ++i) {
      ir::WorkId id = kernel.works.idAt(i);
      for (const ir::Access &access : kernel.works[id].accesses)
        if (access.field && access.isWrite)
          check(id, kernel.works[id], access);
    }
    return isGood;
  }

private:
  void check(ir::WorkId id, const ir::Work &work, const ir::Access &access) {
    std::string name = ir::workName(kernel, id);
    std::string field = ir::fieldName(kernel, access.field);
    ir::ResourceId owner = kernel.fields[access.field].resource;
    const ir::Resource &resource = kernel.resources[owner];
    bool isTma = access.mechanism == ir::Mechanism::Tma;
    if (owner != work.resource && resource.space != ir::SpaceKind::Regs)
      return fail(work, WritesForeignField, name, field);
    if (work.kind == ir::WorkKind::Consume)
      return fail(work, ConsumeWrites, name, field);
    if (isTma && !resource.pipeline)
      return fail(work, LoadWithoutPipeline, name, resource.name);
    if (resource.pipeline && work.kind == ir::WorkKind::Produce &&
        !isFilledBy(*resource.pipeline, access.mechanism))
      return fail(work, WrongMechanism, name, words::spelling(access.mechanism), resource.name,
                  words::spelling(resource.pipeline->producers.front()));
  }

  template <typename... Args>
  void fail(const ir::Work &work, const Diagnostic<Args...> &diagnostic,
            const std::type_identity_t<Args> &...args) {
    diags.report(work.loc, diagnostic, args...);
    isGood = false;
  }

  const ir::Kernel &kernel;
  DiagnosticEngine &diags;
  bool isGood = true;
};

} // namespace

bool checkEffects(const ir::Kernel &kernel, DiagnosticEngine &diags) {
  return Checker(kernel, diags).run();
}

} // namespace tsk::verify
