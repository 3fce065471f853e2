#include "compiler/codegen/cuda/LoopHead.h"

namespace tsk::codegen {

namespace {

// The pieces of one loop's head.
class Head {
public:
  Head(const KernelContext &c, const ir::Loop &l)
      : context(c), names(c.names), tables(c.plan.tables), loop(l),
        type(cppType(tables.values[l.variable].type)), i(c.names.values[l.variable.index]) {}

  LoopHead forwards() const {
    return {fmt::format("for ({0} {1} = {2}{3}; {1} < {4}; {5}) {{", type, i, arg(loop.lower),
                        kept(), end(loop.upper), increment("+")),
            {}};
  }

  LoopHead reversed() const {
    if (isUnsigned())
      return {fmt::format("for ({0} {1} = {2}{3}; {1} > {4};) {{", type, i, beyondHighest(), kept(),
                          end(loop.lower)),
              increment("-") + ";"};
    return {fmt::format("for ({0} {1} = {2}{3}; {1} >= {4}; {5}) {{", type, i, highest(), kept(),
                        end(loop.lower), increment("-")),
            {}};
  }

  LoopHead parallel(const plan::Task &task, ir::Across across) const {
    auto [thread, threads] = threadsAcross(task, across);
    if (!isConstant(loop.step, 1)) {
      thread = (across == ir::Across::Grid ? "(" + thread + ")" : factor(thread)) + " * " +
               deviceFactor(context, loop.step);
      threads = inType(threads) + " * " + stepFactor();
    }
    if (!isConstant(loop.lower, 0))
      thread = arg(loop.lower) + " + " + thread;
    return {fmt::format("for ({0} {1} = {2}{3}; {1} < {4}; {1} += {5}) {{", type, i, thread, kept(),
                        end(loop.upper), threads),
            {}};
  }

private:
  std::string arg(ir::ExprId id) const { return deviceExpr(context, id); }
  bool isConstant(ir::ExprId id, int64_t value) const {
    return ir::constantValue(tables, id) == value;
  }
  bool isUnsigned() const {
    return ir::scalarClass(tables.values[loop.variable].type.scalar) == ir::ScalarClass::UInt;
  }

  // Bounds and step are those at the loop's start. Where one can change inside, it is kept.
  const LoopNames &own() const { return names.loops[loop.variable.index]; }
  std::string end(ir::ExprId bound) const { return own().end.empty() ? arg(bound) : own().end; }
  std::string stepFactor() const {
    return own().step.empty() ? deviceFactor(context, loop.step) : own().step;
  }
  std::string kept() const {
    std::string text;
    const auto keep = [&](const std::string &name, ir::ExprId value) {
      if (!name.empty())
        text += fmt::format(", {} = {}", name, arg(value));
    };
    keep(own().begin, loop.isReversed ? loop.upper : loop.lower);
    keep(own().end, loop.isReversed ? loop.lower : loop.upper);
    keep(own().step, loop.step);
    return text;
  }

  std::string increment(const std::string &sign) const {
    if (isConstant(loop.step, 1))
      return sign + sign + i;
    return i + " " + sign + "= " + (own().step.empty() ? arg(loop.step) : own().step);
  }

  // The last of lower, lower + step, … below upper; below lower if there is none.
  std::string highest() const {
    const std::string upper = deviceFactor(context, loop.upper);
    if (isConstant(loop.step, 1))
      return upper + " - 1";
    const std::string step = deviceFactor(context, loop.step);
    if (isConstant(loop.lower, 0))
      return fmt::format("(tsk::ceil_div({}, {}) - 1) * {}", upper, step, step);
    return fmt::format("{0} + (tsk::ceil_div({1} - {0}, {2}) - 1) * {2}",
                       deviceFactor(context, loop.lower), upper, step);
  }

  // One step above the highest, or the lower bound if there is none: an unsigned variable that
  // counts down is never below its lower bound, so it goes on before the body.
  std::string beyondHighest() const {
    const std::string upper = deviceFactor(context, loop.upper);
    const std::string lower = deviceFactor(context, loop.lower);
    const std::string step = deviceFactor(context, loop.step);
    if (isConstant(loop.lower, 0))
      return isConstant(loop.step, 1)
                 ? arg(loop.upper)
                 : fmt::format("tsk::ceil_div({}, {}) * {}", arg(loop.upper), arg(loop.step), step);
    return fmt::format("{0} + ({1} > {0} ? tsk::ceil_div({1} - {0}, {2}) * {3} : 0)", lower, upper,
                       arg(loop.step), step);
  }

  // Numbers of threads are int; their products are not where the variable is wider.
  bool isInt() const { return type == cppType(ir::ScalarType::I32); }
  std::string inType(const std::string &number) const {
    return isInt() ? number : fmt::format("{}({})", type, number);
  }

  std::string factor(const std::string &number) const {
    return isInt() ? "(" + number + ")" : inType(number);
  }

  // The calling thread's number and how many there are.
  std::pair<std::string, std::string> threadsAcross(const plan::Task &task,
                                                    ir::Across across) const {
    const unsigned first = task.firstWarp * 32, count = task.warps * 32;
    const std::string own =
        first ? fmt::format("tsk::block_thread() - {}", first) : "tsk::block_thread()";
    switch (across) {
    case ir::Across::Warp:
      return {"tsk::lane()", "32"};
    case ir::Across::Task:
      return {own, std::to_string(count)};
    case ir::Across::Cta:
      TSK_CHECK(count == context.threads(), "a loop across the CTA in a part of it");
      return {own, std::to_string(count)};
    case ir::Across::Grid: {
      const bool isFlat =
          context.kernel.grid.isPersistent || context.kernel.grid.extents.size() < 2;
      const std::string block = inType(isFlat ? "tsk::block_x()" : "tsk::linear_block()");
      const std::string grid = inType(isFlat ? "tsk::grid_x()" : "tsk::linear_grid()");
      return {fmt::format("{} * {} + {}", block, count, own), fmt::format("{} * {}", grid, count)};
    }
    }
    TSK_UNREACHABLE("Across outside its enumeration");
  }

  const KernelContext &context;
  const KernelNames &names;
  const ir::ValueTables &tables;
  const ir::Loop &loop;
  const std::string type, i;
};

} // namespace

LoopHead loopHead(const KernelContext &context, const ir::Loop &loop) {
  const Head head(context, loop);
  return loop.isReversed ? head.reversed() : head.forwards();
}

LoopHead parallelLoopHead(const KernelContext &context, const plan::Task &task,
                          const plan::Step &step) {
  return Head(context, step.loop).parallel(task, step.across);
}

} // namespace tsk::codegen
