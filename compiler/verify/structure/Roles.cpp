// Roles: a pipeline has somebody at each end. A producer without a consumer fills all stages and
// waits for ever; a consumer without a producer never starts.
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/structure/Structure.h"

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, unsigned, std::string> NoConsumer{
    kind::NoConsumer,
    "task `{}` fills `{}`, but no task waits for it: after {} stage{} it waits for ever"};
constexpr Diagnostic<std::string, std::string> NoProducer{
    kind::NoProducer, "task `{}` waits for `{}`, but no task fills it"};
constexpr Diagnostic<std::string, std::string, std::string> NoOtherTurn{
    kind::NoOtherTurn,
    "task `{}` takes turns in `{}`, but the other task of this order never enters it: {}"};

struct Ends {
  const ir::Op *acquire = nullptr;
  const ir::Op *wait = nullptr;
  const ir::Task *producer = nullptr;
  const ir::Task *consumer = nullptr;
};

void scan(const ir::Kernel &kernel, const ir::Task &task, ir::RegionId region,
          std::vector<Ends> &ends) {
  if (!region)
    return;
  for (const ir::Op &op : kernel.regions[region].ops) {
    if (op.kind == ir::OpKind::Acquire && !ends[op.resource.index].acquire) {
      ends[op.resource.index].acquire = &op;
      ends[op.resource.index].producer = &task;
    }
    if (op.kind == ir::OpKind::Wait && !ends[op.resource.index].wait) {
      ends[op.resource.index].wait = &op;
      ends[op.resource.index].consumer = &task;
    }
    scan(kernel, task, op.body, ends);
    scan(kernel, task, op.elseBody, ends);
  }
}

} // namespace

bool checkRoles(const ir::Kernel &kernel, DiagnosticEngine &diags) {
  std::vector<Ends> ends(kernel.resources.size());
  for (const ir::Task &task : kernel.tasks)
    scan(kernel, task, task.body, ends);
  bool isGood = true;
  for (size_t i = 0; i < ends.size(); ++i) {
    const ir::Resource &resource = kernel.resources[kernel.resources.idAt(i)];
    unsigned stages = resource.pipeline ? resource.pipeline->stages : 1;
    const Ends &end = ends[i];
    if (resource.isOrder && !end.acquire != !end.wait)
      diags.report(end.acquire ? end.acquire->loc : end.wait->loc, NoOtherTurn,
                   end.acquire ? end.producer->name : end.consumer->name, resource.name,
                   end.acquire ? "there is no second turn" : "the first turn is the other's");
    else if (ends[i].acquire && !ends[i].wait)
      diags.report(ends[i].acquire->loc, NoConsumer, ends[i].producer->name, resource.name, stages,
                   stages == 1 ? "" : "s");
    else if (ends[i].wait && !ends[i].acquire)
      diags.report(ends[i].wait->loc, NoProducer, ends[i].consumer->name, resource.name);
    else
      continue;
    isGood = false;
  }
  return isGood;
}

} // namespace tsk::verify
