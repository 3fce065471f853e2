#include "compiler/body/BodyReading.h"

#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyScan.h"

#include "compiler/ir/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::body {

using ir::Access;
using ir::ElementForm;
using ir::ElementIndex;
using ir::Elements;
using ir::FieldId;
using ir::Mechanism;
using ir::ParamId;
using ir::WorkKind;

std::vector<const WorkFacts *> Reading::factsOf(const ir::Kernel &kernel, ir::WorkId work) const {
  std::vector<const WorkFacts *> result;
  for (const WorkFacts &facts : reply.works) {
    const Function &function = request.functions[facts.function];
    if (function.kernel == kernel.name && function.work == work)
      result.push_back(&facts);
  }
  return result;
}

bool Reading::isFollowed(const ir::Kernel &kernel, ir::WorkId work) const {
  const std::vector<const WorkFacts *> facts = factsOf(kernel, work);
  return !facts.empty() &&
         llvm::all_of(facts, [](const WorkFacts *one) { return one->notFollowed.empty(); });
}

bool Reading::isFollowed(const ir::Kernel &kernel) const {
  for (size_t i = 0; i < kernel.works.size(); ++i)
    if (!isFollowed(kernel, kernel.works.idAt(i)))
      return false;
  return true;
}

static void addCalls(const ir::Kernel &kernel, ir::TaskId task, ir::RegionId region,
                     std::set<std::pair<ir::TaskId, ir::WorkId>> &calls) {
  if (!region)
    return;
  for (const ir::Op &op : kernel.regions[region].ops) {
    if (op.kind == ir::OpKind::Call)
      calls.insert({task, op.work});
    if (op.kind == ir::OpKind::ParallelFor)
      continue;
    addCalls(kernel, task, op.body, calls);
    addCalls(kernel, task, op.elseBody, calls);
  }
}

std::set<std::pair<ir::TaskId, ir::WorkId>> calledTogether(const ir::Kernel &kernel) {
  std::set<std::pair<ir::TaskId, ir::WorkId>> calls;
  for (size_t i = 0; i < kernel.tasks.size(); ++i) {
    const ir::TaskId task = kernel.tasks.idAt(i);
    addCalls(kernel, task, kernel.tasks[task].body, calls);
  }
  return calls;
}

bool Reading::covers(const ir::Module &module, const Report &report) const {
  // What the tokens do not show may stand behind a call that Clang could not follow for an error.
  if (report.kind == kind::TmaPipelineWithoutTma &&
      llvm::any_of(reply.messages, [](const CxxMessage &message) {
        return message.isError && message.about == CxxMessage::About::Body;
      }))
    return true;
  bool isInside = false;
  for (const auto &kernel : module.kernels)
    for (size_t i = 0; i < kernel->works.size(); ++i) {
      const ir::Work &work = kernel->works[kernel->works.idAt(i)];
      if (work.loc.begin > report.range.begin || report.range.begin >= work.bodyLoc.end)
        continue;
      isInside = true;
      if (!isFollowed(*kernel, kernel->works.idAt(i)))
        return false;
    }
  return isInside ||
         llvm::all_of(module.kernels, [&](const auto &kernel) { return isFollowed(*kernel); });
}

SourceRange rangeOf(const CxxPlace &place, const SourceManager &sources) {
  if (!place.isValid())
    return {};
  SourceLoc begin = sources.locate(place.file, place.line, place.column);
  if (!begin.isValid())
    return {};
  const SourceLoc end = std::max(
      sources.locate(place.file, place.line, place.column + place.length), begin.advanced(1));
  // The place of a call through an operator is its `(`: the callee belongs to it.
  const llvm::StringRef line = sources.lineText(begin);
  unsigned column = place.column - 1;
  if (column < line.size() && line[column] == '(')
    while (column > 0 && (llvm::isAlnum(line[column - 1]) || line[column - 1] == '_'))
      --column;
  begin.offset -= place.column - 1 - column;
  return {begin, end};
}

