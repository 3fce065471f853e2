#include "compiler/codegen/cuda/Signature.h"

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
  for (const auto *list : {&work.params, &work.results})
    for (const ir::WorkParam &param : *list)
      identifiers.merge(identifiersIn(param.type.cpp));
  return identifiers;
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
    known->isWritten |= access.isWrite;
    known->isTmaTarget |= access.isWrite && access.mechanism == ir::Mechanism::Tma;
  }
}

static void addParams(WorkSignature &signature, const ir::Kernel &kernel, const ir::Work &work,
                      const std::set<std::string> &identifiers) {
  for (const ir::ParamAlias &alias : kernel.resources[work.resource].aliases)
    if (identifiers.count(alias.name))
      signature.params.push_back({alias.param, alias.name});
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    const ir::Param &param = kernel.params[kernel.params.idAt(i)];
    if (param.shape != ir::Param::Shape::Scalar && identifiers.count(param.name))
      signature.params.push_back({kernel.params.idAt(i), param.name});
  }
  for (size_t i = 0; i < kernel.scalars.size(); ++i)
    if (identifiers.count(kernel.scalars[kernel.scalars.idAt(i)].name))
      signature.scalars.push_back(kernel.scalars.idAt(i));
}

WorkSignature signatureOf(const ir::Kernel &kernel, const ir::Work &work) {
  const std::set<std::string> identifiers = identifiersIn(work.body);
  WorkSignature signature;
  addFields(signature, kernel, work);
  addParams(signature, kernel, work, identifiers);
  signature.usesStage = identifiers.count("stage") != 0;
  return signature;
}

} // namespace tsk::codegen
