// What the emitted function of a work is given besides the work's own parameters: the names that
// its body spells. The declaration (Works.cpp) and the calls (Steps.cpp) agree through this.
#pragma once

#include "compiler/ir/Kernel.h"

#include <set>
#include <string>

namespace tsk::codegen {

struct WorkSignature {
  struct Field {
    ir::FieldId field;
    bool isWritten = false;
    bool isMoved = false; // by the copy engine: comes with its map, and its barrier if it is filled
    // Of another resource: the body says `operands.a`.
    bool isForeign = false;
  };
  struct Param { // a tensor or a pointer; by its own name or by a resource type's name for it
    ir::ParamId param;
    std::string name;
  };
  std::vector<Field> fields;
  std::vector<Param> params;
  std::vector<ir::ScalarId> scalars;
  bool usesStage = false; // stage.index, stage.count, stage.barrier
  // The body declares some of these names itself: it stands in a block of its own, where it may.
  bool hidesNames = false;
};

WorkSignature signatureOf(const ir::Kernel &kernel, const ir::Work &work);

// The identifiers in a piece of C++.
std::set<std::string> identifiersIn(llvm::StringRef text);
// Those of a body, itself or through macros, and of the types it is declared with.
std::set<std::string> identifiersOf(const ir::Work &work);
std::set<std::string> identifiersOf(const ir::Function &function);

} // namespace tsk::codegen
