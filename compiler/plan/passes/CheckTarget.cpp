// check-target: may this kernel be compiled, and for this target?
//
// Needs nothing, changes nothing. Stands first: every later pass relies on the mechanisms, spaces
// and fields being ones that it knows how to lower, and what is refused here is named as the user
// wrote it instead of failing halfway down.
#include "compiler/ir/Text.h"
#include "compiler/plan/Participants.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::plan {

constexpr Diagnostic<std::string> PlanNotYetCompiled{kind::PlanNotYetCompiled,
                                                     "{} is not yet compiled"};

namespace {

using target::Feature;

constexpr Diagnostic<std::string, std::string, std::string> TargetNotDeclared{
    kind::TargetNotDeclared, "kernel `{}` is declared for {} and cannot be compiled for `{}`"};
constexpr Diagnostic<std::string, llvm::StringRef, llvm::StringRef> TargetLacksFeature{
    kind::TargetLacksFeature,
    "{} needs {}, which `{}` does not have; choose another target with --arch or `target`"};

constexpr Diagnostic<unsigned, llvm::StringRef, unsigned> ClusterTooLarge{
    kind::ClusterTooLarge, "a cluster of {} CTAs; every device for `{}` can run at most {}"};
constexpr Diagnostic<std::string> MulticastField{
    kind::MulticastField,
    "{}: `multicast` is for fields `of` a tensor that a pipeline fills by `tma`"};

class Checker {
public:
  explicit Checker(PassContext &pass) : context(pass) {}

  bool run() {
    checkDeclaredTargets();
    checkCluster();
    for (const ir::Param &param : context.kernel.params)
      if (param.shape != ir::Param::Shape::Scalar)
        checkElement(param.loc, param.name, param.element);
    for (const ir::Resource &resource : context.kernel.resources)
      checkResource(resource);
    for (const ir::Task &task : context.kernel.tasks) {
      if (task.regs)
        need(task.regsLoc, "`regs`", Feature::SetMaxNReg);
      checkRegion(task.body);
    }
    return isGood;
  }

private:
  void notYet(SourceRange place, const std::string &what) {
    context.diags.report(place, PlanNotYetCompiled, what);
    isGood = false;
  }

  void need(SourceRange place, const std::string &what, Feature feature) {
    if (context.target.has(feature))
      return;
    context.diags.report(place, TargetLacksFeature, what, target::spelling(feature),
                         context.target.name);
    isGood = false;
  }

  void checkDeclaredTargets() {
    const std::vector<std::string> &declared = context.kernel.targets;
    if (declared.empty() || llvm::is_contained(declared, context.target.name))
      return;
    std::string list;
    for (const std::string &name : declared)
      list += (list.empty() ? "`" : ", `") + name + "`";
    context.diags.report(context.kernel.loc, TargetNotDeclared, context.kernel.name, list,
                         context.target.name.str());
    isGood = false;
  }

  void checkCluster() {
    const ir::Cluster &cluster = context.kernel.cluster;
    if (cluster.size() == 1)
      return;
    need(cluster.loc, "`cluster`", Feature::Clusters);
    if (cluster.size() <= context.target.clusterSize || !context.target.has(Feature::Clusters))
      return;
    context.diags.report(cluster.loc, ClusterTooLarge, cluster.size(), context.target.name,
                         context.target.clusterSize);
    isGood = false;
  }

  void checkResource(const ir::Resource &resource) {
    if (resource.space == ir::SpaceKind::Tmem)
      notYet(resource.loc, fmt::format("`{}`: a resource in tmem", resource.name));
    for (ir::FieldId field : resource.fields)
      checkField(resource, context.kernel.fields[field]);
    if (resource.pipeline)
      checkPipeline(resource, *resource.pipeline);
  }

  // A view addresses elements; two in a byte have one address.
  void checkElement(SourceRange place, std::string name, ir::ScalarType element) {
    if (ir::bitWidth(element) < 8)
      notYet(place, fmt::format("`{}`: an element narrower than a byte (`{}`)", name,
                                ir::spelling(element)));
  }

  void checkField(const ir::Resource &resource, const ir::Field &field) {
    std::string name = fmt::format("`{}.{}`", resource.name, field.name);
    checkElement(field.loc, fmt::format("{}.{}", resource.name, field.name), field.element);
    if (resource.space == ir::SpaceKind::Regs)
      checkRegisters(field, name);
    else if (field.per)
      notYet(field.loc, name + ": a field with `per`");
    if (field.multicast &&
        (!resource.pipeline || !isTmaPipeline(resource) || field.tensors.empty())) {
      context.diags.report(field.loc, MulticastField, name);
      isGood = false;
    }
    if (field.viewOf)
      notYet(field.loc, name + ": a field that is a `view`");
    if (field.init)
      notYet(field.loc, name + ": a field with an initial value");
    if (!field.tensors.empty())
      need(field.loc, name + ", which TMA moves,", Feature::Tma);
    if (field.tensors.size() > 1)
      notYet(field.loc, name + ": a field of several tensors");
  }

