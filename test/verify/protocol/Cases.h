// Files of protocol programs: sections behind lines `== name: verdict`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tsk::protocol::oracle {

struct Case {
  std::string name, expected, text;
};

std::vector<Case> readCases(const std::filesystem::path &file);

} // namespace tsk::protocol::oracle
