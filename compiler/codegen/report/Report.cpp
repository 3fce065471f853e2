#include "compiler/codegen/report/Report.h"
#include "compiler/codegen/report/Describe.h"
#include "compiler/plan/Names.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace tsk::codegen {

namespace {

// A pipeline with what the plan made of it.
struct PipelineRow {
  const ir::Resource *resource;
  unsigned stages;
  uint32_t stageBytes;
  unsigned fullArrivals; // 0: no such barrier
  unsigned emptyArrivals;
};

// Text in columns, each as wide as its widest cell.
class TextTable {
public:
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  void write(llvm::raw_ostream &os, llvm::StringRef indent) const {
    std::vector<size_t> widths;
    for (const auto &cells : rows) {
      widths.resize(std::max(widths.size(), cells.size()));
      for (size_t i = 0; i < cells.size(); ++i)
        widths[i] = std::max(widths[i], cells[i].size());
    }
    for (const auto &cells : rows) {
      std::string line = indent.str();
      for (size_t i = 0; i < cells.size(); ++i)
        line += fmt::format("{:{}}  ", cells[i], widths[i]);
      os << llvm::StringRef(line).rtrim(' ') << '\n';
    }
  }

private:
  std::vector<std::vector<std::string>> rows;
};

} // namespace

static unsigned arrivals(const plan::Plan &plan, const std::string &name) {
  for (const plan::Barrier &barrier : plan.barriers)
    if (barrier.name == name)
      return barrier.arrivals;
  return 0;
}

static std::vector<PipelineRow> pipelines(const PlannedKernel &planned) {
  std::vector<PipelineRow> rows;
  for (const ir::Resource &resource : planned.kernel.resources) {
    if (!resource.pipeline)
      continue;
    uint32_t bytes = 0;
    for (const plan::Allocation &allocation : planned.plan.allocations)
      if (llvm::is_contained(resource.fields, allocation.field))
        bytes += allocation.stageBytes;
    rows.push_back({&resource, resource.pipeline->stages, bytes,
                    arrivals(planned.plan, plan::fullBarrierName(resource)),
                    arrivals(planned.plan, plan::emptyBarrierName(resource))});
  }
  return rows;
}

static std::string registers(const plan::Plan &plan, unsigned warp) {
  const auto count = plan.registersOf(warp);
  return count ? fmt::format("{} registers", *count) : "registers left to ptxas";
}

static void writeWarps(const PlannedKernel &planned, llvm::raw_ostream &os) {
  const plan::Plan &plan = planned.plan;
  os << fmt::format("  warps: {} ({} threads of {})\n", plan.warps,
                    plan.warps * target::WarpThreads, planned.target.ctaThreads);
  TextTable table;
  for (const plan::Task &task : plan.tasks)
    table.row({task.name, warpRange(task.firstWarp, task.warps), registers(plan, task.firstWarp),
               task.isSingleLane ? "one lane" : ""});
  for (const plan::Padding &padding : plan.padding)
    table.row({"(padding)", warpRange(padding.firstWarp, padding.warps),
               registers(plan, padding.firstWarp)});
  table.write(os, "    ");
}

static void writeMemory(const PlannedKernel &planned, llvm::raw_ostream &os) {
  const plan::Plan &plan = planned.plan;
  os << fmt::format("  shared memory: {} bytes of {}\n", plan.sharedBytes,
                    planned.target.ctaSharedBytes);
  TextTable table;
  for (const plan::Allocation &allocation : plan.allocations)
    table.row({plan.fields[allocation.field], fmt::format("at {}", allocation.offset),
               fmt::format("{} x {} bytes", allocation.stages, allocation.stageBytes)});
  for (const plan::Barrier &barrier : plan.barriers)
    if (barrier.kind == plan::Barrier::Kind::Mbarrier)
      table.row({barrier.name, fmt::format("at {}", barrier.offset),
                 fmt::format("{} x {} bytes", barrier.stages, target::MbarrierBytes)});
  table.write(os, "    ");
}

