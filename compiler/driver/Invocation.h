// What the command line asks for, checked and without defaults left open.
#pragma once

#include "compiler/driver/Options.h"

#include <string>
#include <utility>
#include <vector>

namespace tsk::driver {

enum class Emit : uint8_t { Cuda, Header, Ast, Ir, Plan };

struct Invocation {
  Verb verb = Verb::Compile;
  std::vector<std::string> inputs; // one, but for fmt and explain; "-" is standard input

  // Output
  std::string output; // empty: the verb's default
  Emit emit = Emit::Cuda;
  std::string cppNamespace = "kernels";
  bool keepUnchanged = false;

  // Dependencies
  bool writeDependencies = false;
  std::string dependencyFile; // empty: the output with `.d`
  std::vector<std::string> dependencyTargets;
  bool phonyTargets = false;

  // Input
  std::vector<std::string> importFolders;
  std::vector<std::pair<std::string, std::string>> defines;
  std::string arch; // empty: what the file declares, or sm_90a
  bool readBodies = true;
  bool usesBodyCache = true;

  // Looking inside
  std::vector<std::string> printAfter;
  bool verifyEach = false;
  bool timePasses = false;

  // Verbs' own
  bool onGpu = false;
  std::string testFilter;
  std::vector<std::string> testArguments; // further ones, as the test program takes them
  std::string keepFolder;                 // empty: temporary
  std::string hostCompiler;
  bool table = false;
  bool profile = false;
  bool model = false;
  std::string gpu; // empty: by the target
  std::vector<std::pair<std::string, int64_t>> modelArguments;
  bool jsonReport = false;
  bool inPlace = false;
  bool checkFormat = false;
};

} // namespace tsk::driver
