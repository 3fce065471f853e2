#include "compiler/support/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"

#include <catch2/catch.hpp>

using namespace tsk;

TEST_CASE("every diagnostic has its own code, name and flag") {
  std::set<unsigned> codes;
  std::set<std::string> flags;
  for (const DiagnosticInfo &info : allDiagnostics()) {
    INFO(info.name.str());
    CHECK(codes.insert(info.code).second);
    CHECK(flags.insert(info.flag.str()).second);
    CHECK(info.code > 0);
    CHECK(info.code < 10000);
    CHECK(llvm::all_of(info.flag,
                       [](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '-'; }));
  }
}
