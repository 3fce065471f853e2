// Whether C++ code computes the same from the same arguments, for all threads and at any time.
//
// By tokens, so it errs on one side: code is pure where each name in it is known to be harmless:
// parameters and locals, constants, what computes in C++ and the device library, and constants and
// pure functions of `cpp` blocks. A variable of a `cpp` block, or what a header brings, is not; and
// since a header of the user's may overload any function or make a macro of its name, no call is
// pure behind one.
#pragma once

#include "compiler/ir/CppText.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>
#include <vector>

namespace tsk::sema {

class Purity {
public:
  explicit Purity(llvm::ArrayRef<llvm::StringRef> cppBlocks);

  // The first name that is not harmless; empty: the body is pure. `isHarmless` knows the names that
  // the body sees besides those of C++.
  std::string changesBy(llvm::StringRef body, llvm::function_ref<bool(llvm::StringRef)> isHarmless);

private:
  using Tokens = std::vector<ir::CppToken>;
  struct Function {
    Tokens tokens; // `(` parameters `) {` body `}`
    enum class State : uint8_t { Unasked, Pure, Impure } state = State::Unasked;
  };
  class Walk;

  void readBlock(const Tokens &tokens);
  void readInclude(const Tokens &tokens, size_t include);
  size_t readFunction(const Tokens &tokens, size_t name);
  bool isPure(llvm::StringRef function);

  llvm::StringSet<> macros, constants, variables;
  llvm::StringMap<std::vector<Function>> functions;
  bool includesUnknown = false; // a header that is not of C++ or CUDA
};

} // namespace tsk::sema
