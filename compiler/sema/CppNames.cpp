#include "compiler/sema/CppNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::sema {

llvm::StringRef cppMeaning(llvm::StringRef word) {
  static constexpr llvm::StringRef Keywords[] = {
#define TSK_CPP_KEYWORD(Word) #Word,
#include "compiler/sema/CppKeywords.def"
  };
  if (llvm::is_contained(Keywords, word))
    return "a name of C++, which we emit";
  bool isImplementations = word.starts_with("_") && word.size() > 1 && llvm::isUpper(word[1]);
  if (word.contains("__") || isImplementations)
    return "a name that C++ keeps for its implementation";
  return {};
}

} // namespace tsk::sema
