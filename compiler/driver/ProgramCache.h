// Built test programs, kept from run to run under the hash of all that they were made from: the
// generated texts, the compiler, its options, and what the compiler read.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SHA1.h"

#include <optional>
#include <string>
#include <vector>

namespace tsk::driver {

// What is known of a program before the compiler has run.
class ProgramKey {
public:
  ProgramKey();
  void addText(llvm::StringRef text);
  void addVariable(const char *name); // of the environment
  void addFile(llvm::StringRef path); // its content
  std::string take();

private:
  llvm::SHA1 hash;
};

// Files that a compiler read, by the rule that its -MD writes.
std::vector<std::string> filesOfRule(llvm::StringRef rule);

// What else a program depends on.
struct ProgramInputs {
  std::vector<std::string> files;  // by their content
  std::vector<std::string> absent; // that would have been read instead, were they there
};

// In tskc's cache folder; every operation is best effort.
class ProgramCache {
public:
  ProgramCache();
  // The program that was made of the same inputs, if it is there.
  std::optional<std::string> find(llvm::StringRef key) const;
  // Copies a built program in and returns its place; `built` stays.
  std::optional<std::string> store(llvm::StringRef key, llvm::StringRef built,
                                   const ProgramInputs &inputs) const;

private:
  static constexpr size_t MaxPrograms = 64;
  std::string pathOf(llvm::StringRef name) const;
  // A program is found in two steps, so that one never meets inputs that it was not made of: the
  // key's list says what the inputs were, list and key together name the program.
  std::string listOf(llvm::StringRef key) const { return pathOf(key.str() + ".inputs"); }
  std::string programOf(llvm::StringRef key, llvm::StringRef list) const;
  bool put(llvm::StringRef place, llvm::function_ref<bool(llvm::StringRef)> write) const;

  std::string folder; // empty: there is none
};

} // namespace tsk::driver
