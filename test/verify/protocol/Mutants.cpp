#include "Mutants.h"

#include <map>
#include <set>

namespace tsk::protocol::oracle {

namespace {

enum class Change { Delete, Double, Swap, ToFront, ToEnd };
constexpr std::pair<Change, const char *> AllChanges[] = {{Change::Delete, "delete"},
                                                          {Change::Double, "double"},
                                                          {Change::Swap, "swap with the next"},
                                                          {Change::ToFront, "move to the front"},
                                                          {Change::ToEnd, "move to the end"}};

// A block of a task, by its number in the order of forRegions.
struct Place {
  size_t task, region, node;
};

} // namespace

static void forRegions(Region &region, const std::function<void(Region &)> &visit) {
  visit(region);
  for (Node &node : region) {
    forRegions(node.body, visit);
    forRegions(node.elseBody, visit);
  }
}

static bool isPossible(Change change, size_t at, size_t size) {
  switch (change) {
  case Change::Delete:
  case Change::Double:
    return true;
  case Change::Swap:
    return at + 1 < size;
  case Change::ToFront:
    return at >= 2; // from the second place that is a swap
  case Change::ToEnd:
    return at + 2 < size;
  }
  return false;
}

static void apply(Region &region, size_t at, Change change) {
  Node node = region[at];
  auto place = region.begin() + static_cast<std::ptrdiff_t>(at);
  if (change == Change::Swap) {
    std::swap(region[at], region[at + 1]);
    return;
  }
  if (change == Change::Double) {
    region.insert(place, node);
    return;
  }
  region.erase(place);
  if (change == Change::ToFront)
    region.insert(region.begin(), node);
  else if (change == Change::ToEnd)
    region.push_back(node);
}

static std::string nameOf(const Program &program, const Node &node) {
  unsigned origin = node.kind == NodeKind::Op ? node.op.provenance : node.provenance;
  if (node.kind == NodeKind::Leader && !node.body.empty())
    return "leader " + nameOf(program, node.body.front());
  return origin < program.places.size() ? program.places[origin] : "?";
}

static Mutant make(const Program &original, const Place &place, Change change, const char *verb) {
  Mutant mutant{original, ""};
  Task &task = mutant.program.tasks[place.task];
  size_t index = 0;
  forRegions(task.body, [&](Region &region) {
    if (index++ != place.region)
      return;
    mutant.what = task.name + ": " + verb + " " + nameOf(original, region[place.node]);
    apply(region, place.node, change);
    index = SIZE_MAX / 2; // the numbers of what follows have changed
  });
  return mutant;
}

void forMutants(
    const Program &original,
    const std::function<void(size_t number, const std::function<Mutant()> &make)> &visit) {
  size_t number = 0;
  Program copy = original;
  for (size_t task = 0; task < copy.tasks.size(); ++task) {
    std::vector<std::pair<Place, size_t>> places; // and the size of the block
    size_t count = 0;
    forRegions(copy.tasks[task].body, [&](Region &region) {
      for (size_t at = 0; at < region.size(); ++at) {
        // What is alone behind `leader` changes with it.
        bool isInner = region.size() == 1 && count > 0;
        if (region[at].kind == NodeKind::Leader || (region[at].kind == NodeKind::Op && !isInner) ||
            (region[at].kind == NodeKind::Op && count == 0))
          places.push_back({{task, count, at}, region.size()});
      }
      ++count;
    });
    for (const auto &[place, size] : places)
      for (auto [change, verb] : AllChanges)
        if (isPossible(change, place.node, size)) {
          const Place &where = place;
          Change which = change;
          const char *word = verb;
          visit(number++, [&original, &where, which, word] {
            return oracle::make(original, where, which, word);
          });
        }
  }
}

// Operations that all warps of the task execute, with `warps` guards counted as such.
static void forShared(const Region &region, const std::function<void(const Op &)> &visit) {
  for (const Node &node : region) {
    if (node.kind == NodeKind::Op)
      visit(node.op);
    if (node.kind == NodeKind::Leader)
      continue;
    forShared(node.body, visit);
    forShared(node.elseBody, visit);
  }
}

Program narrow(const Program &original) {
  constexpr unsigned Kept = 2;
  constexpr int ThreadsPerWarp = 32;
  Program program = original;
  std::map<std::pair<unsigned, int>, int> fewer; // by ranks and named barrier: threads
  for (Task &task : program.tasks) {
    if (task.warps <= Kept)
      continue;
    int gone = static_cast<int>(task.warps - Kept);
    std::map<int, int> arrivals; // by barrier: of a warp, in a phase
    std::set<int> named;
    forShared(task.body, [&](const Op &op) {
      if (op.kind == OpKind::Arrive || op.kind == OpKind::ArriveExpect)
        arrivals[op.bar.array] = op.kind == OpKind::Arrive ? op.n : 1;
      if (op.kind == OpKind::Sync || op.kind == OpKind::NamedArrive)
        named.insert(op.named);
    });
    for (auto [array, count] : arrivals)
      program.barriers[array].arrivals -= static_cast<unsigned>(count * gone);
    for (int id : named)
      fewer[{task.ranks, id}] += ThreadsPerWarp * gone;
    task.warps = Kept;
  }
  for (Task &task : program.tasks)
    forRegions(task.body, [&](Region &region) {
      for (Node &node : region)
        if (node.op.kind == OpKind::Sync || node.op.kind == OpKind::NamedArrive)
          node.op.n -= fewer[{task.ranks, node.op.named}];
    });
  return program;
}

} // namespace tsk::protocol::oracle
