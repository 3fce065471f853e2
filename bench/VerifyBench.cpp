// Times of the verifier's proofs: verify_bench FILE.proto… (the first section of a corpus file, or
// a file without sections). Prints one line a program; judges nothing.
#include "compiler/verify/protocol/Judge.h"
#include "compiler/verify/protocol/Reader.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace tsk::protocol;

// Milliseconds of this process: what else runs on the machine does not count.
static double cpuTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

static void measure(const std::string &name, const std::string &text) {
  ReadError error;
  std::optional<Program> program = readProgram(text, error);
  if (!program) {
    std::printf("%s: %u:%u: %s\n", name.c_str(), error.line, error.column, error.message.c_str());
    return;
  }
  std::vector<double> times;
  Verdict verdict;
  Model model;
  for (int round = 0; round < 7; ++round) {
    double begin = cpuTime();
    model = buildModel(*program);
    verdict = judge(model);
    times.push_back(cpuTime() - begin);
  }
  std::sort(times.begin(), times.end());
  const char *word = verdict.judgement == Judgement::Proved  ? "proved"
                     : verdict.judgement == Judgement::Fault ? "fault"
                                                             : "unknown";
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%-40s %-8s %8.2f ms  agents %zu, columns %u, cuts %u, steps %llu, memory %ld MB %s\n",
      name.c_str(), word, times[times.size() / 2], model.agents.size(), model.columns,
      verdict.nodes, static_cast<unsigned long long>(verdict.steps), usage.ru_maxrss / 1024,
      verdict.reason.c_str());
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i]);
    std::string line, name = argv[i], text;
    auto flush = [&] {
      if (!text.empty())
        measure(name, text);
      text.clear();
    };
    while (std::getline(in, line)) {
      if (line.rfind("== ", 0) == 0) {
        flush();
        name = line.substr(3, line.find(": ") - 3);
      } else if (line.rfind("#", 0) != 0 || !text.empty()) {
        text += line + "\n";
      }
    }
    flush();
  }
}
