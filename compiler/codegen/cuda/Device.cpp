// The kernel's function: parameters, shared memory, barriers, one branch a warp role.
#include "compiler/codegen/cuda/Expressions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace tsk::codegen {

namespace {

// Consecutive warps that take one branch: a task, or the warpgroups that start with one setmaxnreg.
struct Branch {
  unsigned first = 0, end = 0;
  std::vector<ir::TaskId> tasks; // by first warp; none: padding
  const plan::Registers *registers = nullptr;
};

class KernelEmitter {
public:
  KernelEmitter(Writer &writer, const KernelContext &c)
      : out(writer), context(c), kernel(c.kernel), plan(c.plan), names(c.names) {}

  void emit() {
    const std::string bound =
        plan.minCtasPerSm ? ", " + std::to_string(plan.minCtasPerSm) : std::string();
    out.line("__global__ void __launch_bounds__({}{})", context.threads(), bound);
    out.open("{}({})", names.function, llvm::join(parameters(), ", "));
    sharedMemory();
    views();
    barriers();
    branches();
    if (plan.meetsAtEnd) {
      out.blank();
      out.line("tsk::warp_sync();");
      out.line("tsk::cluster_sync(); // peers may reach this CTA's memory until here");
    }
    out.close();
  }

private:
  std::vector<std::string> parameters() const {
    std::vector<std::string> list;
    list.reserve(names.maps.size() + context.uses.params.size() + context.uses.scalars.size());
    for (const std::string &map : names.maps)
      list.push_back("const __grid_constant__ tsk::tensor_map " + map);
    for (ir::ParamId id : context.uses.params) {
      const ir::Param &param = kernel.params[id];
      const bool isPointer = param.shape == ir::Param::Shape::Pointer;
      const std::string element =
          (param.direction == ir::Direction::In ? "const " : "") + cppType(param.element);
      // Tensors do not overlap if one is written (the launcher checks it); pointers may.
      list.push_back(isPointer ? element + " *" + names.views[id.index]
                               : element + " *__restrict__ " + names.pointers[id.index]);
    }
    for (ir::ScalarId id : context.uses.scalars)
      list.push_back(cppType(kernel.scalars[id].type) + " " + names.scalars[id.index]);
    return list;
  }

  void sharedMemory() {
    if (!context.usesSharedMemory())
      return;
    out.line("unsigned char *const {} = tsk::dynamic_smem();", names.smem);
    for (size_t i = 0; i < plan.allocations.size(); ++i) {
      const plan::Allocation &allocation = plan.allocations[plan.allocations.idAt(i)];
      pointer(names.allocations[i], cppType(kernel.fields[allocation.field].element),
              allocation.offset);
    }
    for (size_t i = 0; i < plan.barriers.size(); ++i)
      if (const plan::Barrier &barrier = plan.barriers[plan.barriers.idAt(i)]; isMbarrier(barrier))
        pointer(names.barriers[i], "tsk::mbarrier", barrier.offset);
  }

  void pointer(const std::string &name, const std::string &type, uint32_t offset) {
    out.line("auto *const {} = reinterpret_cast<{} *>({}{});", name, type, names.smem,
             offset ? " + " + std::to_string(offset) : std::string());
  }

  static bool isMbarrier(const plan::Barrier &barrier) {
    return barrier.kind == plan::Barrier::Kind::Mbarrier;
  }

  void views() {
    for (ir::ParamId id : context.uses.params) {
      const ir::Param &param = kernel.params[id];
      if (param.shape != ir::Param::Shape::Tensor)
        continue;
      const std::string element =
          (param.direction == ir::Direction::In ? "const " : "") + cppType(param.element);
      const bool isStrided = !param.strides.empty();
      out.line("const tsk::{}<{}, {}> {}{{{}, {{{}}}{}}};", isStrided ? "strided_tensor" : "tensor",
               element, param.dims.size(), names.views[id.index], names.pointers[id.index],
               extents(param.dims, ir::ScalarType::I32),
               isStrided ? ", {" + extents(param.strides, ir::ScalarType::I64) + "}" : "");
    }
  }

