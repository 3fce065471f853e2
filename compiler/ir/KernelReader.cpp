#include "compiler/ir/KernelReader.h"

namespace tsk::ir {

std::unique_ptr<Kernel> KernelReader::read() {
  kernel = std::make_unique<Kernel>();
  SourceLoc begin = reader.peek().range.begin;
  reader.expect("kernel");
  kernel->name = reader.name("the kernel's name");
  kernel->loc = reader.rangeFrom(begin);
  kernel->templateName = reader.accept("of") ? reader.name("a kernel's name") : kernel->name;
  if (reader.accept("for")) {
    reader.expect("test");
    kernel->isTestOnly = true;
  }
  reader.expect("{");
  while (!reader.atEnd() && !reader.at("}"))
    readItem();
  reader.expect("}");
  resolveAccesses();
  return reader.failed() ? nullptr : std::move(kernel);
}

void KernelReader::readItem() {
  if (reader.accept("target"))
    return readTargets();
  if (reader.at("type") || reader.at("const"))
    return readKernelConstant(reader.take().text == "type");
  if (reader.accept("scalar"))
    return readScalar();
  if (reader.accept("param"))
    return readParam();
  if (reader.accept("function"))
    return readFunction();
  if (reader.accept("requires"))
    return readRequires();
  if (reader.accept("when")) {
    kernel->instanceCondition = expr();
    reader.expect(";");
    return;
  }
  if (reader.accept("grid"))
    return readGrid();
  if (reader.accept("cluster"))
    return readCluster();
  if (reader.accept("resource"))
    return readResource();
  if (reader.accept("task"))
    return readTask();
  if (reader.accept("depends"))
    return readDepends();
  reader.unexpected("a declaration of a kernel");
}

void KernelReader::declareName(const TextToken &name) {
  if (!reader.failed() && !declared.try_emplace(name.text, true).second)
    reader.fail(name.range, TextDuplicateName, name.text);
}

ScalarType KernelReader::scalarType() {
  TextToken token = reader.word("a scalar type");
  std::optional<ScalarType> type = scalarTypeByName(token.text);
  if (!type && !reader.failed())
    fail(token, "scalar type");
  return type.value_or(ScalarType::I32);
}

ParamId KernelReader::paramByName(const TextToken &name) {
  ParamId id = find(kernel->params, name.text);
  if (!id && !reader.failed())
    fail(name, "parameter");
  return id;
}

ResourceId KernelReader::resourceByName() {
  TextToken name = reader.word("a resource's name");
  ResourceId id = find(kernel->resources, name.text);
  if (!id && !reader.failed())
    fail(name, "resource");
  return id;
}

void KernelReader::readTargets() {
  do
    kernel->targets.push_back(reader.name("a target"));
  while (reader.accept(","));
  reader.expect(";");
}

// Behind `type` or `const`.
Constant KernelReader::readConstantItem(bool isType) {
  Constant constant;
  TextToken name = reader.word("a name");
  constant.name = name.text.str();
  constant.loc = name.range;
  reader.expect("=");
  constant.isType = isType;
  if (isType) {
    constant.value = static_cast<int64_t>(scalarType());
  } else {
    ConstantScalar value = readConstant(reader);
    constant.type = Type::ofScalar(value.type);
    constant.value = value.value;
    constant.real = value.real;
  }
  reader.expect(";");
  return constant;
}

void KernelReader::readKernelConstant(bool isType) {
  TextToken name = reader.peek();
  Constant constant = readConstantItem(isType);
  declareName(name);
  ConstantScalar value{constant.type.scalar, constant.value, constant.real};
  ConstantId id = kernel->constants.add(constant);
  if (!isType)
    scope.constants[name.text] = {id, value};
}

void KernelReader::readScalar() {
  TextToken name = reader.word("a name");
  declareName(name);
  reader.expect(":");
  Scalar scalar;
  scalar.name = name.text.str();
  scalar.type = scalarType();
  scalar.isDimension = reader.accept("dimension");
  scalar.loc = name.range;
  reader.expect(";");
  scope.scalars[name.text] = {kernel->scalars.add(scalar), Type::ofScalar(scalar.type)};
}

void KernelReader::readParam() {
  Param param;
  param.direction = reader.accept("inout") ? Direction::InOut
                    : reader.accept("out") ? Direction::Out
                    : reader.accept("in")  ? Direction::In
                                           : Direction::None;
  TextToken name = reader.word("a parameter's name");
  param.name = name.text.str();
  param.loc = name.range;
  reader.expect(":");
  if (reader.accept("tensor")) {
    declareName(name);
    readTensorParam(param);
  } else if (reader.accept("ptr")) {
    declareName(name);
    param.shape = Param::Shape::Pointer;
    reader.expect("<");
    param.element = scalarType();
    reader.expect(">");
  } else { // declared as a scalar before
    param.shape = Param::Shape::Scalar;
    param.element = scalarType();
    param.scalar = find(kernel->scalars, name.text);
    if (!param.scalar && !reader.failed())
      fail(name, "scalar");
  }
  if (reader.accept("from")) {
    reader.expect("host");
    param.fromHost = true;
  }
  reader.expect(";");
  kernel->params.add(std::move(param));
}

void KernelReader::readTensorParam(Param &param) {
  param.shape = Param::Shape::Tensor;
  reader.expect("<");
  param.element = scalarType();
  reader.expect(">");
  reader.list("[", "]", [&] { param.dims.push_back(expr()); });
  if (reader.accept("strides"))
    reader.list("[", "]", [&] { param.strides.push_back(expr()); });
}

// function steps(t : i32) -> (i32) where(LIMIT = 8) uses(offsets, scalar n) { … }
void KernelReader::readFunction() {
  Function function;
  Signature signature;
  TextToken name = reader.word("a function's name");
  declareName(name);
  signature.name = name.text.str();
  function.loc = name.range;
  for (const WorkParam &param : readWorkParams()) {
    signature.params.push_back(param.type);
    function.params.push_back(param.name);
  }
  reader.expect("->");
  reader.expect("(");
  signature.result = readType(reader);
  reader.expect(")");
  if (reader.accept("changes_by"))
    signature.changesBy = reader.word("a name").text.str();
  if (reader.accept("where"))
    reader.list("(", ")", [&] {
      TextToken constant = reader.word("a name");
      reader.expect("=");
      ConstantScalar value = readConstant(reader);
      function.constants.push_back({constant.text.str(), Type::ofScalar(value.type), false,
                                    value.value, value.real, constant.range});
    });
  if (reader.accept("uses"))
    reader.list("(", ")", [&] { readUse(function); });
  function.body = reader.braced(function.bodyLoc);
  scope.functions[name.text] = kernel->tables.functions.add(std::move(signature));
  kernel->functions.add(std::move(function));
}

void KernelReader::readRequires() {
  Requirement requirement;
  SourceLoc begin = reader.peek().range.begin;
  requirement.condition = expr();
  requirement.loc = reader.rangeFrom(begin);
  requirement.text = reader.string("the condition's text");
  reader.expect(";");
  kernel->requirements.push_back(std::move(requirement));
}

void KernelReader::readGrid() {
  SourceLoc begin = reader.peek().range.begin;
  if (reader.accept("persistent")) {
    kernel->grid.isPersistent = true;
    reader.expect("(");
    kernel->grid.ctasPerSm = static_cast<unsigned>(reader.integer("CTAs per SM", 1, 64));
    reader.expect(")");
  } else {
    reader.list("(", ")", [&] { kernel->grid.extents.push_back(expr()); });
  }
  kernel->grid.loc = reader.rangeFrom(begin);
  reader.expect(";");
}

void KernelReader::readCluster() {
  SourceLoc begin = reader.peek().range.begin;
  size_t axis = 0;
  reader.list("(", ")", [&] {
    auto extent = static_cast<unsigned>(reader.integer("an extent of the cluster", 1, 64));
    if (axis < kernel->cluster.extents.size())
      kernel->cluster.extents[axis++] = extent;
  });
  kernel->cluster.loc = reader.rangeFrom(begin);
  reader.expect(";");
}

void KernelReader::readDepends() {
  kernel->depends.emplace();
  kernel->dependsLoc = reader.peek().range;
  reader.expect("{");
  while (!reader.atEnd() && !reader.at("}")) {
    Edge edge;
    SourceLoc begin = reader.peek().range.begin;
    edge.downstream = resourceByName();
    reader.expect("<");
    reader.expect("-");
    edge.upstream = resourceByName();
    edge.loc = reader.rangeFrom(begin);
    reader.expect(";");
    kernel->depends->push_back(edge);
  }
  reader.expect("}");
}

} // namespace tsk::ir
