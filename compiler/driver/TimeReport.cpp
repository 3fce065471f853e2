#include "compiler/driver/TimeReport.h"

#include "compiler/support/Diagnostics.h" // StringRef in fmt

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::driver {

void TimeReport::add(llvm::StringRef name, double seconds) {
  auto found = llvm::find_if(entries, [&](const Entry &entry) { return entry.name == name; });
  if (found == entries.end())
    entries.push_back({name.str(), seconds});
  else
    found->seconds += seconds;
}

void TimeReport::print(llvm::raw_ostream &os) const {
  double total = 0;
  for (const Entry &entry : entries) {
    os << fmt::format("{:>10.3f} ms  {}\n", entry.seconds * 1e3, entry.name);
    total += entry.seconds;
  }
  os << fmt::format("{:>10.3f} ms  total\n", total * 1e3);
}

} // namespace tsk::driver