  // What does not fit the view's type by itself is known to do so: the launcher has checked it.
  std::string extents(const std::vector<ir::ExprId> &list, ir::ScalarType type) const {
    std::vector<std::string> texts;
    for (ir::ExprId id : list) {
      const ir::ScalarType own = plan.tables.exprs[id].type.scalar;
      const bool isNarrowing = ir::bitWidth(own) > ir::bitWidth(type) ||
                               (ir::bitWidth(own) == ir::bitWidth(type) && own != type);
      const std::string text = deviceExpr(context, id);
      texts.push_back(isNarrowing ? fmt::format("{}({})", cppType(type), text) : text);
    }
    return llvm::join(texts, ", ");
  }

  void barriers() {
    if (!context.usesBarriers())
      return;
    out.blank();
    out.open("if (tsk::block_thread() == 0)");
    std::map<unsigned, std::vector<size_t>> byStages; // one loop for arrays of equal length
    for (size_t i = 0; i < plan.barriers.size(); ++i)
      if (const plan::Barrier &barrier = plan.barriers[plan.barriers.idAt(i)]; isMbarrier(barrier))
        byStages[barrier.stages].push_back(i);
    for (const auto &[stages, indices] : byStages)
      initialise(stages, indices);
    out.line("tsk::fence_mbarrier_init();");
    out.close();
    out.line(plan.meetsAtStart ? "tsk::cluster_sync();" : "tsk::cta_sync();");
  }

  void initialise(unsigned stages, llvm::ArrayRef<size_t> indices) {
    const bool isArray = stages > 1;
    if (isArray)
      out.open("for (int i = 0; i < {}; ++i)", stages);
    for (size_t i : indices)
      out.line("tsk::mbarrier_init({}{}, {});", names.barriers[i], isArray ? " + i" : "",
               plan.barriers[plan.barriers.idAt(i)].arrivals);
    if (isArray)
      out.close();
  }

  // ---- Roles ----

  void branches() {
    out.blank();
    std::vector<Branch> list = plan.registers.empty() ? byTask() : byRegisters();
    const bool isOne = list.size() == 1 && list[0].first == 0 && list[0].end == plan.warps;
    if (!isOne || !isWhole(list[0]))
      out.line("const int {} = tsk::warp_index();", names.warp);
    if (isOne)
      return branchBody(list[0]);
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string warps = conditionOf(list, i);
      const std::string condition = warps.empty() ? "" : fmt::format("if ({}) ", warps);
      if (i) {
        out.dedent();
        out.line("}} else {}{{ // {}", condition, describe(list[i]));
      } else {
        out.line("{}{{ // {}", condition, describe(list[i]));
      }
      out.indent();
      branchBody(list[i]);
    }
    out.close();
  }

  // Whether the branches before take exactly the warps below this one. Then the upper end alone
  // tells it from the next, and the last one needs no condition.
  static bool followsAll(llvm::ArrayRef<Branch> list, size_t i) {
    unsigned covered = 0;
    for (const Branch &branch : list.take_front(i)) {
      if (branch.first != covered)
        return false;
      covered = branch.end;
    }
    return list[i].first == covered;
  }

  std::string conditionOf(llvm::ArrayRef<Branch> list, size_t i) const {
    const Branch &branch = list[i];
    if (!followsAll(list, i))
      return warpsOf(branch.first, branch.end);
    const bool isRest = i > 0 && branch.end == plan.warps;
    return isRest ? "" : fmt::format("{} < {}", names.warp, branch.end);
  }

