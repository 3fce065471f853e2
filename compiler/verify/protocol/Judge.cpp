#include "compiler/verify/protocol/Judge.h"

#include <algorithm>

namespace tsk::protocol {

static bool isProtocolOp(OpKind kind) {
  return kind != OpKind::Access && kind != OpKind::Next && kind != OpKind::SetCursor &&
         kind != OpKind::Group && kind != OpKind::GroupCommit && kind != OpKind::GroupWait &&
         kind != OpKind::ProxyFence;
}

// V9: the first synchronisation under a condition on which its participants can disagree.
static const Op *findNonUniform(const Region &region, bool isUniform) {
  for (const Node &node : region) {
    if (node.kind == NodeKind::Op && !isUniform && isProtocolOp(node.op.kind))
      return &node.op;
    bool inside = isUniform && node.isUniform;
    for (const Region *body : {&node.body, &node.elseBody})
      if (const Op *op = findNonUniform(*body, inside))
        return op;
  }
  return nullptr;
}

Verdict judge(const Model &model, const Budget &budget) {
  for (size_t index = 0; index < model.program->tasks.size(); ++index) {
    const Op *op = findNonUniform(model.program->tasks[index].body, true);
    if (!op)
      continue;
    Verdict verdict;
    verdict.judgement = Judgement::Fault;
    verdict.fault.emplace();
    verdict.fault->kind = FaultKind::NonUniform;
    for (size_t agent = 0; agent < model.agents.size(); ++agent)
      for (size_t pc = 0; pc < model.agents[agent].code.size(); ++pc)
        if (model.agents[agent].task == index && verdict.fault->agent < 0 &&
            model.agents[agent].code[pc].code == Code::Op &&
            model.agents[agent].code[pc].provenance == op->provenance) {
          verdict.fault->agent = static_cast<int>(agent);
          verdict.fault->pc = static_cast<int>(pc);
        }
    for (const Symbol &symbol : model.program->symbols)
      verdict.scenario.values.push_back(symbol.min);
    return verdict;
  }
  return prove(model, budget);
}

} // namespace tsk::protocol
