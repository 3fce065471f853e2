#include "compiler/codegen/report/Graph.h"
#include "compiler/codegen/report/Describe.h"

#include <set>

namespace tsk::codegen {

namespace {

// One kernel as a cluster of nodes. Names of nodes carry the kernel's number: two instances of one
// kernel have tasks of the same names.
class GraphWriter {
public:
  GraphWriter(const ir::Kernel &drawn, size_t number, llvm::raw_ostream &stream)
      : kernel(drawn), prefix(fmt::format("k{}_", number)), os(stream) {}

  void write() {
    os << fmt::format("  subgraph cluster_{} {{\n    label = \"{}\";\n", prefix, kernel.name);
    for (size_t i = 0; i < kernel.tasks.size(); ++i)
      writeTask(kernel.tasks[kernel.tasks.idAt(i)], i);
    for (size_t i = 0; i < kernel.resources.size(); ++i)
      writeResource(kernel.resources[kernel.resources.idAt(i)], i);
    for (size_t i = 0; i < kernel.tasks.size(); ++i) {
      currentTask = i;
      writeEdges(kernel.tasks[kernel.tasks.idAt(i)].body);
    }
    os << "  }\n";
  }

private:
  void writeTask(const ir::Task &task, size_t index) {
    std::string regs = task.regs ? fmt::format("\\n{} registers", *task.regs) : "";
    os << fmt::format("    {}t{} [shape=box, label=\"{}\\n{}{}\"];\n", prefix, index, task.name,
                      warpRange(task.firstWarp, task.warps), regs);
  }

  void writeResource(const ir::Resource &resource, size_t index) {
    std::string second = words::spelling(resource.space).str();
    if (resource.tensor)
      second += " of " + kernel.params[resource.tensor].name;
    if (resource.pipeline)
      second += "\\n" + describe(*resource.pipeline);
    os << fmt::format("    {}r{} [shape=ellipse, label=\"{}\\n{}\"];\n", prefix, index,
                      resource.name, second);
  }

  void writeEdges(ir::RegionId region) {
    if (!region)
      return;
    for (const ir::Op &op : kernel.regions[region].ops) {
      if (op.kind == ir::OpKind::Call)
        writeEdge(kernel.works[op.work]);
      writeEdges(op.body);
      writeEdges(op.elseBody);
    }
  }

  // An arrow in the direction in which data moves; one for each work, however often it is called.
  void writeEdge(const ir::Work &work) {
    std::string task = fmt::format("{}t{}", prefix, currentTask);
    std::string resource = fmt::format("{}r{}", prefix, work.resource.index);
    bool isRead = work.kind == ir::WorkKind::Consume;
    std::string edge = fmt::format("    {} -> {} [label=\"{}\"{}];\n", isRead ? resource : task,
                                   isRead ? task : resource, work.name,
                                   work.kind == ir::WorkKind::Update  ? ", dir=both"
                                   : work.kind == ir::WorkKind::Setup ? ", style=dashed"
                                                                      : "");
    if (written.insert(edge).second)
      os << edge;
  }

  const ir::Kernel &kernel;
  std::string prefix;
  llvm::raw_ostream &os;
  size_t currentTask = 0;
  std::set<std::string> written;
};

} // namespace

void writeGraph(const ir::Module &module, llvm::raw_ostream &os) {
  os << "digraph kernels {\n  rankdir = LR;\n";
  size_t number = 0;
  for (const auto &kernel : module.kernels)
    if (!kernel->isTestOnly)
      GraphWriter(*kernel, number++, os).write();
  os << "}\n";
}

} // namespace tsk::codegen
