// Resources: declared in place, or instances of resource types.
#pragma once

#include "compiler/sema/TypeResolver.h"

namespace tsk::sema {

class ResourceBuilder {
public:
  // `names`: what the members see.
  ResourceBuilder(KernelState &kernelState, const Scope &names)
      : state(kernelState), kernel(*kernelState.kernel), scope(names) {}

  // Adds `resource name : space { members }`. Nothing if the resource cannot exist.
  std::optional<ir::ResourceId> build(const ast::Name &name, const ast::Space &space,
                                      ast::List<ast::ResourceMember> members);

private:
  void flatten(ast::List<ast::ResourceMember> members);
  bool setSpace(ir::Resource &resource, const ast::Space &space);
  ir::Resource &resource() { return kernel.resources[id]; }

  // Fields.cpp
  void addField(const ast::Field &field);
  bool setDims(ir::Field &built, const ast::Field &field);
  void setAttribute(ir::Field &built, const ast::Field &field, const ast::FieldAttr &attr);
  void setAlign(ir::Field &built, const ast::FieldAttr &attr);
  void setTensors(ir::Field &built, const ast::Field &field, const ast::FieldAttr &attr);
  void setPer(ir::Field &built, const ast::FieldAttr &attr);
  void setInit(ir::Field &built, const ast::Field &field);

  // Pipelines.cpp
  void addPipeline(const ast::Pipeline &pipeline);
  bool checkMechanisms(const ast::Pipeline &pipeline);
  bool checkSide(const ast::MechanismUse &use, bool isProducer);
  void setOption(ir::Pipeline &built, const ast::PipelineOption &option);

  // Works.cpp
  void addWork(const ast::Work &work);
  std::vector<ir::WorkParam> workParams(ast::List<ast::Param> params, Scope &names, bool isResult);
  void addHolds(ir::WorkId work, ast::List<ast::Param> params);
  void checkModifiers(const ast::Param &param, bool isResult);
  void checkHides(const ast::Name &name);
  void checkWrites(const ast::Work &work);

  KernelState &state;
  ir::Kernel &kernel;
  const Scope &scope;
  ir::ResourceId id;
  bool hasDims = false;    // of the field that is being read, without an error
  bool hasElement = false; // likewise
  std::vector<ast::ResourceMember> flat;
  Scope members;           // works and fields, for duplicates
  Scope bodyNames{&scope}; // what a body sees: fields too
  SourceRange pipelineLoc;
};

} // namespace tsk::sema
