#include "compiler/codegen/cuda/Signature.h"

#include "compiler/body/BodyTokens.h"
#include "compiler/ir/CppText.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::codegen {

std::set<std::string> identifiersIn(llvm::StringRef text) {
  std::set<std::string> identifiers;
  ir::CppLexer lexer(text);
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End;
       token = lexer.next())
    if (token.kind == ir::CppToken::Kind::Identifier)
      identifiers.insert(token.text.str());
  return identifiers;
}

std::set<std::string> identifiersOf(const ir::Work &work) {
  std::set<std::string> identifiers = identifiersIn(work.body);
  identifiers.insert(work.hiddenNames.begin(), work.hiddenNames.end());
  for (const auto *list : {&work.params, &work.results})
    for (const ir::WorkParam &param : *list)
      identifiers.merge(identifiersIn(param.type.cpp));
  return identifiers;
}

std::set<std::string> identifiersOf(const ir::Function &function) {
  std::set<std::string> identifiers = identifiersIn(function.body);
  identifiers.insert(function.hiddenNames.begin(), function.hiddenNames.end());
  return identifiers;
}

static bool mayWrite(ir::WorkKind kind) {
  return kind == ir::WorkKind::Produce || kind == ir::WorkKind::Update;
}

static void addFields(WorkSignature &signature, const ir::Kernel &kernel, const ir::Work &work) {
  for (const ir::Access &access : work.accesses) {
    if (!access.field)
      continue;
    auto known = llvm::find_if(signature.fields,
                               [&](const auto &entry) { return entry.field == access.field; });
    if (known == signature.fields.end()) {
      signature.fields.push_back({access.field});
      known = std::prev(signature.fields.end());
      known->isForeign = kernel.fields[access.field].resource != work.resource;
    }
    // A body may hand its own stage on to what could write, even if nothing does.
    known->isWritten |= access.isWrite || (!known->isForeign && mayWrite(work.kind));
    known->isMoved |= access.mechanism == ir::Mechanism::Tma;
  }
}

namespace {

// Which of the kernel's names a body gets. The lists of the work are right but where the body
// declares a name itself: whether it uses the kernel's as well, only C++ knows. Then it gets it.
class NameFinder {
public:
  NameFinder(const ir::Kernel &k, const ir::Work &w) : kernel(k), work(w), tokens(w) {
    for (size_t i = 0; i < tokens.size(); ++i)
      if (tokens.isFree(i))
        spelled.insert(tokens[i].text.str());
    spelled.insert(work.hiddenNames.begin(), work.hiddenNames.end());
  }

  void find(WorkSignature &signature) {
    for (const ir::ParamAlias &alias : kernel.resources[work.resource].aliases)
      param(signature, alias.param, alias.name);
    for (size_t i = 0; i < kernel.params.size(); ++i)
      if (const ir::Param &item = kernel.params[kernel.params.idAt(i)];
          item.shape != ir::Param::Shape::Scalar)
        param(signature, kernel.params.idAt(i), item.name);
    for (size_t i = 0; i < kernel.scalars.size(); ++i)
      if (const ir::ScalarId id = kernel.scalars.idAt(i);
          llvm::is_contained(work.usedScalars, id) || isNamed(kernel.scalars[id].name, false))
        signature.scalars.push_back(id);
    for (size_t i = 0; i < tokens.size(); ++i)
      signature.usesStage |= tokens.isFree(i) && tokens.is(i, "stage") && tokens.is(i + 1, ".");
    signature.usesStage |= work.hiddenNames.count("stage") != 0;
    signature.hidesNames = hidesAny(signature);
  }

private:
  bool isNamed(const std::string &name, bool isListed) const {
    return spelled.count(name) && (isListed || tokens.isLocal(name));
  }

  // Used and not spelled: Clang has found it behind a macro.
  bool isHidden(ir::ParamId id, const std::string &name) const {
    if (!llvm::is_contained(work.usedParams, id) || kernel.params[id].name != name)
      return false;
    return !spelled.count(name) &&
           llvm::none_of(kernel.resources[work.resource].aliases, [&](const ir::ParamAlias &alias) {
             return alias.param == id && spelled.count(alias.name);
           });
  }

  // By its own name or by the one that the resource's type has for it; both may be one.
  void param(WorkSignature &signature, ir::ParamId id, const std::string &name) const {
    const bool isKnown =
        llvm::any_of(signature.params, [&](const auto &entry) { return entry.name == name; });
    const bool isTouched =
        llvm::any_of(work.accesses, [&](const ir::Access &access) { return access.tensor == id; });
    const bool isUsed = llvm::is_contained(work.usedParams, id);
    if (!isKnown && (isNamed(name, isTouched || isUsed) || isHidden(id, name)))
      signature.params.push_back({id, name});
  }

  bool hidesAny(const WorkSignature &signature) const {
    // What comes of a macro may be declared by it.
    const auto isLocal = [&](const std::string &name) {
      return tokens.isLocal(name) || work.hiddenNames.count(name);
    };
    return llvm::any_of(signature.params, [&](const auto &item) { return isLocal(item.name); }) ||
           llvm::any_of(signature.scalars,
                        [&](ir::ScalarId id) { return isLocal(kernel.scalars[id].name); }) ||
           llvm::any_of(
               signature.fields,
               [&](const auto &item) { return isLocal(kernel.fields[item.field].name); }) ||
           (signature.usesStage && isLocal("stage"));
  }

  const ir::Kernel &kernel;
  const ir::Work &work;
  const body::BodyTokens tokens;
  std::set<std::string> spelled;
};

} // namespace

WorkSignature signatureOf(const ir::Kernel &kernel, const ir::Work &work) {
  WorkSignature signature;
  addFields(signature, kernel, work);
  NameFinder(kernel, work).find(signature);
  return signature;
}

} // namespace tsk::codegen
