#include "compiler/sema/CppNames.h"

#include "compiler/ir/CppText.h"

#include "llvm/ADT/StringExtras.h"

namespace tsk::sema {

llvm::StringRef cppMeaning(llvm::StringRef word) {
  if (ir::isCppWord(word))
    return "a name of C++, which we emit";
  bool isImplementations = word.starts_with("_") && word.size() > 1 && llvm::isUpper(word[1]);
  if (word.contains("__") || isImplementations)
    return "a name that C++ keeps for its implementation";
  return {};
}

} // namespace tsk::sema
