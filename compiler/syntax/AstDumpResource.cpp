// Resources and their members.
#include "compiler/syntax/AstDumper.h"

namespace tsk::ast {

using llvm::StringRef;

static std::string spaceText(const Space &space) {
  return " : " + spelling(space.kind).str() + named("of", space.tensor);
}

void Dumper::resource(const ResourceDecl &node) {
  if (node.instantiated)
    return line(node.range, "resource " + node.name.text + optional("count", node.count) + " = " +
                                toString(*node.instantiated) + "(" + list(node.args) + ")");
  line(node.range,
       "resource " + node.name.text + optional("count", node.count) + spaceText(node.space));
  inside([&] { members(node.members); });
}

void Dumper::resourceType(const ResourceTypeDecl &node) {
  line(node.range, "resource-type " + node.name.text + spaceText(node.space));
  inside([&] {
    compileTimeParams(node.compileTimeParams);
    kernelParams(node.params);
    members(node.members);
  });
}

void Dumper::members(List<ResourceMember> nodes) {
  for (const ResourceMember &node : nodes) {
    if (node.field)
      field(*node.field);
    if (node.pipeline)
      pipeline(*node.pipeline);
    if (node.work)
      work(*node.work);
    if (!node.staticIf)
      continue;
    branches("static-if", node.staticIf->branches,
             [&](List<ResourceMember> content) { members(content); });
    if (node.staticIf->hasElse) {
      line({}, "else");
      inside([&] { members(node.staticIf->elseMembers); });
    }
  }
}

static std::string attrText(const FieldAttr &attr) {
  switch (attr.kind) {
  case FieldAttr::Kind::Align:
    return optional("align", attr.value);
  case FieldAttr::Kind::Swizzle:
    return " swizzle " + spelling(attr.swizzle).str();
  case FieldAttr::Kind::Per:
    return " per " + spelling(attr.per).str();
  case FieldAttr::Kind::Of:
    return " of " + list(attr.tensors);
  case FieldAttr::Kind::Multicast:
    return std::string(" multicast ") + attr.axis;
  case FieldAttr::Kind::View:
    return named("view of", attr.viewed) + optional("at column", attr.value);
  }
  return "";
}

void Dumper::field(const Field &node) {
  std::string text = "field " + node.name.text.str() + withType(node.type);
  for (const Expr *dim : node.dims)
    text += "[" + toString(*dim) + "]";
  for (const FieldAttr &attr : node.attrs)
    text += attrText(attr);
  line(node.range, text + optional("=", node.init));
}

static std::string optionText(const PipelineOption &option) {
  static constexpr StringRef Sides[] = {"", " producer", " consumer", " wait"};
  static constexpr StringRef Signals[] = {" all", " cta_leader", " warp_leader"};
  static constexpr StringRef Lanes[] = {"", " warp", " tile", " rank", " task"};
  std::string side = Sides[static_cast<size_t>(option.side)].str();
  switch (option.kind) {
  case PipelineOption::Kind::Bytes:
    return optional("bytes", option.value).substr(1);
  case PipelineOption::Kind::BytesPerWarpPerCta:
    return optional("bytes per warp per cta", option.value).substr(1);
  case PipelineOption::Kind::Signal:
    return "signal" + side + Signals[static_cast<size_t>(option.signal)].str();
  case PipelineOption::Kind::Lanes:
    return "lanes" + side + " by" + Lanes[static_cast<size_t>(option.lanesBy)].str() +
           (option.lanes.empty() ? "" : " " + list(option.lanes));
  }
  return "";
}

void Dumper::pipeline(const Pipeline &node) {
  line(node.range, "pipeline " + list(node.producers) + (node.isExchange ? " <-> " : " -> ") +
                       list(node.consumers) + " stages " + toString(*node.stages));
  inside([&] {
    for (const PipelineOption &option : node.options)
      line(option.range, optionText(option));
  });
}

void Dumper::work(const Work &node) {
  line(node.range, spelling(node.kind) + " " + node.name.text +
                       (node.by == IssueBy::Unsaid ? "" : " by ") + spelling(node.by));
  inside([&] {
    params(node.params, "param");
    params(node.results, "result");
    for (const WorkEffect &effect : node.effects)
      line(effect.range, (effect.isWrite ? "writes " : "reads ") + list(effect.paths));
    if (node.effectMechanism)
      line(node.effectMechanism->range, "mechanism " + spelling(node.effectMechanism->mechanism));
    if (node.effectInFlight)
      line({}, "in flight");
    body(node.body);
  });
}

} // namespace tsk::ast
