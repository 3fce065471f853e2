#include "compiler/verify/checks/CtasMeet.h"
#include "compiler/verify/Confirm.h"
#include "compiler/verify/VerifyDiagnostics.h"
#include "compiler/verify/proof/Witness.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::verify {

namespace {

constexpr Diagnostic<std::string, std::string, std::string, std::string> CtasAlike{
    kind::CtasRace, "`{}` writes {} in {} and in {}, and nothing orders CTAs; compute from "
                    "`block.x` what each of them writes, or write with atomics"};
constexpr Diagnostic<std::string, llvm::StringRef, std::string, std::string, std::string,
                     std::string>
    CtasRace{kind::CtasRace, "`{}` {} {} in {}, which `{}` writes in {}, and nothing orders CTAs; "
                             "let each CTA have elements of its own, or use atomics"};

constexpr Diagnostic<std::string, std::string, std::string, std::string, std::string> TasksRace{
    kind::TensorRace, "`{}` writes {} in task `{}`, as `{}` does in task `{}`, and no barrier "
                      "orders them; let each task have elements of its own, or let a pipeline or "
                      "`cta.sync()` stand between"};

constexpr unsigned MaxLaunches = 24;
constexpr size_t MaxComputed = 30000000; // expressions and pairs of parts of tensors
constexpr size_t BoxCost = 100;          // of finding a part, beside comparing two
constexpr int64_t AnyExtent = 4096;      // of a dimension that nothing depends on

class Search {
public:
  Search(const plan::Plan &thePlan, const ir::Kernel &theKernel, const TensorOrder &order)
      : plan(thePlan), kernel(theKernel), witness(thePlan, &theKernel),
        ctas(thePlan, theKernel, order) {}

  std::map<ir::ParamId, CtaMeeting> ofCtas(const Sites &writes, const Sites &reads) {
    witness.findLarge(MaxLaunches, [&](const proof::Launch &launch) {
      look(launch, writes, reads);
      return found.size() == writes.size();
    });
    return std::move(found);
  }

  std::map<ir::ParamId, CtaMeeting> ofTasks(llvm::ArrayRef<std::pair<Site, Site>> unordered) {
    std::set<ir::ParamId> tensors;
    for (const auto &[write, other] : unordered)
      tensors.insert(write.access->tensor);
    witness.findAny(MaxLaunches, [&](const proof::Launch &launch) {
      const proof::Launch whole = complete(launch);
      known.clear();
      for (const auto &[write, other] : unordered)
        meet(write.access->tensor, write, other, whole, {}, {});
      return found.size() == tensors.size();
    });
    return std::move(found);
  }

private:
  // With a number for what nothing else depends on, and as many CTAs as a device may hold.
  proof::Launch complete(const proof::Launch &launch) const {
    using ir::Builtin;
    proof::Launch whole(&witness.numbers());
    for (const auto &[scalar, value] : launch.ofScalars())
      whole.set(scalar, value);
    for (size_t i = 0; i < plan.scalars.size(); ++i) {
      const ir::ScalarId id = plan.scalars.idAt(i);
      const ir::Scalar &scalar = plan.scalars[id];
      if (launch.ofScalars().count(id) || ir::scalarClass(scalar.type) != ir::ScalarClass::Int)
        continue;
      const int64_t number = scalar.isDimension ? AnyExtent : 1;
      whole.set(id, ir::ConstantScalar::ofInt(number, scalar.type));
    }
    if (kernel.grid.isPersistent) {
      const auto chosen = launch.ofBuiltins().find(Builtin::GridX);
      const bool isKnown = chosen != launch.ofBuiltins().end();
      whole.set(Builtin::GridX, isKnown ? chosen->second : 2 * plan.cluster.extents[0]);
      for (unsigned axis : {1, 2})
        whole.set(axis == 1 ? Builtin::GridY : Builtin::GridZ, plan.cluster.extents[axis]);
    }
    return whole;
  }

