// What the reader of bodies answers: Clang's messages and which files the answer depends on.
#pragma once

#include "compiler/body/BodyFacts.h"
#include "compiler/body/BodyRequest.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tsk::body {

// A message of Clang. Only those about text in a .tsk file have a place.
struct CxxMessage {
  enum class About : uint8_t {
    Body,          // the user's C++
    Header,        // an included file that Clang cannot take; nothing could be read
    MissingHeader, // an included file that was not found; nothing could be read
    Builtin        // a reserved name that the reader's declarations lack
  };
  struct Note {
    CxxPlace place;
    std::string text;
  };
  About about = About::Body;
  bool isError = true;
  CxxPlace place;
  std::string text; // of MissingHeader and Builtin: the name
  std::vector<Note> notes;
};

// A file that was read, by what it held then; or the absence of one that would have been read
// instead.
struct InputFile {
  std::string path;
  std::optional<uint64_t> size; // none: absent
  std::string hash;

  static InputFile now(llvm::StringRef path);
  static InputFile holding(llvm::StringRef path, llvm::StringRef text);
  friend bool operator==(const InputFile &, const InputFile &) = default;
};

// What the text of a function comes to by way of macros and of files that it includes.
struct HiddenNames {
  unsigned function = 0; // of the request
  std::vector<std::string> names;
};

// A macro of the user's that is still there where its text ends.
struct MacroFact {
  std::string name;
  bool takesArguments = false;
  CxxPlace place;
  std::optional<unsigned> function; // whose body defines it; none: a `cpp` block, or its headers
};

struct Reply {
  std::vector<CxxMessage> messages;
  std::vector<HiddenNames> hidden;
  std::vector<MacroFact> macros;
  std::vector<WorkFacts> works; // none if some text has errors
  std::vector<ArgumentFact> arguments;
  std::vector<InputFile> inputs;
};

// Both travel as JSON. Of a request, what only tskc needs stays behind: ids and places.
std::string toJson(const Request &request);
std::optional<Request> requestFromJson(llvm::StringRef text);
std::string toJson(const Reply &reply);
// Whether all numbers in the reply are those of something in the request.
bool isAnswer(const Reply &reply, const Request &request);
std::optional<Reply> replyFromJson(llvm::StringRef text);

} // namespace tsk::body
