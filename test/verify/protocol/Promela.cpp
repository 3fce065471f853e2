#include "Promela.h"

#include <algorithm>
#include <sstream>

namespace tsk::protocol::oracle {

namespace {

class Writer {
public:
  Writer(const Expanded &expanded, const std::vector<std::vector<int>> &expectedPhases)
      : program(expanded), phases(expectedPhases) {}
  std::string write();

private:
  void declare();
  void contribution();
  void warp(size_t index);
  std::string step(size_t warp, size_t pc);
  std::string arriveAt(size_t warp, size_t pc, int bar, int arrivals, int bytes);
  std::string approach(size_t warp, size_t pc); // what is true of a warp before its next step
  std::string depart(size_t warp, size_t pc);
  std::string startFlight(const Step &step, const std::string &source);
  std::string endFlight(const Step &step, const std::string &source);
  std::string nextChecks(size_t warp, const Step &step);
  std::string named(size_t warp, size_t pc);
  void engines(size_t index);
  // In flight: by loads (0), tensor queue of w (1 + w), groups (1 + W + 3 w + queue).
  int sources() const { return 1 + 4 * static_cast<int>(program.warps.size()); }
  std::string flight(const char *kind, const std::string &source, int cell) const {
    return std::string(kind) + "[(" + source + ") * " + std::to_string(program.cells) + " + " +
           std::to_string(cell) + "]";
  }

