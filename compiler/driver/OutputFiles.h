// Writes output files so that each is there whole or not at all.
//
// Contents are complete in memory before the first byte is written. Then each goes to a temporary
// file beside its place and is renamed into it, so a reader never sees half a file, a full disk
// leaves the old one, and a signal leaves nothing (LLVM's handlers remove the temporary file).
#pragma once

#include "compiler/support/Diagnostics.h"

#include <string>
#include <vector>

namespace tsk::driver {

class OutputFiles {
public:
  // `-` is standard output.
  void add(llvm::StringRef path, std::string content);
  // No output may be one of these.
  void addInput(llvm::StringRef path) { inputs.push_back(path.str()); }

  // Writes all; reports what is not possible. `keepUnchanged` leaves files alone that already have
  // the content.
  bool write(DiagnosticEngine &diags, bool keepUnchanged);

private:
  struct File {
    std::string path;
    std::string content;
    std::string temporary; // written and not yet renamed
  };
  bool check(const File &file, DiagnosticEngine &diags) const;
  bool checkAll(DiagnosticEngine &diags) const;
  static bool writeTemporary(File &file, DiagnosticEngine &diags);
  bool writeTemporaries(DiagnosticEngine &diags, bool keepUnchanged);
  bool renameTemporaries(DiagnosticEngine &diags);
  void removeTemporaries();
  bool writeStreams(DiagnosticEngine &diags) const;

  std::vector<File> files;
  std::vector<std::string> inputs;
};

} // namespace tsk::driver