  std::string warpsOf(unsigned first, unsigned end) const {
    if (end == first + 1)
      return fmt::format("{} == {}", names.warp, first);
    if (first == 0)
      return fmt::format("{} < {}", names.warp, end);
    const std::string lower = fmt::format("{} >= {}", names.warp, first);
    return end == plan.warps ? lower : lower + fmt::format(" && {} < {}", names.warp, end);
  }

  std::string describe(const Branch &branch) const {
    std::vector<std::string> parts;
    parts.reserve(branch.tasks.size());
    for (ir::TaskId id : branch.tasks)
      parts.push_back(plan.tasks[id].name);
    for (const plan::Padding &padding : plan.padding)
      if (padding.warps && padding.firstWarp >= branch.first && padding.firstWarp < branch.end)
        parts.push_back(padding.warps == 1
                            ? fmt::format("warp {} is padding", padding.firstWarp)
                            : fmt::format("warps {} .. {} are padding", padding.firstWarp,
                                          padding.firstWarp + padding.warps));
    return llvm::join(parts, ", ");
  }

  std::vector<ir::TaskId> tasksByWarp() const {
    std::vector<ir::TaskId> ids;
    ids.reserve(plan.tasks.size());
    for (size_t i = 0; i < plan.tasks.size(); ++i)
      ids.push_back(plan.tasks.idAt(i));
    llvm::stable_sort(ids, [&](ir::TaskId a, ir::TaskId b) {
      return plan.tasks[a].firstWarp < plan.tasks[b].firstWarp;
    });
    return ids;
  }

  std::vector<Branch> byTask() const {
    std::vector<Branch> list;
    for (ir::TaskId id : tasksByWarp()) {
      const plan::Task &task = plan.tasks[id];
      list.push_back({task.firstWarp, task.firstWarp + task.warps, {id}, nullptr});
    }
    return list;
  }

  // setmaxnreg is executed by whole warpgroups, whose tasks are told apart inside.
  std::vector<Branch> byRegisters() const {
    std::vector<Branch> list;
    for (const plan::Registers &item : plan.registers) {
      Branch branch{item.firstWarp, item.firstWarp + item.warps, {}, &item};
      for (ir::TaskId id : tasksByWarp())
        if (plan.tasks[id].firstWarp >= branch.first && plan.tasks[id].firstWarp < branch.end)
          branch.tasks.push_back(id);
      list.push_back(std::move(branch));
    }
    return list;
  }

  // One task has all the warps of the branch.
  bool isWhole(const Branch &branch) const {
    if (branch.tasks.size() != 1)
      return false;
    const plan::Task &task = plan.tasks[branch.tasks[0]];
    return task.firstWarp == branch.first && task.firstWarp + task.warps == branch.end;
  }

  void branchBody(const Branch &branch) {
    if (branch.registers && branch.registers->change != plan::Registers::Change::Keep)
      out.line("tsk::setmaxnreg_{}<{}>();", plan::spelling(branch.registers->change),
               branch.registers->count);
    for (size_t i = 0; i < branch.tasks.size(); ++i) {
      const plan::Task &task = plan.tasks[branch.tasks[i]];
      std::vector<std::string> conditions;
      if (!isWhole(branch))
        conditions.push_back(warpsOf(task.firstWarp, task.firstWarp + task.warps));
      if (task.isSingleLane)
        conditions.push_back("tsk::elect_one()");
      if (conditions.empty()) {
        emitTaskBody(out, context, branch.tasks[i]);
        continue;
      }
      out.line("if ({}) {{{}", llvm::join(conditions, " && "),
               branch.tasks.size() > 1 ? " // " + task.name : "");
      out.indent();
      emitTaskBody(out, context, branch.tasks[i]);
      out.close();
    }
  }

  Writer &out;
  const KernelContext &context;
  const ir::Kernel &kernel;
  const plan::Plan &plan;
  const KernelNames &names;
};

} // namespace

void emitKernelFunction(Writer &out, const KernelContext &context) {
  KernelEmitter(out, context).emit();
}

} // namespace tsk::codegen