  const Expanded &program;
  const std::vector<std::vector<int>> &phases;
  std::ostringstream out;
};

} // namespace

static std::string str(int value) { return std::to_string(value); }

void Writer::declare() {
  size_t warps = program.warps.size(), bars = std::max<size_t>(1, program.arrivals.size());
  int cells = std::max(1, program.cells);
  out << "short pending[" << bars << "], bytes[" << bars << "];\nbyte phase[" << bars << "];\n"
      << "byte count[33], want[33], generation[33];\n"
      << "short at[" << warps << "];\nbyte finished;\n"
      << "byte nextReads[" << cells << "], nextWrites[" << cells << "];\nint item[" << cells
      << "];\n"
      << "byte reads[" << sources() * cells << "], writes[" << sources() * cells << "];\n"
      << "byte completed[" << 4 * warps << "];\n";
  for (size_t w = 0; w < warps; ++w)
    for (int queue = 0; queue < 4; ++queue)
      out << "chan q" << w << "_" << queue << " = [24] of { short };\n";
}

// Counts into a barrier; the phase it is counted in must be the one of the reference run.
void Writer::contribution() {
  out << "inline contribute(b, arrivals, tx, expected) {\n"
         "  assert(phase[b] == expected); assert(arrivals <= pending[b]);\n"
         "  pending[b] = pending[b] - arrivals; bytes[b] = bytes[b] + tx;\n"
         "  if\n  :: pending[b] == 0 && bytes[b] == 0 ->\n";
  for (size_t w = 0; w < program.warps.size(); ++w)
    out << "    assert(!(at[" << w << "] == 1 + 2 * b + 1 - (phase[b] & 1)));\n";
  out << "    phase[b] = phase[b] + 1;\n    if\n";
  for (size_t b = 0; b < program.arrivals.size(); ++b)
    out << "    :: b == " << b << " -> pending[b] = " << program.arrivals[b] << "\n";
  out << "    :: else -> skip\n    fi\n  :: else -> skip\n  fi\n}\n";
}

std::string Writer::arriveAt(size_t warp, size_t pc, int bar, int arrivals, int bytes) {
  return "contribute(" + str(bar) + ", " + str(arrivals) + ", " + str(bytes) + ", " +
         str(phases[warp][pc]) + ");\n";
}

std::string Writer::nextChecks(size_t warp, const Step &step) {
  std::string text;
  for (const CellAccess &access : step.cells) {
    std::string cell = str(access.cell);
    std::string others = access.isWrite
                             ? "nextWrites[" + cell + "] == 0 && nextReads[" + cell + "] == 0"
                             : "nextWrites[" + cell + "] == 0";
    for (int source = 0; source < sources(); ++source) {
      bool sameQueue = (step.kind == OpKind::Mma && source == 1 + static_cast<int>(warp)) ||
                       (step.kind == OpKind::Group && step.queue == Queue::Gmma &&
                        source == 1 + static_cast<int>(program.warps.size() + 3 * warp));
      if (sameQueue)
        continue;
      others += " && " + flight("writes", str(source), access.cell) + " == 0";
      if (access.isWrite)
        others += " && " + flight("reads", str(source), access.cell) + " == 0";
    }
    text += "assert(" + others + ");\n";
  }
  for (const CellAccess &access : step.cells)
    text +=
        std::string(access.isWrite ? "nextWrites[" : "nextReads[") + str(access.cell) + "]++;\n";
  return text;
}

std::string Writer::approach(size_t warp, size_t pc) {
  const auto &steps = program.warps[warp].steps;
  std::string w = str(static_cast<int>(warp));
  if (pc == steps.size()) {
    std::string text = "at[" + w + "] = 0; finished++;\nif\n:: finished == " +
                       str(static_cast<int>(program.warps.size())) + " ->\n";
    for (int source = 0; source < sources(); ++source)
      for (int cell = 0; cell < program.cells; ++cell)
        text += "assert(" + flight("reads", str(source), cell) + " == 0 && " +
                flight("writes", str(source), cell) + " == 0);\n";
    return text + "skip\n:: else -> skip\nfi;\n";
  }
  const Step &step = steps[pc];
  int code = step.kind == OpKind::Wait ? 1 + 2 * step.bars[0] + step.parity : 0;
  return "at[" + w + "] = " + str(code) + ";\n" + nextChecks(warp, step);
}

std::string Writer::depart(size_t warp, size_t pc) {
  std::string text;
  for (const CellAccess &access : program.warps[warp].steps[pc].cells) {
    text +=
        std::string(access.isWrite ? "nextWrites[" : "nextReads[") + str(access.cell) + "]--;\n";
    int value = access.array * 65536 + (access.item & 0xffff) + 1;
    std::string item = "item[" + str(access.cell) + "]";
    int any = access.array * 65536 + AnyItem + 1;
    if (access.isWrite)
      text += item + " = " + str(value) + ";\n";
    else if (access.isVersioned)
      text += "assert(" + item + " == " + str(value) + " || " + item + " == " + str(any) + ");\n";
  }
  return text;
}

std::string Writer::startFlight(const Step &step, const std::string &source) {
  std::string text;
  for (const CellAccess &access : step.cells)
    text += flight(access.isWrite ? "writes" : "reads", source, access.cell) + "++;\n";
  return text;
}

std::string Writer::endFlight(const Step &step, const std::string &source) {
  std::string text;
  for (const CellAccess &access : step.cells)
    text += flight(access.isWrite ? "writes" : "reads", source, access.cell) + "--;\n";
  return text;
}

std::string Writer::named(size_t warp, size_t pc) {
  const Step &step = program.warps[warp].steps[pc];
  std::string i = str(step.named);
  return "assert(generation[" + i + "] == " + str(phases[warp][pc]) + ");\nassert(count[" + i +
         "] == 0 || want[" + i + "] == " + str(step.n) + ");\nwant[" + i + "] = " + str(step.n) +
         "; count[" + i + "] = count[" + i + "] + 32;\nassert(count[" + i + "] <= want[" + i +
         "]);\nif\n:: count[" + i + "] == want[" + i + "] -> count[" + i + "] = 0; generation[" +
         i + "]++\n:: else -> skip\nfi;\n";
}

std::string Writer::step(size_t warp, size_t pc) {
  const Step &step = program.warps[warp].steps[pc];
  std::string w = str(static_cast<int>(warp)), at = str(static_cast<int>(pc));
  switch (step.kind) {
  case OpKind::Wait:
    return "(phase[" + str(step.bars[0]) + "] & 1) != " + str(step.parity) + ";\nassert(phase[" +
           str(step.bars[0]) + "] == " + str(phases[warp][pc]) + ");\n";
  case OpKind::Arrive:
    return arriveAt(warp, pc, step.bars[0], step.n, 0);
  case OpKind::Expect:
    return arriveAt(warp, pc, step.bars[0], 0, step.n);
  case OpKind::ArriveExpect:
    return arriveAt(warp, pc, step.bars[0], 1, step.n);
  case OpKind::Load:
    return startFlight(step, "0") + "run load" + w + "_" + at + "();\n";
  case OpKind::Mma:
    return startFlight(step, str(1 + static_cast<int>(warp))) + "q" + w + "_0 ! " + at + ";\n";
  case OpKind::TensorCommit:
    return "q" + w + "_0 ! " + at + ";\n";
  case OpKind::Group: {
    int queue = static_cast<int>(step.queue);
    return startFlight(step, str(1 + static_cast<int>(program.warps.size() + 3 * warp) + queue)) +
           "q" + w + "_" + str(1 + queue) + " ! " + at + ";\n";
  }
  case OpKind::GroupWait: {
    // How many operations of the queue are in groups old enough.
    int commits = 0, done = 0, total = 0;
    const auto &steps = program.warps[warp].steps;
    for (size_t i = 0; i < pc; ++i)
      commits += steps[i].kind == OpKind::GroupCommit && steps[i].queue == step.queue;
    for (size_t i = 0, seen = 0; i < pc; ++i) {
      if (steps[i].queue != step.queue)
        continue;
      total += steps[i].kind == OpKind::Group;
      if (steps[i].kind == OpKind::GroupCommit && static_cast<int>(++seen) <= commits - step.n)
        done = total;
    }
    return "completed[" + str(4 * static_cast<int>(warp) + 1 + static_cast<int>(step.queue)) +
           "] >= " + str(done) + ";\n";
  }
  default:
    return "skip;\n";
  }
}

// What completes by itself: loads one by one, queues in order, commits once what is before them is
// done.
void Writer::engines(size_t index) {
  const auto &steps = program.warps[index].steps;
  std::string w = str(static_cast<int>(index));
  bool used[4] = {};
  for (size_t pc = 0; pc < steps.size(); ++pc) {
    std::string at = str(static_cast<int>(pc));
    if (steps[pc].kind == OpKind::Load)
      out << "proctype load" << w << "_" << at << "() { atomic {\n"
          << endFlight(steps[pc], "0") << arriveAt(index, pc, steps[pc].bars[0], 0, -steps[pc].n)
          << "} }\n";
    if (steps[pc].kind == OpKind::TensorCommit)
      out << "proctype commit" << w << "_" << at << "() { atomic {\n"
          << arriveAt(index, pc, steps[pc].bars[0], steps[pc].n, 0) << "} }\n";
    if (steps[pc].kind == OpKind::Mma || steps[pc].kind == OpKind::TensorCommit)
      used[0] = true;
    if (steps[pc].kind == OpKind::Group)
      used[1 + static_cast<int>(steps[pc].queue)] = true;
  }
  for (int queue = 0; queue < 4; ++queue) {
    if (!used[queue])
      continue;
    out << "active proctype engine" << w << "_" << queue << "() { short op;\nend: do\n";
    out << ":: atomic { q" << w << "_" << queue << " ? op ->\nif\n";
    int source = queue == 0 ? 1 + static_cast<int>(index)
                            : static_cast<int>(program.warps.size() + 3 * index) + queue;
    for (size_t pc = 0; pc < steps.size(); ++pc) {
      bool isMine =
          queue == 0
              ? steps[pc].kind == OpKind::Mma || steps[pc].kind == OpKind::TensorCommit
              : steps[pc].kind == OpKind::Group && 1 + static_cast<int>(steps[pc].queue) == queue;
      if (!isMine)
        continue;
      out << ":: op == " << pc << " ->\n";
      if (steps[pc].kind == OpKind::TensorCommit)
        out << "run commit" << w << "_" << pc << "();\n";
      out << endFlight(steps[pc], str(source)) << "completed["
          << 4 * static_cast<int>(index) + queue << "]++;\n";
    }
    out << "fi }\nod }\n";
  }
}

void Writer::warp(size_t index) {
  const auto &steps = program.warps[index].steps;
  out << "active proctype warp" << index << "() {\n(started);\n";
  for (size_t pc = 0; pc < steps.size(); ++pc) {
    const Step &one = steps[pc];
    if (one.kind == OpKind::Sync) {
      out << "atomic {\n"
          << named(index, pc) << "}\natomic { generation[" << one.named << "] > "
          << phases[index][pc] << ";\n"
          << approach(index, pc + 1) << "}\n";
    } else if (one.kind == OpKind::NamedArrive) {
      out << "atomic {\n" << named(index, pc) << approach(index, pc + 1) << "}\n";
    } else {
      // The guard of a wait must come first in its atomic step.
      out << "atomic {\n"
          << step(index, pc) << depart(index, pc) << approach(index, pc + 1) << "}\n";
    }
  }
  out << "}\n";
}

std::string Writer::write() {
  out << "bool started = false;\n";
  declare();
  contribution();
  for (size_t index = 0; index < program.warps.size(); ++index)
    engines(index);
  for (size_t index = 0; index < program.warps.size(); ++index)
    warp(index);
  out << "init { atomic {\n";
  for (size_t b = 0; b < program.arrivals.size(); ++b)
    out << "pending[" << b << "] = " << program.arrivals[b] << ";\n";
  for (size_t index = 0; index < program.warps.size(); ++index)
    out << approach(index, 0);
  out << "started = true } }\n";
  return out.str();
}

std::string writePromela(const Expanded &expanded, const std::vector<std::vector<int>> &phases) {
  return Writer(expanded, phases).write();
}

namespace {

// Each warp as far as it gets, everything asynchronous at once.
struct Reference {
  const Expanded &program;
  std::vector<int> pending, bytes, phase;
  std::vector<int> count = std::vector<int>(33), generation = std::vector<int>(33);
  std::vector<size_t> pc;
  std::vector<int> blocked;
  std::vector<std::vector<int>> phases;

