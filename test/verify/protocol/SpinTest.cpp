// The engine's verdict on one scenario against SPIN's on a model of it. A handful of programs in
// the normal run; TSK_SPIN_PROGRAMS sets how many, TSK_ORACLE_SEED the first. A test of its own for
// ctest, which says when it is skipped.
#include "Generator.h"
#include "Promela.h"

#include "compiler/verify/protocol/Reader.h"
#include "compiler/verify/protocol/Run.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <unistd.h>

using namespace tsk::protocol;

static std::string slurp(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// A folder of this run alone, which goes with it.
class Folder {
public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tsk-spin-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    place = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(place, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  const std::filesystem::path &path() const { return place; }

private:
  std::filesystem::path place;
};

enum class Spin { Right, Wrong, GaveUp };

// A search that ran out of memory or time says nothing, though its log names what it looked for.
static Spin readLog(const std::string &log) {
  auto says = [&](const char *text) { return log.find(text) != std::string::npos; };
  if (says("pan:1: assertion violated") || says("pan:1: invalid end state"))
    return Spin::Wrong;
  bool isComplete = !says("Search not completed") && !says("max search depth too small") &&
                    !says("out of memory");
  return says("errors: 0") && isComplete ? Spin::Right : Spin::GaveUp;
}

TEST_CASE("What SPIN says", "[spinlog]") {
  CHECK(readLog("pan:1: assertion violated (0) (at depth 3)\nerrors: 1") == Spin::Wrong);
  CHECK(readLog("pan:1: invalid end state (at depth 3)\nerrors: 1") == Spin::Wrong);
  CHECK(readLog("invalid end states +\nerrors: 0") == Spin::Right);
  CHECK(readLog("pan: reached -DMEMLIM bound\nWarning: Search not completed\n"
                "invalid end states +\nerrors: 0") == Spin::GaveUp);
  CHECK(readLog("") == Spin::GaveUp); // stopped by the clock
}

static Spin runSpin(const std::filesystem::path &folder, const std::string &model) {
  std::ofstream(folder / "model.pml") << model;
  std::filesystem::remove(folder / "pan.log"); // SPIN gives up on some models before there is one
  std::string command = "cd '" + folder.string() +
                        "' && spin -a model.pml > spin.log 2>&1 && gcc -O0 -w -DSAFETY -DCOLLAPSE "
                        "-DMEMLIM=600 -DVECTORSZ=4096 -o pan pan.c > gcc.log 2>&1 && timeout 60 "
                        "./pan -m100000 > pan.log 2>&1";
  int status = std::system(command.c_str());
  std::string log = slurp(folder / "pan.log");
  INFO(slurp(folder / "spin.log") << slurp(folder / "gcc.log") << log);
  CHECK(status != -1);
  return readLog(log);
}

TEST_CASE("SPIN agrees with the engine", "[.spin]") {
  if (std::system("spin -V > /dev/null 2>&1 && gcc --version > /dev/null 2>&1") != 0) {
    std::cout << "skipped: no spin or no gcc\n"; // what ctest looks for
    return;
  }
  const char *wanted = std::getenv("TSK_SPIN_PROGRAMS");
  int programs = wanted ? std::atoi(wanted) : 4;
  const Folder folder;
  int compared = 0, wrong = 0, gaveUp = 0, hangs = 0;
  const char *first = std::getenv("TSK_ORACLE_SEED");
  uint64_t seed = first ? std::strtoull(first, nullptr, 10) : 1;
  // Some programs are too large for SPIN; where most are, something else is wrong.
  for (; compared < programs && gaveUp <= programs; ++seed) {
    std::string text = oracle::generate(seed, {});
    ReadError error;
    std::optional<Program> program = readProgram(text, error);
    REQUIRE(program);
    Scenario scenario;
    scenario.values.assign(program->symbols.size(), 1 + static_cast<int>(seed % 3));
    oracle::Expanded expanded = oracle::expand(*program, scenario);
    auto phases = oracle::referencePhases(expanded);
    Model model = buildModel(*program, false);
    Machine machine(model);
    std::optional<Fault> found = runScenario(machine, scenario);
    INFO("seed " << seed << "\n" << text << (found ? titleOf(found->kind) : "no fault"));
    if (!machine.beyond.empty()) // the engine says that it cannot tell
      continue;
    if (phases.empty()) {
      // That one run does not end is a fault already, whatever the others do.
      CHECK(found);
      ++hangs;
      continue;
    }
    Spin verdict = runSpin(folder.path(), oracle::writePromela(expanded, phases));
    if (verdict == Spin::GaveUp) {
      ++gaveUp;
      continue;
    }
    ++compared;
    wrong += verdict == Spin::Wrong;
    CHECK(found.has_value() == (verdict == Spin::Wrong));
  }
  CHECK(compared == programs);
  WARN("compared " << compared << ", with faults " << wrong << ", hangs seen without SPIN " << hangs
                   << ", beyond SPIN " << gaveUp);
}
