// Clang's diagnostics, one by one, as messages about the .tsk file.
#pragma once

#include "compiler/body/BodyReply.h"

#include <set>
#include <tuple>

namespace tsk::body {

struct RawMessage {
  std::string text;
  CxxPlace place; // invalid: not in a .tsk file
  unsigned id = 0;
  bool isError = false;
  bool isFatal = false;
  bool isMissingFile = false;
};

// Clang's text without what users need not read: names of ours, aliases of types.
std::string worded(std::string text);

class CxxMessages {
public:
  void add(const RawMessage &message);
  // Of the message before it. One in a .tsk file may be the place that led to an error elsewhere.
  void addNote(const RawMessage &note);
  std::vector<CxxMessage> take();
  // Whether the text has a meaning, but for functions that only nvcc knows.
  bool hasMeaning() const { return errors == 0; }

private:
  void finish();

  std::vector<CxxMessage> done;
  unsigned errors = 0;
  std::optional<RawMessage> pending;
  std::vector<CxxMessage::Note> notes;
  std::set<std::tuple<std::string, unsigned, unsigned, unsigned>> seen; // file, line, column, id
};

} // namespace tsk::body
