// Replies of the reader, kept from run to run under the hash of what was asked and of who answered.
#pragma once

#include "compiler/body/BodyReply.h"

namespace tsk::body {

class ReplyCache {
public:
  // `question`: the request as it is sent. `program`: who answers.
  ReplyCache(llvm::StringRef question, llvm::StringRef program);

  // What was answered, if every file that the answer rests on is as it was then.
  std::optional<Reply> find() const;
  void store(llvm::StringRef answer) const;

private:
  static constexpr size_t MaxReplies = 512;
  std::string file; // empty: there is no cache
  std::string folder;
};

} // namespace tsk::body
