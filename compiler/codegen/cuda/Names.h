// C++ names for the names of a .tsk file, and for what the generated code adds. Names that bodies
// spell are kept; a keyword of C++ or a name of the runtime gets a trailing underscore, and what is
// generated gives way to what the user named.
#pragma once

#include "compiler/ir/Types.h"

#include <set>
#include <string>

namespace tsk::codegen {

// The name itself, or with an underscore where C++ or the runtime has taken it.
std::string cppName(llvm::StringRef name);

// One C++ scope: names given out in it are distinct.
class NameScope {
public:
  // `wanted`, or if that is taken, the next of wanted_2, wanted_3, …
  std::string claim(llvm::StringRef wanted);
  bool isFree(llvm::StringRef name) const { return !taken.count(name.str()); }
  // The name itself, which bodies spell.
  const std::string &keep(llvm::StringRef name);
  // Takes a name that is given out or spelled elsewhere and must not be hidden.
  void reserve(const std::string &name) { taken.insert(name); }
  template <typename NamesT> void reserveAll(const NamesT &names) {
    taken.insert(names.begin(), names.end());
  }

private:
  std::set<std::string> taken;
};

// `f16` -> tsk::f16; i32, f32, f64 and bool in C++'s own words.
std::string cppType(ir::ScalarType type);
std::string cppType(const ir::Type &type);

} // namespace tsk::codegen