  explicit Reference(const Expanded &expanded) : program(expanded) {
    pending = expanded.arrivals;
    bytes.assign(pending.size(), 0);
    phase.assign(pending.size(), 0);
    pc.assign(expanded.warps.size(), 0);
    blocked.assign(expanded.warps.size(), -1);
    for (const Warp &warp : expanded.warps)
      phases.emplace_back(warp.steps.size(), 0);
  }

  void contribute(int bar, int arrivals, int tx) {
    pending[bar] -= arrivals;
    bytes[bar] += tx;
    if (pending[bar] <= 0 && bytes[bar] == 0) {
      ++phase[bar];
      pending[bar] = program.arrivals[bar];
    }
  }

  bool step(size_t warp) {
    const Step &one = program.warps[warp].steps[pc[warp]];
    int &met = phases[warp][pc[warp]];
    if (!one.bars.empty())
      met = phase[one.bars[0]];
    switch (one.kind) {
    case OpKind::Wait:
      if ((phase[one.bars[0]] & 1) == one.parity)
        return false;
      break;
    case OpKind::Arrive:
    case OpKind::TensorCommit:
      contribute(one.bars[0], one.n, 0);
      break;
    case OpKind::Expect:
      contribute(one.bars[0], 0, one.n);
      break;
    case OpKind::ArriveExpect:
      contribute(one.bars[0], 1, one.n);
      break;
    case OpKind::Load:
      contribute(one.bars[0], 0, -one.n);
      break;
    case OpKind::Sync:
      if (blocked[warp] >= 0) {
        if (generation[one.named] <= blocked[warp])
          return false;
        met = blocked[warp];
        blocked[warp] = -1;
        break;
      }
      blocked[warp] = generation[one.named];
      arrive(one);
      return true;
    case OpKind::NamedArrive:
      met = generation[one.named];
      arrive(one);
      break;
    default:
      break;
    }
    ++pc[warp];
    return true;
  }

  void arrive(const Step &one) {
    if ((count[one.named] += 32) >= one.n) {
      count[one.named] = 0;
      ++generation[one.named];
    }
  }
};

} // namespace

std::vector<std::vector<int>> referencePhases(const Expanded &expanded) {
  Reference run(expanded);
  for (bool any = true; any;) {
    any = false;
    for (size_t warp = 0; warp < expanded.warps.size(); ++warp)
      while (run.pc[warp] < expanded.warps[warp].steps.size() && run.step(warp))
        any = true;
  }
  for (size_t warp = 0; warp < expanded.warps.size(); ++warp)
    if (run.pc[warp] < expanded.warps[warp].steps.size())
      return {};
  return run.phases;
}

} // namespace tsk::protocol::oracle
