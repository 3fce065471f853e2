// Built test programs, kept from run to run under the hash of all that they were made from.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA1.h"

#include <optional>
#include <string>

namespace tsk::driver {

// What a program is made from. Files count by size and time of change: a compiler or a header need
// not be read to know that it is still the same.
class ProgramKey {
public:
  ProgramKey();
  void addText(llvm::StringRef text);
  void addFile(llvm::StringRef path);
  void addFolder(llvm::StringRef path); // all files in it, in the order of their names
  std::string take();

private:
  llvm::SHA1 hash;
};

// In tskc's cache folder; every operation is best effort.
class ProgramCache {
public:
  ProgramCache();
  // The program, if it is there.
  std::optional<std::string> find(llvm::StringRef key) const;
  // Moves a built program in and returns its place; `built` stays where it is if that fails.
  std::optional<std::string> store(llvm::StringRef key, llvm::StringRef built) const;

private:
  static constexpr size_t MaxPrograms = 64;
  std::string pathOf(llvm::StringRef key) const;

  std::string folder; // empty: there is none
};

} // namespace tsk::driver
