// plan-memory: where each field and each barrier lies in the CTA's shared memory.
//
// Needs the barriers and the kernel's fields; sets allocations, offsets and the total. Fields with
// the strictest alignment come first, so that nothing is lost to padding but between stages whose
// size is no multiple of their alignment; equal ones keep their order. Barriers come last. Offsets
// count from the start of dynamic shared memory, which the generated code aligns to
// target::SharedAlignment.
//
// Stands behind everything that adds barriers or fields; what does not fit is reported with a table
// of who takes what.
#include "compiler/ir/Text.h"
#include "compiler/plan/FieldLayout.h"
#include "compiler/plan/Layout.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/PlanDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace tsk::plan {

namespace {

constexpr Diagnostic<std::string, uint64_t, llvm::StringRef, uint32_t> SharedMemoryExceeded{
    kind::SharedMemoryExceeded, "kernel `{}` needs {} bytes of shared memory; a CTA on "
                                "`{}` has at most {}: use fewer stages or "
                                "smaller fields"};

// A stage's base: TMA and vectors want 16 at least, a bulk tensor copy 128, and a swizzled one the
// size of its pattern, eight rows of the span.
uint32_t alignmentOf(const ir::Field &field) {
  uint32_t align = 16;
  if (!field.tensors.empty())
    align = target::TmaAlignment;
  static_assert(target::SharedAlignment >= 1024);
  align = std::max(align, swizzleSpan(field.swizzle) * SwizzleRows);
  return std::max<uint32_t>(align, field.align);
}

Allocation allocationFor(const ir::Kernel &kernel, FieldId id) {
  const ir::Field &field = kernel.fields[id];
  const ir::Resource &resource = kernel.resources[field.resource];
  Allocation allocation;
  allocation.name = ir::fieldName(kernel, id);
  allocation.field = id;
  allocation.stages = resource.pipeline ? resource.pipeline->stages : 1;
  allocation.align = alignmentOf(field);
  // Saturates: a field that large is refused with the total below.
  uint64_t bytes = llvm::alignTo(static_cast<uint64_t>(field.stageBytes()), allocation.align);
  allocation.stageBytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, INT32_MAX));
  return allocation;
}

void reportExceeded(PassContext &context, uint64_t total) {
  const Plan &plan = context.plan;
  ReportBuilder report =
      context.diags.report(context.kernel.loc, SharedMemoryExceeded, context.kernel.name, total,
                           context.target.name, context.target.ctaSharedBytes);
  for (const Allocation &allocation : plan.allocations)
    report.note(context.kernel.fields[allocation.field].loc, "{:>8} bytes: `{}`, {} stage{} of {}",
                totalBytes(allocation), allocation.name, allocation.stages,
                allocation.stages == 1 ? "" : "s", allocation.stageBytes);
  for (size_t i = 0, next = 0; i < plan.barriers.size(); i = next) {
    const Barrier &first = plan.barriers[plan.barriers.idAt(i)];
    uint64_t bytes = 0;
    for (next = i; next < plan.barriers.size(); ++next) { // a pipeline's stand together
      const Barrier &barrier = plan.barriers[plan.barriers.idAt(next)];
      if (barrier.resource != first.resource)
        break;
      bytes += totalBytes(barrier);
    }
    if (bytes)
      report.note(first.loc, "{:>8} bytes: barriers of `{}`", bytes, first.resource);
  }
}

} // namespace

bool planMemory(PassContext &context) {
  const ir::Kernel &kernel = context.kernel;
  Plan &plan = context.plan;
  std::vector<Allocation> allocations;
  for (size_t i = 0; i < kernel.fields.size(); ++i) {
    FieldId id = kernel.fields.idAt(i);
    if (kernel.resources[kernel.fields[id].resource].space == ir::SpaceKind::Smem)
      allocations.push_back(allocationFor(kernel, id));
  }
  std::stable_sort(allocations.begin(), allocations.end(),
                   [](const Allocation &a, const Allocation &b) { return a.align > b.align; });

  uint64_t end = 0;
  for (Allocation &allocation : allocations) {
    end = placeAt(allocation, end);
    plan.allocations.add(std::move(allocation));
  }
  for (Barrier &barrier : plan.barriers)
    end = placeAt(barrier, end);
  if (end > context.target.ctaSharedBytes) {
    reportExceeded(context, end);
    return false;
  }
  plan.sharedBytes = static_cast<uint32_t>(end);
  return true;
}

} // namespace tsk::plan
