// Reads a plan's text. Items (names, memory, barriers) are read in PlanReader.cpp, tasks and their
// steps in StepReader.cpp.
#pragma once

#include "compiler/ir/ExprText.h"
#include "compiler/plan/Layout.h"
#include "compiler/plan/Plan.h"

#include <map>
#include <memory>
#include <set>

namespace tsk::plan {

class PlanReader {
public:
  PlanReader(SourceManager &sources, SourceLoc begin, DiagnosticEngine &diagnostics)
      : reader(sources, begin, diagnostics), plan(std::make_unique<Plan>()) {}

  std::unique_ptr<Plan> run();

private:
  static constexpr int64_t MaxStages = 4096;
  static constexpr int64_t MaxBytes = 1 << 30;
  static constexpr int64_t MaxOffset =
      UINT32_MAX; // what is placed by itself may lie beyond MaxBytes
  // Of a value whose uniformity the text leaves to be derived.
  static constexpr auto Unstated = static_cast<ir::Uniformity>(255);

  // ---- names -----------------------------------------------------------------------------------

  template <typename IdT>
  IdT declare(llvm::StringMap<IdT> &index, Table<IdT, std::string> &table, std::string name) {
    auto [entry, isNew] = index.try_emplace(name);
    if (!isNew) {
      reader.fail(lastName, ir::TextDuplicateName, name);
      return entry->second;
    }
    return entry->second = table.add(std::move(name));
  }

  // Works and fields may be used without having been listed: their names are all there is to them.
  template <typename IdT>
  IdT declareOnUse(llvm::StringMap<IdT> &index, Table<IdT, std::string> &table,
                   const std::string &name) {
    auto known = index.find(name);
    return known != index.end() ? known->second : declare(index, table, name);
  }

  template <typename IdT> IdT find(const llvm::StringMap<IdT> &index, llvm::StringRef what) {
    return lookUp(index, what, dotted(fmt::format("a {}", what)));
  }

  // `name` was just read.
  template <typename IdT>
  IdT lookUp(const llvm::StringMap<IdT> &index, llvm::StringRef what, const std::string &name) {
    auto known = index.find(name);
    if (known != index.end())
      return known->second;
    reader.fail(lastName, ir::TextUnknownName, what, name);
    return {};
  }

  std::string dotted(llvm::StringRef what) {
    SourceLoc begin = reader.peek().range.begin;
    std::string name = reader.dottedName(what);
    lastName = reader.rangeFrom(begin);
    return name;
  }

  unsigned number(llvm::StringRef what, int64_t low, int64_t high) {
    return static_cast<unsigned>(reader.integer(what, low, high));
  }

  // ---- items -----------------------------------------------------------------------------------

  void readItem();
  void readNames(llvm::function_ref<void(std::string)> add);
  void readCluster(SourceLoc begin);
  Axes readAxes();
  void readPadding();
  void readRegisters();
  std::pair<unsigned, unsigned> readWarps(); // warps a .. b
  void readScalar();
  void readFunction();
  void readAllocation();
  void addBarrier(SourceLoc begin, Barrier barrier);
  void readMbarrier(SourceLoc begin);
  void readNamed(SourceLoc begin);
  void readTensorMap();
  ir::Swizzle readSwizzle();
  void placeUnplaced();

  // ---- tasks and steps -------------------------------------------------------------------------

  void readTask(SourceLoc begin);
  void readCursor();
  RegionId readBlock();
  Step readStep();
  bool readStepBody(Step &step);
  void readBarrierStep(Step &step);
  At readAt(const std::string &owner, unsigned stages);
  By readBy();
  Queue readQueue();
  void readWaitGroup(Step &step);
  void readSync(Step &step);
  void readCall(Step &step);
  void readLet(Step &step);
  void callee(Step &step, const std::string &name);
  Access readAccess();
  ir::Mechanism readMechanism();
  ExprId expr();
  ir::ScalarType readScalarType();
  ValueId readDeclared(const std::string &name, ir::Value::Kind kind, ir::Uniformity fallback);
  ir::Uniformity readUniformity();
  void publishValues();
  void readVar(Step &step);
  void readAssign(Step &step);
  void readLoop(Step &step);
  ir::Across readAcross();
  void readIf(Step &step);

  ir::TextReader reader;
  std::unique_ptr<Plan> plan;
  ir::ExprScope scope;
  llvm::StringMap<ParamId> params;
  llvm::StringMap<FieldId> fields;
  llvm::StringMap<WorkId> works;
  llvm::StringMap<BarrierId> barriers;
  llvm::StringMap<CursorId> cursors;       // of the current task
  std::map<uint32_t, size_t> allocationOf; // by field
  std::set<size_t> placedAllocations, placedBarriers;
  std::set<std::string> taskNames;
  std::vector<ValueId> pendingValues;
  TaskId currentTask;
  SourceRange lastName;
  unsigned depth = 0;
};

} // namespace tsk::plan
