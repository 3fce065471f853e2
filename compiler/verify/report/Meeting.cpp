#include "compiler/verify/report/Meeting.h"

#include "compiler/target/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace tsk::verify {

namespace {

using Numbers = std::set<int64_t>;

// Of one dimension: where each thread is; nothing: it does not come there.
using Places = std::vector<std::optional<Numbers>>;

// One side of a race.
struct Call {
  const Moment &moment;
  const plan::Access *access = nullptr;
  proof::Launch launch; // with the loops' variables
};

constexpr size_t MaxNumbers = 1024;             // of one thread
constexpr size_t MaxCompared = size_t{1} << 22; // numbers of two threads, in all

} // namespace

static const plan::Access *accessOf(const plan::Step &step, plan::FieldId field, bool isWrite) {
  for (const plan::Access &access : step.accesses)
    if (access.field == field && access.isWrite == isWrite &&
        access.mechanism == ir::Mechanism::Async)
      return &access;
  return nullptr;
}

// The values of the loops' variables in the rounds of a moment.
static proof::Launch launchAt(const proof::Launch &launch, const Moment &moment) {
  proof::Launch result = launch;
  for (const Iteration &round : llvm::reverse(moment.iterations)) {
    const ir::Loop &loop = round.loop->loop;
    const proof::Computed lower = launch.computer->compute(loop.lower, result);
    const proof::Computed step = launch.computer->compute(loop.step, result);
    const proof::Computed trips = launch.computer->trips(loop, result);
    if (!lower.isKnown() || !step.isKnown() || (loop.isReversed && !trips.isKnown()))
      continue;
    const int64_t ordinal = loop.isReversed ? trips.value.value - 1 - round.ordinal : round.ordinal;
    result.set(loop.variable,
               ir::ConstantScalar::ofInt(lower.value.value + ordinal * step.value.value,
                                         lower.value.type));
  }
  return result;
}

// What all threads of a call have in common. Nothing: it is not known.
static std::optional<int64_t> sharedPart(const Call &call, const ir::ElementIndex &index) {
  int64_t sum = index.constant;
  for (const auto &[param, weight] : index.args) {
    if (param >= call.moment.step->args.size())
      return std::nullopt;
    const proof::Computed value =
        call.launch.computer->compute(call.moment.step->args[param], call.launch);
    if (!value.isKnown() || value.value.isReal())
      return std::nullopt;
    sum += weight * value.value.value;
  }
  return sum;
}

static Places placesOf(const ir::ElementIndex &index, int64_t shared) {
  const ir::ThreadOffsets offsets = ir::threadOffsets(index);
  Numbers around{0};
  auto spread = [&](int64_t weight, int64_t count) {
    if (weight == 0 && count > 0)
      return;
    Numbers all;
    for (int64_t round = 0; round < count && all.size() < MaxNumbers; ++round)
      for (int64_t each : around)
        all.insert(each + round * weight);
    around = std::move(all);
  };
  for (auto [weight, last] : offsets.rounds)
    spread(weight, last < 0 ? static_cast<int64_t>(MaxNumbers) : last + 1);
  spread(1, offsets.width);
  Places places;
  for (const std::optional<int64_t> &own : offsets.own) {
    places.emplace_back();
    if (!own)
      continue;
    places.back().emplace();
    for (int64_t each : around)
      places.back()->insert(shared + *own + each);
  }
  return places;
}

static bool haveCommon(const Numbers &a, const Numbers &b) {
  const Numbers &fewer = a.size() < b.size() ? a : b, &more = a.size() < b.size() ? b : a;
  return llvm::any_of(fewer, [&](int64_t each) { return more.count(each) != 0; });
}

// The threads of the task; one that does the same as all others stands for them.
static const std::optional<Numbers> &placeOf(const Places &places, size_t thread) {
  return places[places.size() == 1 ? 0 : thread];
}

static bool doFormsMeet(const Call &a, const ir::ElementForm &first, const Call &b,
                        const ir::ElementForm &second, size_t threads, bool isWarpOrdered) {
  if (first.dims.size() != second.dims.size())
    return true;
  std::vector<std::pair<Places, Places>> dims;
  for (size_t i = 0; i < first.dims.size(); ++i) {
    const auto mine = sharedPart(a, first.dims[i]), theirs = sharedPart(b, second.dims[i]);
    if (!mine || !theirs || first.dims[i].others != second.dims[i].others)
      return false; // nobody knows
    dims.push_back({placesOf(first.dims[i], *mine), placesOf(second.dims[i], *theirs)});
    for (const Places *places : {&dims.back().first, &dims.back().second})
      if (places->size() != 1 && places->size() < threads)
        return true;
  }
  size_t compared = 0;
  auto meetAt = [&](size_t x, size_t y) {
    return llvm::all_of(dims, [&](const auto &dim) {
      const auto &mine = placeOf(dim.first, x), &theirs = placeOf(dim.second, y);
      compared += 1 + (mine && theirs ? std::min(mine->size(), theirs->size()) : 0);
      return mine && theirs && haveCommon(*mine, *theirs);
    });
  };
  for (size_t x = 0; x < threads; ++x)
    for (size_t y = 0; y < threads && compared < MaxCompared; ++y) {
      const bool areOfOneWarp = x / target::WarpThreads == y / target::WarpThreads;
      if (x != y && !(areOfOneWarp && isWarpOrdered) && meetAt(x, y))
        return true;
    }
  return false; // or nobody knows
}

// Barriers of warps are nothing to the engine: where a task has some, nobody knows what they order.
static bool syncsWarps(const plan::Plan &plan, plan::RegionId region) {
  return region && llvm::any_of(plan.regions[region].steps, [&](const plan::Step &step) {
           return (step.kind == plan::StepKind::Sync && !step.barrier &&
                   step.scope == ir::SyncScope::Warp) ||
                  syncsWarps(plan, step.body) || syncsWarps(plan, step.elseBody);
         });
}

bool doMeet(const Trace &trace, const Finding &finding, plan::FieldId field,
            const proof::Launch &launch) {
  const Moment &place = finding.place, &other = finding.other;
  if (finding.kind != protocol::FaultKind::Race || finding.isCopy || finding.isOtherCopy ||
      other.agent < 0 ||
      trace.model.agents[place.agent].task != trace.model.agents[other.agent].task)
    return true;
  const Call a{place, accessOf(*place.step, field, finding.isWrite), launchAt(launch, place)};
  const Call b{other, accessOf(*other.step, field, finding.isOtherWrite), launchAt(launch, other)};
  if (!a.access || !b.access || a.access->elements.forms.empty() ||
      b.access->elements.forms.empty())
    return true;
  const size_t threads =
      size_t(trace.plan.tasks[trace.taskOf(place.agent)].warps) * target::WarpThreads;
  const bool isWarpOrdered =
      syncsWarps(trace.plan, trace.plan.tasks[trace.taskOf(place.agent)].body);
  return llvm::any_of(a.access->elements.forms, [&](const ir::ElementForm &first) {
    return llvm::any_of(b.access->elements.forms, [&](const ir::ElementForm &second) {
      return doFormsMeet(a, first, b, second, threads, isWarpOrdered);
    });
  });
}

} // namespace tsk::verify
