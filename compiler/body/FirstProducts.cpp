// The first multiplication into an accumulator adds to nothing: its task has written there before,
// or it does not accumulate. A task's schedule is followed to the first round of each loop, in
// which the loop's variable is where it begins, and then through all further ones.
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyReading.h"
#include "compiler/body/ScheduleValues.h"

#include "compiler/ir/Text.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace tsk::body {

using ir::FieldId;

constexpr Diagnostic<std::string, std::string, llvm::StringRef> AddsToNothing{
    kind::FirstProduct, "`{}` adds to `{}`, into which task `{}` has written nothing before; the "
                        "first product of a tile does not accumulate (`k != 0`)"};
constexpr Diagnostic<std::string, std::string, llvm::StringRef> MayAddToNothing{
    kind::FirstProduct,
    "not proved: that `{}` adds to `{}` what task `{}` has written there before; let it not "
    "accumulate where an argument says that it is the first (`k != 0`), or write zeros before"};

namespace {

using Fields = std::set<FieldId>;

class Products {
public:
  Products(const ir::Kernel &k, const Reading &r, DiagnosticEngine &d)
      : kernel(k), reading(r), diags(d), values(k.tables) {}

  void check() {
    for (size_t i = 0; i < kernel.tasks.size(); ++i) {
      task = kernel.tasks.idAt(i);
      values = ScheduleValues(kernel.tables);
      written.clear();
      touched.clear();
      for (size_t f = 0; f < kernel.fields.size(); ++f)
        if (kernel.fields[kernel.fields.idAt(f)].init)
          written.insert(kernel.fields.idAt(f));
      touched = written;
      visit(kernel.tasks[task].body);
    }
  }

private:
  void visit(ir::RegionId id) {
    if (id)
      for (const ir::Op &op : kernel.regions[id].ops)
        visit(op);
  }

  void visit(const ir::Op &op) {
    values.restart();
    switch (op.kind) {
    case ir::OpKind::Call:
      return call(op);
    case ir::OpKind::Let:
      return values.bind(op.results[0], values.of(op.args[0]));
    case ir::OpKind::If:
      return branch(op);
    case ir::OpKind::For:
    case ir::OpKind::ParallelFor:
      return loop(op);
    default:
      return;
    }
  }

  void branch(const ir::Op &op) {
    if (const std::optional<bool> taken = values.holds(op.args[0]))
      return visit(*taken ? op.body : op.elseBody);
    const Fields before = written;
    visit(op.body);
    const Fields then = std::exchange(written, before);
    visit(op.elseBody);
    std::erase_if(written, [&](FieldId field) { return !then.count(field); });
  }

  void loop(const ir::Op &op) {
    const Fields before = written;
    const std::optional<int64_t> low = ir::constantValue(kernel.tables, op.loop.lower);
    const std::optional<int64_t> high = ir::constantValue(kernel.tables, op.loop.upper);
    const bool isFollowed = op.kind == ir::OpKind::For && depth < MaxDepth;
    ++depth;
    if (isFollowed) {
      values.bind(op.loop.variable, begin(op.loop));
      visit(op.body);
    }
    // What the first round has not written may be first in any other.
    values.bind(op.loop.variable, std::nullopt);
    visit(op.body);
    --depth;
    if (!isFollowed || !low || !high || *low >= *high)
      written = before; // perhaps no round
  }

  // Where its variable begins.
  std::optional<Linear> begin(const ir::Loop &loop) {
    const ir::Type &type = kernel.tables.values[loop.variable].type;
    if (!loop.isReversed)
      return values.as(loop.lower, type).value_or(values.fresh());
    std::optional<Linear> last = values.as(loop.upper, type);
    const bool isKnown =
        ir::constantValue(kernel.tables, loop.step) == 1 && last && last->add({{}, 1}, -1);
    return isKnown ? last : std::nullopt;
  }

  // ---- Calls ----