// ---- Accesses -----------------------------------------------------------------------------------

namespace {

class FactsApplier {
public:
  FactsApplier(ir::Kernel &k, ir::Work &w) : kernel(k), work(w) {
    work.accesses.clear();
    work.usedParams.clear();
    work.usedScalars.clear();
    work.isBlind = work.declared.empty();
    work.mayAwaitCtas = !work.declared.empty();
  }

  void apply(const Function &function, const WorkFacts &facts) {
    work.isBlind &= facts.isClosed;
    work.mayAwaitCtas |= facts.spins;
    for (const AccessFact &fact : facts.accesses)
      apply(function, fact);
    for (size_t i = 0; i < function.roles.size() && i < facts.named.size(); ++i)
      if (facts.named[i]) {
        name(function.roles[i]);
        work.isBlind &= function.roles[i].kind != Role::Kind::Stage;
      }
  }

private:
  // Arguments by the work's parameters; what else all threads share, by name.
  static Elements elementsOf(const Function &function, Elements elements) {
    for (ElementForm &form : elements.forms)
      for (ElementIndex &index : form.dims)
        for (const auto &[number, weight] : std::exchange(index.args, {})) {
          if (number >= function.roles.size())
            return {{}, elements.isAtomic};
          const Role &role = function.roles[number];
          if (role.kind == Role::Kind::Param)
            index.args[role.id] += weight;
          else
            index.others["scalar " + role.name] += weight;
        }
    return elements;
  }

  // The elements of a box of a field's size that begins there.
  static Elements boxAt(Elements elements, llvm::ArrayRef<int64_t> dims) {
    for (ElementForm &form : elements.forms) {
      if (form.dims.size() != dims.size())
        return {};
      for (size_t i = 0; i < dims.size(); ++i)
        form.dims[i].high += dims[i] - 1;
    }
    return elements;
  }

  // What all CTAs find the same in, whenever they look.
  bool isReadOnly(const Role &role) const {
    return role.kind == Role::Kind::Tensor &&
           kernel.params[ParamId{role.id}].direction == words::Direction::In;
  }

  void apply(const Function &function, const AccessFact &fact) {
    const Role &role = function.roles[fact.role];
    work.isBlind &= fact.isWrite || isReadOnly(role);
    Access access;
    access.isWrite = fact.isWrite;
    access.mechanism = fact.mechanism;
    access.isStore = fact.isStore;
    if (role.kind == Role::Kind::Field) {
      access.field = FieldId{role.id};
      access.elements = elementsOf(function, fact.elements);
      access.elements.mayMeet = fact.elements.mayMeet;
      add(access);
      if (fact.mechanism != Mechanism::Tma)
        return;
      access.field = {};
      access.isWrite = fact.isStore;
      access.elements = boxAt(access.elements, kernel.fields[FieldId{role.id}].dims);
      for (ParamId tensor : kernel.fields[FieldId{role.id}].tensors) {
        access.tensor = tensor;
        add(access);
      }
    } else if (role.kind == Role::Kind::Tensor) {
      access.tensor = ParamId{role.id};
      access.elements = elementsOf(function, fact.elements);
      add(access);
    }
  }

  // What is named without being touched (`sizeof data`) must be there all the same.
  void name(const Role &role) {
    switch (role.kind) {
    case Role::Kind::Field: {
      const FieldId field{role.id};
      auto touches = [&](const Access &access) { return access.field == field; };
      if (llvm::any_of(work.accesses, touches))
        return;
      const bool isOwn = kernel.fields[field].resource == work.resource;
      const bool writes = isOwn && work.kind == WorkKind::Produce;
      return add({field, {}, writes, Mechanism::Async, false});
    }
    case Role::Kind::Tensor:
    case Role::Kind::Pointer:
      if (!llvm::is_contained(work.usedParams, ParamId{role.id}))
        work.usedParams.push_back(ParamId{role.id});
      return;
    case Role::Kind::Scalar:
      if (!llvm::is_contained(work.usedScalars, ir::ScalarId{role.id}))
        work.usedScalars.push_back(ir::ScalarId{role.id});
      return;
    case Role::Kind::Stage:
    case Role::Kind::Param:
      return;
    }
  }

