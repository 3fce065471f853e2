#include "compiler/verify/Confirm.h"

namespace tsk::verify {

using protocol::Judgement;

static constexpr unsigned MaxOfCase = 6; // launches of one case
static constexpr unsigned MaxOfAny = 60;

std::string describe(const plan::Plan &plan, const proof::Launch &launch) {
  std::string text;
  auto add = [&](llvm::StringRef name, const ir::ConstantScalar &value) {
    text += fmt::format("{}`{}` = ", text.empty() ? "" : ", ", name);
    if (value.type == ir::ScalarType::Bool)
      text += value.value ? "true" : "false";
    else if (value.isReal())
      text += fmt::format("{}", value.real);
    else if (value.type == ir::ScalarType::U64)
      text += fmt::format("{}", static_cast<uint64_t>(value.value));
    else
      text += fmt::format("{}", value.value);
  };
  for (const auto &[scalar, value] : launch.ofScalars())
    add(plan.scalars[scalar].name, value);
  for (const auto &[result, value] : launch.ofResults())
    add(plan.tables.values[result].name, value);
  for (const auto &[builtin, value] : launch.ofBuiltins())
    if (builtin <= ir::Builtin::BlockZ)
      add(ir::spelling(builtin), ir::ConstantScalar::ofInt(value));
  return text;
}

std::optional<Confirmed> Confirmer::tryLaunch(const proof::Launch &launch) {
  auto translation = std::make_shared<proof::Translation>(proof::fromPlan(plan, &launch));
  if (!translation->unsupported.empty() || !translation->isExact)
    return std::nullopt;
  protocol::Verdict verdict = judge(*translation);
  if (verdict.judgement != Judgement::Fault)
    return std::nullopt;
  return Confirmed{std::move(translation), std::move(verdict), launch, describe(plan, launch)};
}

std::optional<Confirmed> Confirmer::confirm(const proof::Translation &translation,
                                            const protocol::Scenario &scenario) {
  std::map<int, int> values;
  for (const proof::Meaning &meaning : translation.meanings)
    values[meaning.symbol] = scenario.values[meaning.symbol];
  std::optional<Confirmed> result;
  witness.find(translation, values, MaxOfCase, [&](const proof::Launch &launch) {
    result = tryLaunch(launch);
    return result.has_value();
  });
  return result;
}

std::optional<Confirmed> Confirmer::findAny() {
  std::optional<Confirmed> result;
  witness.findAny(MaxOfAny, [&](const proof::Launch &launch) {
    result = tryLaunch(launch);
    return result.has_value();
  });
  return result;
}

} // namespace tsk::verify
