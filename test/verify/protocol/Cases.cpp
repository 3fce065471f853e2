#include "Cases.h"

#include <fstream>

namespace tsk::protocol::oracle {

// The text keeps its line numbers: the verdict's line is a comment there.
std::vector<Case> readCases(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::vector<Case> cases;
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind("== ", 0) == 0) {
      size_t colon = line.find(": ");
      cases.push_back({line.substr(3, colon - 3), line.substr(colon + 2), ""});
    } else if (!cases.empty()) {
      cases.back().text += line;
    }
    if (!cases.empty())
      cases.back().text += "\n";
  }
  return cases;
}

} // namespace tsk::protocol::oracle
