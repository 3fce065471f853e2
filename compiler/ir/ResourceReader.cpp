#include "compiler/ir/KernelReader.h"
#include "compiler/target/Target.h"

namespace tsk::ir {

static llvm::StringRef spellMechanism(Mechanism m) { return words::spelling(m); }

void KernelReader::readResource() {
  Resource resource;
  TextToken name = reader.word("a resource's name");
  declareName(name);
  resource.name = name.text.str();
  resource.loc = name.range;
  reader.expect(":");
  TextToken space = reader.word("a space");
  auto kind =
      enumByName(space.text, SpaceKind::Regs, [](SpaceKind k) { return words::spelling(k); });
  if (!kind && !reader.failed())
    fail(space, "space");
  resource.space = kind.value_or(SpaceKind::Smem);
  if (reader.accept("of"))
    resource.tensor = paramByName(reader.word("a tensor"));
  resource.isOrder = reader.accept("order");
  reader.expect("{");
  ResourceId id = kernel->resources.add(std::move(resource));
  while (!reader.atEnd() && !reader.at("}"))
    readMember(id);
  reader.expect("}");
}

void KernelReader::readMember(ResourceId resource) {
  if (reader.at("type") || reader.at("const")) {
    bool isType = reader.take().text == "type";
    kernel->resources[resource].constants.push_back(readConstantItem(isType));
  } else if (reader.accept("alias")) {
    std::string name = reader.name("a name");
    reader.expect("=");
    ParamId param = paramByName(reader.word("a tensor"));
    reader.expect(";");
    kernel->resources[resource].aliases.push_back({name, param});
  } else if (reader.accept("field")) {
    readField(resource);
  } else if (reader.accept("pipeline")) {
    kernel->resources[resource].pipeline = readPipeline();
  } else {
    readWork(resource);
  }
}

void KernelReader::readField(ResourceId resource) {
  Field field;
  TextToken name = reader.word("a field's name");
  field.name = name.text.str();
  field.loc = name.range;
  field.resource = resource;
  reader.expect(":");
  field.element = scalarType();
  while (reader.accept("[")) {
    field.dims.push_back(reader.integer("an extent", 1, int64_t(1) << 32));
    reader.expect("]");
  }
  while (readFieldAttribute(field))
    ;
  if (reader.accept("="))
    field.init = expr();
  reader.expect(";");
  FieldId id = kernel->fields.add(std::move(field));
  kernel->resources[resource].fields.push_back(id);
}

bool KernelReader::readFieldAttribute(Field &field) {
  if (reader.accept("align")) {
    field.align = static_cast<unsigned>(reader.integer("an alignment", 1, target::SharedAlignment));
  } else if (reader.accept("swizzle")) {
    TextToken span = reader.take();
    auto swizzle =
        enumByName(span.text, Swizzle::B128, [](Swizzle s) { return words::spelling(s); });
    if (!swizzle && !reader.failed())
      fail(span, "swizzle");
    field.swizzle = swizzle.value_or(Swizzle::None);
  } else if (reader.accept("of")) {
    do
      field.tensors.push_back(paramByName(reader.word("a tensor")));
    while (reader.accept(","));
  } else if (reader.accept("multicast")) {
    if (reader.at("x") || reader.at("y") || reader.at("z"))
      field.multicast = reader.take().text[0];
    else
      reader.unexpected("an axis of the cluster: x, y or z");
  } else if (reader.accept("per")) {
    TextToken unit = reader.word("a unit");
    field.per =
        enumByName(unit.text, PerUnit::Warpgroup, [](PerUnit u) { return words::spelling(u); });
    if (!field.per && !reader.failed())
      fail(unit, "unit");
  } else if (reader.accept("view")) {
    reader.expect("of");
    TextToken viewed = reader.word("a field");
    for (FieldId id : kernel->resources[field.resource].fields)
      if (kernel->fields[id].name == viewed.text)
        field.viewOf = id;
    if (!field.viewOf && !reader.failed())
      fail(viewed, "field");
    reader.expect("at");
    reader.expect("column");
    field.viewColumn = reader.integer("a column", 0, 1 << 20);
  } else {
    return false;
  }
  return !reader.failed();
}

std::vector<Mechanism> KernelReader::readMechanisms() {
  std::vector<Mechanism> mechanisms;
  do {
    TextToken word = reader.word("a mechanism");
    if (auto mechanism = enumByName(word.text, Mechanism::Cta, spellMechanism))
      mechanisms.push_back(*mechanism);
    else if (!reader.failed())
      fail(word, "mechanism");
  } while (reader.accept("+"));
  return mechanisms;
}

Pipeline KernelReader::readPipeline() {
  Pipeline pipeline;
  SourceLoc begin = reader.peek().range.begin;
  pipeline.producers = readMechanisms();
  pipeline.isExchange = reader.accept("<");
  reader.expect("->");
  pipeline.consumers = readMechanisms();
  reader.expect("stages");
  pipeline.stages = static_cast<unsigned>(reader.integer("stages", 1, 1 << 20));
  pipeline.loc = reader.rangeFrom(begin);
  if (reader.accept("bytes")) {
    pipeline.bytesLoc = reader.peek().range;
    pipeline.assertedBytes = reader.integer("bytes", 0, int64_t(1) << 32);
  }
  reader.expect(";");
  return pipeline;
}

void KernelReader::readWork(ResourceId resource) {
  Work work;
  work.resource = resource;
  TextToken kind = reader.word("a member of a resource");
  auto workKind =
      enumByName(kind.text, WorkKind::Setup, [](WorkKind k) { return words::spelling(k); });
  if (!workKind && !reader.failed())
    fail(kind, "kind of work");
  work.kind = workKind.value_or(WorkKind::Produce);
  TextToken name = reader.word("a work's name");
  work.name = name.text.str();
  work.loc = name.range;
  work.params = readWorkParams();
  const WorkId id = kernel->works.add(std::move(work));
  kernel->resources[resource].works.push_back(id);
  if (reader.accept("holds"))
    reader.list("(", ")", [&] { readHold(id); });
  if (reader.accept("->"))
    kernel->works[id].results = readWorkParams();
  if (reader.accept("by")) {
    TextToken by = reader.word("an issuer");
    auto issuer =
        enumByName(by.text, IssueBy::Leader, [](IssueBy b) { return words::spelling(b); });
    if (!issuer && !reader.failed())
      fail(by, "issuer");
    kernel->works[id].by = issuer.value_or(IssueBy::Unsaid);
  }
  if (reader.accept("touches"))
    reader.list("(", ")", [&] { readAccess(kernel->works[id]); });
  if (reader.accept("uses"))
    reader.list("(", ")", [&] { readUse(kernel->works[id]); });
  kernel->works[id].body = reader.braced(kernel->works[id].bodyLoc);
}

std::vector<WorkParam> KernelReader::readWorkParams() {
  std::vector<WorkParam> params;
  reader.list("(", ")", [&] {
    WorkParam param;
    param.isConst = reader.accept("const");
    param.isUniform = reader.accept("uniform");
    TextToken name = reader.word("a name");
    param.name = name.text.str();
    param.loc = name.range;
    reader.expect(":");
    param.type = readType(reader);
    params.push_back(std::move(param));
  });
  return params;
}

void KernelReader::readHold(WorkId work) {
  HoldParam hold;
  const TextToken name = reader.word("a name");
  hold.name = name.text.str();
  hold.loc = name.range;
  reader.expect(":");
  const TextToken resource = reader.word("a resource's name");
  reader.expect("at");
  hold.position = static_cast<unsigned>(reader.integer("a position", 0, 65535));
  pendingHolds.push_back({work, kernel->works[work].holds.size(), resource});
  kernel->works[work].holds.push_back(std::move(hold));
}

void KernelReader::readAccess(Work &work) {
  Access access;
  access.isWrite = reader.accept("write");
  if (!access.isWrite)
    reader.expect("read");
  SourceLoc begin = reader.peek().range.begin;
  std::string name = reader.dottedName("a field or tensor");
  SourceRange range = reader.rangeFrom(begin);
  if (reader.accept("by")) {
    TextToken word = reader.word("a mechanism");
    auto mechanism = enumByName(word.text, Mechanism::Cta, spellMechanism);
    if (!mechanism && !reader.failed())
      fail(word, "mechanism");
    access.mechanism = mechanism.value_or(Mechanism::Async);
  }
  access.isStore = reader.accept("store");
  pending.push_back(
      {kernel->works.idAt(kernel->works.size() - 1), work.accesses.size(), name, range});
  work.accesses.push_back(access);
}

void KernelReader::resolveAccesses() {
  for (const PendingAccess &item : pending) {
    if (reader.failed())
      return;
    Access &access = kernel->works[item.work].accesses[item.index];
    auto [resource, field] = llvm::StringRef(item.name).split('.');
    if (field.empty())
      access.tensor = find(kernel->params, item.name);
    else if (ResourceId owner = find(kernel->resources, resource))
      for (FieldId id : kernel->resources[owner].fields)
        if (kernel->fields[id].name == field)
          access.field = id;
    if (!access.tensor && !access.field)
      reader.fail(item.range, TextUnknownName, "field or tensor", item.name);
  }
  for (const PendingHold &item : pendingHolds) {
    const ResourceId held = find(kernel->resources, item.resource.text);
    if (!held && !reader.failed())
      fail(item.resource, "resource");
    kernel->works[item.work].holds[item.index].resource = held;
  }
}

} // namespace tsk::ir
