// --time-passes: how long each phase took, in the order in which they ran.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace tsk::driver {

class TimeReport {
public:
  // Passes of several kernels with one name are added up.
  void add(llvm::StringRef name, double seconds);
  void print(llvm::raw_ostream &os) const;

  // Runs `work` and adds its time.
  template <typename Work> auto time(llvm::StringRef name, Work work) {
    Timer timer{*this, name};
    return work();
  }

private:
  struct Timer {
    TimeReport &report;
    llvm::StringRef name;
    std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
    ~Timer() {
      report.add(name,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  };
  struct Entry {
    std::string name;
    double seconds;
  };
  std::vector<Entry> entries;
};

} // namespace tsk::driver
