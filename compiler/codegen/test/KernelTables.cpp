#include "compiler/codegen/test/KernelTables.h"

#include "compiler/codegen/cuda/KernelNames.h"
#include "compiler/codegen/cuda/UserText.h"

namespace tsk::codegen {

namespace {

class TableEmitter {
public:
  TableEmitter(Writer &writer, const SourceManager &s, const TestProgramOptions &o,
               NameScope &scope)
      : out(writer), sources(s), options(o), names(scope),
        lineTable(names.claim("statement_lines")) {}

  // Generated line, file, line of the statement.
  void lines() {
    if (options.steps.empty())
      return;
    out.open("constexpr tsk::sim::line_name {}[] =", lineTable);
    for (const auto &[generated, loc] : options.steps) {
      const PresumedLoc place = sources.presumed(loc);
      out.line("{{{}, \"{}\", {}}},", generated, displayedPath(place.file), place.line);
    }
    out.close(";");
    out.blank();
  }

  // The name of the function that describes it.
  std::string kernel(const ir::Kernel &kernel, const plan::Plan &plan, const KernelNames &own) {
    const std::string function = names.claim("describe_" + kernel.name);
    out.open("void {}()", function);
    out.line("tsk::sim::kernel_names names;");
    out.line("names.kernel = \"{}\";", kernel.name);
    tasks(plan);
    barriers(plan);
    memory(plan);
    if (!options.steps.empty()) {
      out.line("names.generated_file = \"{}\";", options.sourceName);
      out.line("names.lines = {};", lineTable);
      out.line("names.line_count = std::size({});", lineTable);
    }
    out.line("tsk::sim::describe(reinterpret_cast<const void *>(&{}::{}), names);",
             own.implNamespace, own.function);
    out.close();
    out.blank();
    return function;
  }

private:
  void tasks(const plan::Plan &plan) {
    if (plan.tasks.empty())
      return;
    out.open("static constexpr tsk::sim::task_name tasks[] =");
    for (const plan::Task &task : plan.tasks)
      out.line("{{\"{}\", {}, {}}},", task.name, task.firstWarp, task.warps);
    out.close(";");
    use("tasks", "task_count");
  }

  void barriers(const plan::Plan &plan) {
    if (plan.barriers.empty())
      return;
    out.open("static constexpr tsk::sim::barrier_name barriers[] =");
    for (const plan::Barrier &barrier : plan.barriers) {
      const bool isNamed = barrier.kind == plan::Barrier::Kind::Named;
      out.line("{{\"{}\", {}, {}, {}}},", barrier.name, isNamed ? barrier.namedId : barrier.offset,
               barrier.stages, isNamed);
    }
    out.close(";");
    use("barriers", "barrier_count");
  }

  void memory(const plan::Plan &plan) {
    if (plan.allocations.empty())
      return;
    out.open("static constexpr tsk::sim::memory_name memory[] =");
    for (const plan::Allocation &allocation : plan.allocations)
      out.line("{{\"{}\", {}, {}, {}}},", allocation.name, allocation.offset, allocation.stageBytes,
               allocation.stages);
    out.close(";");
    use("memory", "memory_count");
  }

  void use(llvm::StringRef table, llvm::StringRef counter) {
    out.line("names.{0} = {0};", table);
    out.line("names.{} = std::size({});", counter, table);
  }

  Writer &out;
  const SourceManager &sources;
  const TestProgramOptions &options;
  NameScope &names;
  const std::string lineTable;
};

} // namespace

std::string emitKernelTables(Writer &out, const ir::Module &module,
                             llvm::ArrayRef<plan::Plan> plans, const SourceManager &sources,
                             const TestProgramOptions &options, NameScope &names) {
  const ModuleNames moduleNames(module, options.nameSpace);
  TableEmitter emitter(out, sources, options, names);
  emitter.lines();
  std::vector<std::string> functions;
  for (size_t i = 0; i < plans.size(); ++i)
    functions.push_back(emitter.kernel(*module.kernels[i], plans[i],
                                       nameKernel(*module.kernels[i], plans[i], moduleNames)));
  const std::string all = names.claim("describe_kernels");
  out.open("void {}()", all);
  for (const std::string &name : functions)
    out.line("{}();", name);
  out.close();
  out.blank();
  return all;
}

} // namespace tsk::codegen