  // Whether a comparison holds in this call.
  std::optional<bool> holds(const ComparisonFact &fact, const Function &function,
                            const ir::Op &op) {
    Linear sum;
    sum.constant = fact.constant;
    for (const auto &[number, weight] : fact.args) {
      const Role &role = function.roles[number];
      const bool isArgument = role.kind == Role::Kind::Param && role.id < op.args.size();
      if (!isArgument && role.kind != Role::Kind::Scalar)
        return std::nullopt;
      const std::optional<Linear> passed =
          isArgument ? values.as(op.args[role.id], kernel.works[op.work].params[role.id].type)
                     : values.scalar(role.id);
      if (!passed || !sum.add(*passed, weight))
        return std::nullopt;
    }
    return ScheduleValues::compare(fact.op, sum);
  }

  // Whether it happens in this call.
  std::optional<bool> happens(const AccessFact &access, const Function &function,
                              const ir::Op &op) {
    if (!access.when)
      return std::nullopt;
    bool isAny = false, isOpen = false;
    for (const std::vector<ComparisonFact> &way : access.when->ways) {
      bool holdsAll = true, fails = false;
      for (const ComparisonFact &each : way) {
        const std::optional<bool> one = holds(each, function, op);
        holdsAll &= one == true;
        fails |= one == false;
      }
      isAny |= holdsAll;
      isOpen |= !fails;
    }
    if (!isOpen)
      return false;
    return isAny && access.when->isExact ? std::optional(true) : std::nullopt;
  }

  void call(const ir::Op &op) {
    Fields all;
    bool isOne = true; // of several instances of the work, what all of them write
    for (const WorkFacts *facts : reading.factsOf(kernel, op.work)) {
      const Function &function = reading.request.functions[facts->function];
      if (function.task != task)
        continue;
      Fields own = written;
      for (const AccessFact &access : facts->accesses)
        judge(access, function, op, own);
      if (!std::exchange(isOne, false))
        std::erase_if(own, [&](FieldId field) { return !all.count(field); });
      all = std::move(own);
    }
    written.insert(all.begin(), all.end());
    for (const ir::Access &access : kernel.works[op.work].declared)
      if (access.field && access.isWrite) {
        written.insert(access.field);
        touched.insert(access.field);
      }
  }

  void judge(const AccessFact &access, const Function &function, const ir::Op &op, Fields &own) {
    const Role &role = function.roles[access.role];
    if (role.kind != Role::Kind::Field)
      return;
    const FieldId field{role.id};
    if (kernel.resources[kernel.fields[field].resource].space != ir::SpaceKind::Regs)
      return;
    const bool isProduct = access.mechanism == ir::Mechanism::Wgmma;
    values.restart();
    if (access.isWrite) {
      if (!isProduct || (access.when && happens(access, function, op) == true))
        own.insert(field);
      touched.insert(field);
    } else if (isProduct && !own.count(field)) {
      const std::optional<bool> adds = happens(access, function, op);
      if (adds != false)
        report(op, field, adds == true && !touched.count(field));
    }
  }

  void report(const ir::Op &op, FieldId field, bool isCertain) {
    if (!reported.insert({&op, field}).second)
      return;
    diags.report(op.loc, isCertain ? AddsToNothing : MayAddToNothing, ir::workName(kernel, op.work),
                 ir::fieldName(kernel, field), kernel.tasks[task].name);
  }

  static constexpr size_t MaxDepth = 6; // each loop is gone through twice
  const ir::Kernel &kernel;
  const Reading &reading;
  DiagnosticEngine &diags;
  ScheduleValues values;
  ir::TaskId task;
  Fields written, touched; // certainly, perhaps
  size_t depth = 0;
  std::set<std::pair<const ir::Op *, FieldId>> reported;
};

} // namespace

void checkFirstProducts(const ir::Kernel &kernel, const Reading &reading, DiagnosticEngine &diags) {
  Products(kernel, reading, diags).check();
}

} // namespace tsk::body