  // CTAs of different clusters: the first one, and others.
  std::vector<Cta> othersIn(const proof::Launch &launch) const {
    std::set<Cta> result;
    Cta last{};
    for (unsigned axis = 0; axis < last.size(); ++axis) {
      const proof::Computed extent = witness.numbers().gridExtent(axis, launch);
      const int64_t along = plan.cluster.extents[axis];
      if (!extent.isKnown())
        return {};
      last[axis] = std::max<int64_t>(extent.value.value - along, 0) / along * along;
      for (int64_t place : {along, 2 * along}) {
        Cta next{};
        next[axis] = place;
        if (place <= last[axis])
          result.insert(next);
      }
    }
    if (last != Cta{})
      result.insert(last);
    return {result.begin(), result.end()};
  }

  void look(const proof::Launch &ofWitness, const Sites &writes, const Sites &reads) {
    const proof::Launch launch = complete(ofWitness);
    known.clear();
    for (const Cta &other : othersIn(launch))
      for (const auto &[tensor, sites] : writes)
        for (size_t i = 0; i < sites.size() && !found.count(tensor); ++i) {
          for (size_t j = i; j < sites.size(); ++j)
            judge(tensor, sites[i], sites[j], launch, other);
          if (const auto readers = reads.find(tensor); readers != reads.end())
            for (const Site &read : readers->second)
              judge(tensor, sites[i], read, launch, other);
        }
  }

  // In both directions, the first CTA and another one.
  void judge(ir::ParamId tensor, const Site &write, const Site &other, const proof::Launch &launch,
             const Cta &cta) {
    const bool areOne = write.node == other.node && write.access == other.access;
    if (write.access->elements.isAtomic && other.access->elements.isAtomic)
      return;
    meet(tensor, write, other, launch, {}, cta);
    if (!areOne)
      meet(tensor, write, other, launch, cta, {});
  }

  void meet(ir::ParamId tensor, const Site &write, const Site &other, const proof::Launch &launch,
            const Cta &first, const Cta &second) {
    if (found.count(tensor))
      return;
    const std::vector<Visit> &mine = visitsOf(write, launch, first),
                             &theirs = visitsOf(other, launch, second);
    std::optional<std::string> element;
    const std::vector<std::vector<Box>> written = touched(write, mine, tensor),
                                        others = touched(other, theirs, tensor);
    for (const std::vector<Box> &some : written)
      for (const std::vector<Box> &those : others)
        if (!element)
          element = common(tensor, some, those);
    const bool areOne = write.node == other.node && write.access == other.access;
    for (const Visit &one : mine)
      for (const Visit &another : theirs)
        if (!element && areOne && ctas.areAlike(write, one, another))
          element = "";
    if (!element)
      return;
    proof::Launch numbers; // without the place in the grid
    for (const auto &[scalar, value] : launch.ofScalars())
      numbers.set(scalar, value);
    found[tensor] = {write, other, first, second, *element, describe(plan, numbers)};
  }

  const std::vector<Visit> &visitsOf(const Site &site, const proof::Launch &launch,
                                     const Cta &cta) {
    const auto [place, isNew] = known.try_emplace({site.node, cta});
    if (isNew && budget > 0) {
      place->second = ctas.visits(site, launch, cta);
      spend((1 + place->second.size()) * plan.tables.exprs.size());
    }
    return place->second;
  }

  // By each visit.
  std::vector<std::vector<Box>> touched(const Site &site, llvm::ArrayRef<Visit> visits,
                                        ir::ParamId tensor) {
    std::vector<std::vector<Box>> result;
    for (const Visit &visit : visits) {
      result.push_back(budget > 0 ? ctas.touched(site, visit, tensor) : std::vector<Box>());
      spend(BoxCost * (1 + result.back().size()));
    }
    return result;
  }

  void spend(size_t cost) { budget -= std::min(budget, cost); }

