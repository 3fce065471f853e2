// What one test has found. A failed check is noted and the test goes on, so that all are shown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tsk::test {

// The line of the .tsk file that a check stands on.
struct where {
  const char *file = "";
  int line = 0;
};

class report {
public:
  bool failed() const { return !problems_.empty(); }
  const std::vector<std::string> &problems() const { return problems_; }

  void fail(where at, const std::string &text) {
    problems_.push_back((at.line != 0 ? std::string(at.file) + ":" + std::to_string(at.line) + ": "
                                      : std::string()) +
                        text);
  }

private:
  std::vector<std::string> problems_;
};

// The test that runs now: the reference library and tensors report wrong use to it.
inline report *&current_report() {
  static report *current = nullptr;
  return current;
}
inline void fail(where at, const std::string &text) {
  if (current_report() != nullptr)
    current_report()->fail(at, text);
}

} // namespace tsk::test