  void add(const Access &access) { addAccess(work, access); }

  ir::Kernel &kernel;
  ir::Work &work;
};

} // namespace

void applyFacts(ir::Module &module, const Reading &reading) {
  for (const auto &owned : module.kernels) {
    ir::Kernel &kernel = *owned;
    for (size_t w = 0; w < kernel.works.size(); ++w) {
      const ir::WorkId id = kernel.works.idAt(w);
      if (!reading.isFollowed(kernel, id))
        continue;
      FactsApplier applier(kernel, kernel.works[id]);
      const auto all = reading.factsOf(kernel, id);
      for (const WorkFacts *facts : all)
        applier.apply(reading.request.functions[facts->function], *facts);
      for (Access &access : kernel.works[id].accesses) // not all of what several tasks touch
        access.elements.isCertain &= all.size() == 1 || access.elements.forms.size() == 1;
      for (const Access &declared : kernel.works[id].declared)
        addAccess(kernel.works[id], declared);
    }
  }
}

// ---- As text ------------------------------------------------------------------------------------

static std::string spelling(const AccessFact &fact) {
  std::string text = fact.isWrite ? "write" : "read";
  if (fact.mechanism != Mechanism::Async)
    text += " by " + ast::spelling(fact.mechanism).str();
  if (fact.isStore)
    text += " store";
  return text;
}

static std::string details(const AccessFact &fact) {
  std::string text;
  if (fact.isInFlight)
    text += ", in flight";
  if (fact.completes == AccessFact::Completes::Stage)
    text += ", completes the stage";
  if (fact.completes == AccessFact::Completes::Group)
    text += ", completes a group";
  if (fact.bytes)
    text += fmt::format(", {} bytes", *fact.bytes);
  switch (fact.issuer) {
  case AccessFact::Issuer::All:
    break;
  case AccessFact::Issuer::OneOfWarp:
    text += ", one thread of each warp";
    break;
  case AccessFact::Issuer::OneOfTask:
    text += ", one thread";
    break;
  case AccessFact::Issuer::Some:
    text += ", some threads";
    break;
  }
  if (fact.most && *fact.most == fact.least)
    return text + (fact.least == 1 ? "" : fmt::format(", {} times", fact.least));
  const std::string most = fact.most ? std::to_string(*fact.most) : "";
  return text + fmt::format(", {} .. {} times", fact.least, most);
}

void print(const ir::Module &module, const Reading &reading, llvm::raw_ostream &os) {
  for (const WorkFacts &facts : reading.reply.works) {
    const Function &function = reading.request.functions[facts.function];
    os << function.kernel << (function.userFunction ? ", function " : ", ") << function.name;
    for (const auto &kernel : module.kernels)
      if (function.task && kernel->name == function.kernel)
        os << " in task " << kernel->tasks[function.task].name;
    os << (facts.isPure ? ", pure:\n" : ":\n");
    if (!facts.notFollowed.empty())
      os << "  not followed: " << facts.notFollowed << '\n';
    for (const AccessFact &fact : facts.accesses)
      os << "  " << spelling(fact) << ' ' << function.roles[fact.role].name << details(fact)
         << "  // " << fact.place.line << ':' << fact.place.column << '\n';
    for (const ClaimFact &fact : facts.claims) {
      os << "  claim " << fact.number << ':' << fact.text;
      for (unsigned role : fact.roles)
        os << " into " << function.roles[role].name;
      os << '\n';
    }
  }
}

} // namespace tsk::body
