// What the preprocessor makes of the text: which names bodies come to by way of macros and of files
// that they include, and which macros are still there where their text ends.
#pragma once

#include "compiler/body/BodyReply.h"

#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

#include <map>
#include <set>

namespace tsk::body {

class Preprocessing {
public:
  // `firstLine`: of the main file, where the request's text begins. Files of `ownFolder` are ours.
  Preprocessing(clang::Preprocessor &preprocessor, unsigned firstLine, llvm::StringRef ownFolder);

  void report(const Request &request, Reply &reply) const;

private:
  class Definitions;
  struct Event { // a macro is defined, or is no more
    std::string name;
    unsigned line = 0; // of the request's text, or of the #include there that leads here
    bool isDefined = false;
    bool takesArguments = false;
    CxxPlace place;
  };

  void see(const clang::Token &token);
  void see(const clang::Token &name, const clang::MacroInfo *info);
  unsigned lineOf(clang::SourceLocation loc, bool &isIncluded) const;
  bool isUsers(clang::SourceLocation loc) const;

  const clang::SourceManager &sources;
  const unsigned first;
  const std::string ownFolder;
  std::set<std::pair<unsigned, std::string>> names; // by their line
  std::vector<Event> events;
};

} // namespace tsk::body
