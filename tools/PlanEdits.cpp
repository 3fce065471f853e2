#include "tools/PlanEdits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tsk {

namespace {

using plan::Step;
using plan::StepKind;

class Editor {
public:
  explicit Editor(plan::Plan &edited) : plan(edited) {}

  bool run(llvm::StringRef edit) {
    llvm::SmallVector<llvm::StringRef, 4> words;
    edit.split(words, ' ', -1, /*KeepEmpty=*/false);
    unsigned number = 0;
    if (words.size() != 3)
      return false;
    if (words[0] == "drop")
      return drop(words[1], words[2]);
    if (words[0] == "raise")
      return raise(words[1], words[2]);
    if (words[2].getAsInteger(10, number))
      return false;
    if (words[0] == "arrivals")
      return setArrivals(words[1], number);
    if (words[0] == "bytes")
      return setBytes(words[1], number);
    return words[0] == "parity" && setParity(words[1], number);
  }

private:
  bool matches(const Step &step, llvm::StringRef kind, llvm::StringRef name) const {
    if (mnemonic(step.kind) != kind)
      return false;
    if (step.kind == StepKind::Advance)
      return plan.tasks[plan.cursors[step.cursor].task].name == name;
    return step.barrier && plan.barriers[step.barrier].name == name;
  }

  bool drop(llvm::StringRef kind, llvm::StringRef name) {
    bool changed = false;
    for (plan::Region &region : plan.regions) {
      const size_t before = region.steps.size();
      llvm::erase_if(region.steps, [&](const Step &step) { return matches(step, kind, name); });
      changed |= region.steps.size() != before;
    }
    return changed;
  }

  bool raise(llvm::StringRef kind, llvm::StringRef name) {
    bool changed = false;
    for (plan::Region &region : plan.regions)
      for (size_t i = 1; i < region.steps.size(); ++i)
        if (matches(region.steps[i], kind, name)) {
          std::swap(region.steps[i - 1], region.steps[i]);
          changed = true;
        }
    return changed;
  }

  bool setArrivals(llvm::StringRef name, unsigned number) {
    for (plan::Barrier &barrier : plan.barriers)
      if (barrier.name == name && barrier.arrivals != number) {
        barrier.arrivals = number;
        return true;
      }
    return false;
  }

  bool setBytes(llvm::StringRef name, unsigned number) {
    bool changed = false;
    for (plan::Region &region : plan.regions)
      for (Step &step : region.steps)
        if (matches(step, "arrive_expect", name) && step.bytes != number) {
          step.bytes = number;
          changed = true;
        }
    return changed;
  }

  bool setParity(llvm::StringRef task, unsigned number) {
    bool changed = false;
    for (plan::Cursor &cursor : plan.cursors)
      if (plan.tasks[cursor.task].name == task && cursor.startParity != number) {
        cursor.startParity = number;
        changed = true;
      }
    return changed;
  }

  plan::Plan &plan;
};

} // namespace

bool editPlan(plan::Plan &plan, llvm::StringRef edit) { return Editor(plan).run(edit); }

} // namespace tsk
