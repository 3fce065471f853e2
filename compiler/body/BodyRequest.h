// What the reader of bodies is asked: one C++ text and what its numbered functions stand for.
#pragma once

#include "compiler/ir/Kernel.h"

#include <string>
#include <vector>

namespace tsk::body {

// What one parameter of a function stands for, and by what name the kernel's author knows it.
struct Role {
  enum class Kind : uint8_t { Field, Tensor, Pointer, Scalar, Stage, Param };
  Kind kind = Kind::Param;
  uint32_t id = 0;       // of the field, parameter or scalar of the kernel; which of the work's own
  bool isUniform = true; // the same in all threads of the task
  std::string name;
  int64_t bytes = 0; // of a field in shared memory: of one stage
  // Of an integer that the schedule passes: what it may be.
  int64_t low = INT64_MIN, high = INT64_MAX;
};

// A work as it stands in one task. Its position in Request::functions is the number that the text
// gives it; a work with `const` parameters has a definition for each list of arguments.
struct Function {
  std::string kernel;          // the instance's name
  ir::WorkId work;             // or
  ir::FunctionId userFunction; // that schedules call
  ir::TaskId task;             // none: nobody calls it
  unsigned threads = 0;        // of the task; 0: none, or not known
  bool isOneLane = false;      // `by leader`, `by warp`
  bool isByWarp = false;
  std::string name;       // "box.load"
  std::string nameInText; // "box_load"
  std::vector<Role> roles;
  std::vector<bool> uniformResults;     // of each result, whether it is declared so
  unsigned firstLine = 0, lastLine = 0; // in the text
};

// One argument of a call in a schedule whose type only C++ knows. Its position in
// Request::arguments is the number in the text.
struct Argument {
  std::string kernel;
  ir::WorkId work;
  size_t param = 0;
  SourceRange loc; // of the call
};

struct Request {
  std::string text;
  std::string runtimeFolder; // of <tsk/device.cuh>
  std::string sourceFolder;  // of the .tsk file
  // Set: the text is host code of tests, to be read with the simulator's headers from there. Of the
  // reply, the messages count.
  std::string simulatorFolder;
  std::vector<std::string> includeFolders; // -I
  std::string target;                      // "sm_90a"
  std::vector<Function> functions;
  std::vector<Argument> arguments;
};

} // namespace tsk::body