void writeReport(const PlannedKernel &planned, llvm::raw_ostream &os) {
  os << fmt::format("kernel {} ({})\n", planned.plan.kernel, planned.plan.target);
  writeWarps(planned, os);
  writeMemory(planned, os);
  std::vector<PipelineRow> rows = pipelines(planned);
  if (rows.empty())
    return;
  os << "  pipelines:\n";
  TextTable table;
  table.row(
      {"resource", "mechanism", "stages", "bytes a stage", "full arrivals", "empty arrivals"});
  for (const PipelineRow &row : rows)
    table.row({row.resource->name, mechanisms(*row.resource->pipeline), std::to_string(row.stages),
               std::to_string(row.stageBytes), std::to_string(row.fullArrivals),
               std::to_string(row.emptyArrivals)});
  table.write(os, "    ");
}

// ---- JSON

static void registersJson(llvm::json::OStream &json, const plan::Plan &plan, unsigned warp) {
  if (const auto count = plan.registersOf(warp))
    json.attribute("registers", *count);
}

static void taskJson(llvm::json::OStream &json, const plan::Plan &plan, const plan::Task &task) {
  json.object([&] {
    json.attribute("name", task.name);
    json.attribute("firstWarp", task.firstWarp);
    json.attribute("warps", task.warps);
    registersJson(json, plan, task.firstWarp);
    json.attribute("singleLane", task.isSingleLane);
  });
}

static void pipelineJson(llvm::json::OStream &json, const PipelineRow &row) {
  json.object([&] {
    json.attribute("resource", row.resource->name);
    json.attribute("mechanism", mechanisms(*row.resource->pipeline));
    json.attribute("stages", row.stages);
    json.attribute("stageBytes", row.stageBytes);
    json.attribute("fullArrivals", row.fullArrivals);
    json.attribute("emptyArrivals", row.emptyArrivals);
  });
}

static void memoryJson(llvm::json::OStream &json, const plan::Plan &plan) {
  auto piece = [&](llvm::StringRef name, uint32_t offset, unsigned stages, uint32_t bytes) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("offset", offset);
      json.attribute("stages", stages);
      json.attribute("stageBytes", bytes);
    });
  };
  for (const plan::Allocation &allocation : plan.allocations)
    piece(plan.fields[allocation.field], allocation.offset, allocation.stages,
          allocation.stageBytes);
  for (const plan::Barrier &barrier : plan.barriers)
    if (barrier.kind == plan::Barrier::Kind::Mbarrier)
      piece(barrier.name, barrier.offset, barrier.stages, target::MbarrierBytes);
}

static void kernelJson(llvm::json::OStream &json, const PlannedKernel &planned) {
  const plan::Plan &plan = planned.plan;
  json.object([&] {
    json.attribute("kernel", plan.kernel);
    json.attribute("target", plan.target);
    json.attribute("warps", plan.warps);
    json.attribute("sharedBytes", plan.sharedBytes);
    json.attribute("sharedBytesLimit", planned.target.ctaSharedBytes);
    json.attributeArray("tasks", [&] {
      for (const plan::Task &task : plan.tasks)
        taskJson(json, plan, task);
    });
    json.attributeArray("padding", [&] {
      for (const plan::Padding &padding : plan.padding)
        json.object([&] {
          json.attribute("firstWarp", padding.firstWarp);
          json.attribute("warps", padding.warps);
          registersJson(json, plan, padding.firstWarp);
        });
    });
    json.attributeArray("memory", [&] { memoryJson(json, plan); });
    json.attributeArray("pipelines", [&] {
      for (const PipelineRow &row : pipelines(planned))
        pipelineJson(json, row);
    });
  });
}

void writeReportJson(llvm::ArrayRef<PlannedKernel> kernels, llvm::raw_ostream &os) {
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.array([&] {
    for (const PlannedKernel &planned : kernels)
      kernelJson(json, planned);
  });
  os << '\n';
}

} // namespace tsk::codegen
