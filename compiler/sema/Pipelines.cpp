// `pipeline P -> C stages N { options }`.
#include "compiler/sema/ResourceBuilder.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> DuplicatePipeline{kind::DuplicatePipeline,
                                                        "resource `{}` has a pipeline already"};
constexpr Diagnostic<> PipelineOfRegs{
    kind::PipelineOfRegs, "registers belong to their task: a `regs` resource has no pipeline"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> MechanismSide{kind::MechanismSide,
                                                                     "`{}` does not {}"};

// Whether both say one thing of one side. The bytes of a stage are said in one way.
static bool setTheSame(const ast::PipelineOption &a, const ast::PipelineOption &b) {
  using Option = ast::PipelineOption;
  const auto isBytes = [](const Option &option) {
    return option.kind == Option::Kind::Bytes || option.kind == Option::Kind::BytesPerWarpPerCta;
  };
  if (isBytes(a) || isBytes(b))
    return isBytes(a) && isBytes(b);
  return a.kind == b.kind &&
         (a.side == b.side || a.side == Option::Side::Both || b.side == Option::Side::Both);
}

bool ResourceBuilder::checkSide(const ast::MechanismUse &use, bool isProducer) {
  bool producerOnly = use.mechanism == ast::Mechanism::CpAsync ||
                      use.mechanism == ast::Mechanism::Clc ||
                      use.mechanism == ast::Mechanism::Remote;
  bool consumerOnly = use.mechanism == ast::Mechanism::Wgmma;
  if ((isProducer && consumerOnly) || (!isProducer && producerOnly)) {
    state.context.report(use.range, MechanismSide, ast::spelling(use.mechanism),
                         isProducer ? "fill stages" : "drain stages");
    return false;
  }
  return true;
}

bool ResourceBuilder::checkMechanisms(const ast::Pipeline &pipeline) {
  bool ok = true;
  for (const ast::MechanismUse &use : pipeline.producers)
    ok &= checkSide(use, true);
  for (const ast::MechanismUse &use : pipeline.consumers)
    ok &= checkSide(use, pipeline.isExchange);
  if (!ok)
    return false;
  if (pipeline.isExchange) {
    state.context.notYetCompiled(Construct::Exchange, pipeline.range);
    return false;
  }
  using Ends = std::pair<ast::Mechanism, ast::Mechanism>;
  if (pipeline.producers.size() == 1 && pipeline.consumers.size() == 1 &&
      llvm::is_contained({Ends{ast::Mechanism::Async, ast::Mechanism::Async},
                          Ends{ast::Mechanism::Tma, ast::Mechanism::Async},
                          Ends{ast::Mechanism::Tma, ast::Mechanism::Wgmma},
                          Ends{ast::Mechanism::Remote, ast::Mechanism::Async}},
                         Ends{pipeline.producers[0].mechanism, pipeline.consumers[0].mechanism}))
    return true;
  state.context.notYetCompiled(Construct::Mechanisms, pipeline.range);
  return false;
}

void ResourceBuilder::addPipeline(const ast::Pipeline &pipeline) {
  if (pipelineLoc.isValid()) {
    state.context.report(pipeline.range, DuplicatePipeline, resource().name)
        .note(pipelineLoc, "the first is here");
    return;
  }
  pipelineLoc = pipeline.range;
  if (resource().space == ast::SpaceKind::Regs) {
    state.context.report(pipeline.range, PipelineOfRegs);
    return;
  }
  if (resource().space == ast::SpaceKind::Gmem) {
    state.context.notYetCompiled(Construct::GmemPipelines, pipeline.range);
    return;
  }
  ir::Pipeline built;
  built.loc = pipeline.range;
  ExprResolver resolver = state.resolver(scope);
  if (auto stages =
          resolver.constantInteger(pipeline.stages, "the number of stages", 1, ir::MaxStages))
    built.stages = static_cast<unsigned>(*stages);
  for (size_t i = 0; i < pipeline.options.size(); ++i) {
    const auto *first = llvm::find_if(pipeline.options, [&](const ast::PipelineOption &other) {
      return setTheSame(other, pipeline.options[i]);
    });
    if (first == &pipeline.options[i])
      setOption(built, pipeline.options[i]);
    else
      state.context
          .report(pipeline.options[i].range, DuplicateOption, "the pipeline of", resource().name,
                  state.context.text(first->range).split(' ').first)
          .note(first->range, "the first is here");
  }
  // Kept even where its mechanisms are wrong, so that its operations are not judged wrong too.
  checkMechanisms(pipeline);
  for (const ast::MechanismUse &use : pipeline.producers)
    built.producers.push_back(use.mechanism);
  for (const ast::MechanismUse &use : pipeline.consumers)
    built.consumers.push_back(use.mechanism);
  built.isExchange = pipeline.isExchange;
  resource().pipeline = std::move(built);
}

void ResourceBuilder::setOption(ir::Pipeline &built, const ast::PipelineOption &option) {
  switch (option.kind) {
  case ast::PipelineOption::Kind::Bytes: {
    ExprResolver resolver = state.resolver(scope);
    built.assertedBytes =
        resolver.constantInteger(option.value, "the bytes of a stage", 0, INT32_MAX);
    built.bytesLoc = option.value->range;
    return;
  }
  case ast::PipelineOption::Kind::BytesPerWarpPerCta:
    return state.context.notYetCompiled(Construct::BytesPerWarp, option.range);
  case ast::PipelineOption::Kind::Signal:
    return state.context.notYetCompiled(Construct::Signals, option.range);
  case ast::PipelineOption::Kind::Lanes:
    return state.context.notYetCompiled(Construct::Lanes, option.range);
  }
}

} // namespace tsk::sema
