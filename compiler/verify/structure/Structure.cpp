#include "compiler/verify/structure/Structure.h"

namespace tsk::verify {

bool checkStructure(const ir::Kernel &kernel, DiagnosticEngine &diags,
                    const VerifyOptions &options) {
  bool isGood = checkBrackets(kernel, diags, options.sources);
  isGood &= checkEffects(kernel, diags);
  // A role that is missing because its bracket is broken needs no second report.
  isGood = isGood && checkRoles(kernel, diags);
  isGood &= checkRouting(kernel, diags);
  isGood &= checkContract(kernel, diags);
  return isGood;
}

std::optional<Insertion> insertionAfter(const SourceManager *sources, SourceRange range) {
  if (!sources || !range.isValid())
    return std::nullopt;
  llvm::StringRef text = sources->bufferText(range.begin);
  SourceLoc origin = sources->bufferBegin(range.begin);
  size_t at = text.find_first_not_of(" \t", range.end.offset - origin.offset);
  if (at == llvm::StringRef::npos || text[at] != ';')
    return std::nullopt;
  SourceLoc end = origin.advanced(static_cast<uint32_t>(at + 1));
  llvm::StringRef line = sources->lineText(range.begin);
  llvm::StringRef indentation = line.take_while([](char c) { return c == ' ' || c == '\t'; });
  return Insertion{{end, end}, "\n" + indentation.str()};
}

} // namespace tsk::verify