  // An accumulator of the tensor cores: 64 rows a warpgroup, sums of floats or of integers.
  void checkRegisters(const ir::Field &field, const std::string &name) {
    const bool isSum = field.element == ir::ScalarType::F32 || field.element == ir::ScalarType::I32;
    const bool isAccumulator = field.per == ir::PerUnit::Warpgroup && field.dims.size() == 2 &&
                               field.dims[0] == 64 && field.dims[1] % 8 == 0 &&
                               field.dims[1] <= 256 && isSum;
    if (isAccumulator)
      need(field.loc, name, Feature::Wgmma);
    else
      notYet(field.loc, name + ": a field in regs other than an accumulator, `f32[64][8 … 256] per "
                               "warpgroup` or of i32,");
  }

  void checkPipeline(const ir::Resource &resource, const ir::Pipeline &pipeline) {
    auto is = [&](ir::Mechanism producer, ir::Mechanism consumer = ir::Mechanism::Async) {
      return !pipeline.isExchange && pipeline.producers == std::vector{producer} &&
             pipeline.consumers == std::vector{consumer};
    };
    const bool isWgmma = is(ir::Mechanism::Tma, ir::Mechanism::Wgmma);
    const bool isOfPeers = is(ir::Mechanism::Remote);
    if (!is(ir::Mechanism::Tma) && !is(ir::Mechanism::Async) && !isWgmma && !isOfPeers) {
      notYet(pipeline.loc, fmt::format("`pipeline {}`", describe(pipeline)));
      return;
    }
    std::string name = fmt::format("the pipeline of `{}`", resource.name);
    need(pipeline.loc, name, Feature::Mbarrier);
    if (is(ir::Mechanism::Tma) || isWgmma)
      need(pipeline.loc, name, Feature::Tma);
    if (isWgmma)
      need(pipeline.loc, name, Feature::Wgmma);
    if (isOfPeers)
      need(pipeline.loc, name, Feature::Clusters);
    if (resource.space != ir::SpaceKind::Smem)
      notYet(pipeline.loc, name + ": a pipeline outside shared memory");
  }

  static std::string describe(const ir::Pipeline &pipeline) {
    auto side = [](const std::vector<ir::Mechanism> &mechanisms) {
      std::string text;
      for (ir::Mechanism mechanism : mechanisms)
        text += (text.empty() ? "" : " + ") + words::spelling(mechanism).str();
      return text;
    };
    return fmt::format("{} {} {}", side(pipeline.producers), pipeline.isExchange ? "<->" : "->",
                       side(pipeline.consumers));
  }

  void checkRegion(ir::RegionId region) {
    if (!region)
      return;
    for (const ir::Op &op : context.kernel.regions[region].ops) {
      if (op.kind == ir::OpKind::Sync && op.scope == ir::SyncScope::Cluster)
        notYet(op.loc, "`cluster.sync()`");
      if (op.kind == ir::OpKind::Sync && op.scope == ir::SyncScope::Warpgroup)
        notYet(op.loc, "`warpgroup.sync()`");
      if (op.kind == ir::OpKind::ParallelFor && op.across == ir::Across::Cta && !isOneTask())
        notYet(op.loc, "`parallel for … across cta` beside warps that do not run it");
      if (op.kind == ir::OpKind::Call)
        checkCall(op);
      checkRegion(op.body);
      checkRegion(op.elseBody);
    }
  }

  // One task has all the warps that plan-warps will make, padding included.
  bool isOneTask() const {
    const auto &tasks = context.kernel.tasks;
    if (tasks.size() != 1)
      return false;
    const ir::Task &task = *tasks.begin();
    return task.firstWarp == 0 && (!task.regs || task.warps % target::WarpgroupWarps == 0);
  }

  void checkCall(const ir::Op &op) {
    for (const ir::Access &access : context.kernel.works[op.work].accesses) {
      const bool isKnown = access.mechanism == ir::Mechanism::Async ||
                           access.mechanism == ir::Mechanism::Wgmma ||
                           access.mechanism == ir::Mechanism::Tma;
      if (!isKnown)
        notYet(op.loc, fmt::format("`{}`: an asynchronous mechanism like this one in a body",
                                   ir::workName(context.kernel, op.work)));
    }
  }

  PassContext &context;
  bool isGood = true;
};

} // namespace

bool checkTarget(PassContext &context) { return Checker(context).run(); }

} // namespace tsk::plan