  std::optional<std::string> common(ir::ParamId tensor, llvm::ArrayRef<Box> some,
                                    llvm::ArrayRef<Box> others) {
    for (const Box &one : some)
      for (const Box &other : others) {
        if (other.low[0] > one.high[0] || budget == 0)
          break;
        spend(1);
        if (const std::optional<std::string> shared = element(tensor, one, other))
          return shared;
      }
    return std::nullopt;
  }

  std::optional<std::string> element(ir::ParamId tensor, const Box &one, const Box &other) const {
    std::string text = plan.params[tensor] + "(";
    for (size_t i = 0; i < one.low.size(); ++i) {
      const int64_t low = std::max(one.low[i], other.low[i]);
      if (low > std::min(one.high[i], other.high[i]))
        return std::nullopt;
      text += fmt::format("{}{}", i == 0 ? "" : ", ", low);
    }
    return text + ")";
  }

  const plan::Plan &plan;
  const ir::Kernel &kernel;
  proof::Witness witness;
  CtaVisits ctas;
  std::map<std::pair<size_t, Cta>, std::vector<Visit>> known; // of one launch, by node
  size_t budget = MaxComputed;
  std::map<ir::ParamId, CtaMeeting> found;
};

} // namespace

bool mayHaveCtas(const ir::Kernel &kernel) {
  return kernel.grid.isPersistent || llvm::any_of(kernel.grid.extents, [&](ir::ExprId extent) {
           return ir::constantValue(kernel.tables, extent) != 1;
         });
}

std::map<ir::ParamId, CtaMeeting> findCtaMeetings(const plan::Plan &plan, const ir::Kernel &kernel,
                                                  const TensorOrder &order, const Sites &writes,
                                                  const Sites &reads) {
  // One that waits for others may make an order.
  const bool mayAwait = llvm::any_of(order.all(), [&](const Node &node) {
    return node.step->kind == plan::StepKind::Call && kernel.works[node.step->work].mayAwaitCtas;
  });
  if (mayAwait || !mayHaveCtas(kernel))
    return {};
  return Search(plan, kernel, order).ofCtas(writes, reads);
}

std::map<ir::ParamId, CtaMeeting>
findTaskMeetings(const plan::Plan &plan, const ir::Kernel &kernel, const TensorOrder &order,
                 llvm::ArrayRef<std::pair<Site, Site>> unordered) {
  if (unordered.empty())
    return {};
  return Search(plan, kernel, order).ofTasks(unordered);
}

static std::string spelling(const Cta &cta) {
  const bool isRow = cta[1] == 0 && cta[2] == 0;
  return isRow ? fmt::format("CTA {}", cta[0])
               : fmt::format("CTA ({}, {}, {})", cta[0], cta[1], cta[2]);
}

void report(const CtaMeeting &meeting, const plan::Plan &plan, const TensorOrder &order,
            DiagnosticEngine &diags) {
  const plan::Step &write = *order.all()[meeting.write.node].step,
                   &other = *order.all()[meeting.other.node].step;
  const bool isWrite = meeting.other.access->isWrite, areOne = &write == &other;
  const std::string &tensor = plan.params[meeting.write.access->tensor];
  const std::string element = meeting.element.empty()
                                  ? fmt::format("the same elements of `{}`", tensor)
                                  : fmt::format("`{}`", meeting.element);
  const std::string others = spelling(meeting.others), writes = spelling(meeting.writes);
  ReportBuilder builder =
      meeting.writes == meeting.others
          ? diags.report(other.loc, TasksRace, plan.works[other.work], element,
                         order.taskOf(meeting.other).name, plan.works[write.work],
                         order.taskOf(meeting.write).name)
      : areOne && isWrite
          ? diags.report(write.loc, CtasAlike, plan.works[write.work], element, writes, others)
          : diags.report(other.loc, CtasRace, plan.works[other.work], isWrite ? "writes" : "reads",
                         element, others, plan.works[write.work], writes);
  if (!areOne)
    builder.note(write.loc, "written here");
  if (!meeting.launch.empty())
    builder.note({}, "so in a launch with {}", meeting.launch);
}

} // namespace tsk::verify
