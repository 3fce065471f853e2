// Runs the tests of a program and says how they went: a line a test, then a summary. Exit status 0
// when all passed, 1 when one failed, 2 for a wrong command line.
#pragma once

#include <tsk/host.h>
#include <tsk/test/report.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace tsk::test {

struct test_case {
  const char *name;
  const char *shape; // "256 x 512"
  void (*run)(report &);
};

struct run_options {
  const char *filter = "";
  bool is_json = false;
  unsigned passed = 0, failed = 0; // tests that were decided before; they count
  unsigned long long seed = 0;     // of the simulator's order
  unsigned long long seeds = 1;
  unsigned seconds = 60; // for each test, on the simulator
};

namespace detail {

inline std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text) {
    char code[8];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out;
}

inline std::string indented(const std::string &text) {
  std::string out = "  ";
  for (const char c : text)
    out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

inline void print_json(const test_case &test, const report &found, unsigned long long seed) {
  std::string problems;
  for (const std::string &text : found.problems())
    problems += (problems.empty() ? "\"" : ", \"") + escaped(text) + "\"";
  std::printf("{\"test\": \"%s\", \"shape\": \"%s\", \"result\": \"%s\", \"seed\": %llu, "
              "\"problems\": [%s]}\n",
              test.name, test.shape, found.failed() ? "fail" : "pass", seed, problems.c_str());
}

inline void print_text(const test_case &test, const report &found, unsigned long long seed) {
  const std::string shape = *test.shape != 0 ? " (" + std::string(test.shape) + ")" : "";
  const std::string order = found.failed() && seed != 0 ? ", seed " + std::to_string(seed) : "";
  std::printf("%s %s%s%s\n", found.failed() ? "FAIL" : "PASS", test.name, shape.c_str(),
              order.c_str());
  for (const std::string &text : found.problems())
    std::printf("%s\n", indented(text).c_str());
}

// `seed`: of the order in which it failed, or of the last.
inline void print(const test_case &test, const report &found, const run_options &options,
                  unsigned long long seed) {
  if (options.is_json)
    print_json(test, found, seed);
  else
    print_text(test, found, seed);
  std::fflush(stdout);
}

// Runs one test for each seed up to the first that fails; prints what came out.
inline bool run_test(const test_case &test, const run_options &options) {
  report found;
  unsigned long long seed = options.seed;
  for (unsigned long long i = 0; i < options.seeds && !found.failed(); ++i) {
    seed = options.seed + i;
#ifdef TSK_SIMULATOR
    sim::current_settings().seed = seed;
    sim::current_settings().profile_label = test.name;
    sim::note(seed);
#endif
    found = report();
    current_report() = &found;
    try {
      test.run(found);
    } catch (const std::bad_alloc &) {
      found.fail({}, "the tensors of this test need more memory than there is");
    }
    current_report() = nullptr;
  }
  print(test, found, options, seed);
  return !found.failed();
}

#ifdef TSK_SIMULATOR
// A test that crashes or never ends must not take the others along: each has a process of its own.
inline bool run_guarded(const test_case &test, const run_options &options) {
  struct call {
    const test_case &test;
    const run_options &options;
  } argument{test, options};
  const sim::isolated_result result = sim::run_isolated(
      [](void *p) {
        const call &c = *static_cast<const call *>(p);
        return run_test(c.test, c.options) ? 0 : 1;
      },
      &argument, options.seconds);
  if (result.ended_normally)
    return result.status == 0;
  report found;
  found.fail({}, result.text);
  print(test, found, options, result.noted);
  return false;
}
#else
// Where `exit` leads out of a test, this is its end, and that of the others.
struct running_test {
  const test_case *test = nullptr;
  const run_options *options = nullptr;
};
inline running_test &running() {
  static running_test now;
  return now;
}
inline void fail_running() {
  if (running().test == nullptr)
    return;
  report found;
  found.fail({}, "the program ended before the test's last statement");
  print(*running().test, found, *running().options, 0);
  std::_Exit(1);
}

inline bool run_guarded(const test_case &test, const run_options &options) {
  static const bool is_caught =
      std::atexit(fail_running) == 0 && std::at_quick_exit(fail_running) == 0;
  (void)is_caught;
  running() = {&test, &options};
  const bool is_right = run_test(test, options);
  running() = {};
  return is_right;
}
#endif

// --name=value
inline bool take_option(const char *argument, const char *name, const char *&value) {
  const std::size_t length = std::strlen(name);
  if (std::strncmp(argument, name, length) != 0 || argument[length] != '=')
    return false;
  value = argument + length + 1;
  return true;
}

inline bool take_number(const char *text, unsigned long long &number) {
  char *end = nullptr;
  number = std::strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == 0;
}

inline bool parse(int count, char **arguments, run_options &options) {
  for (int i = 1; i < count; ++i) {
    const char *value = nullptr;
    unsigned long long number = 0;
    if (take_option(arguments[i], "--filter", value))
      options.filter = value;
    else if (take_option(arguments[i], "--format", value) && !std::strcmp(value, "json"))
      options.is_json = true;
    else if (take_option(arguments[i], "--format", value) && !std::strcmp(value, "text"))
      options.is_json = false;
    else if (take_option(arguments[i], "--seed", value) && take_number(value, number))
      options.seed = number;
    else if (take_option(arguments[i], "--seeds", value) && take_number(value, number) && number)
      options.seeds = number;
#ifdef TSK_SIMULATOR
    else if (take_option(arguments[i], "--profile", value))
      sim::current_settings().profile = value;
#endif
    else if (take_option(arguments[i], "--before", value) &&
             std::sscanf(value, "%u,%u", &options.passed, &options.failed) == 2)
      ;
    else if (take_option(arguments[i], "--time-limit", value) && take_number(value, number) &&
             number)
      options.seconds = static_cast<unsigned>(number);
    else
      return false;
  }
  return true;
}

} // namespace detail

template <std::size_t Count>
int run_tests(const test_case (&tests)[Count], int count, char **arguments) {
  run_options options;
  if (!detail::parse(count, arguments, options)) {
    std::fprintf(stderr,
                 "usage: %s [--filter=TEXT] [--format=text|json] [--seed=N] [--seeds=N] "
                 "[--time-limit=SECONDS]\n",
                 arguments[0]);
    return 2;
  }
  unsigned passed = options.passed, failed = options.failed;
  for (const test_case &test : tests)
    if (std::strstr(test.name, options.filter) != nullptr)
      ++(detail::run_guarded(test, options) ? passed : failed);
  std::printf(options.is_json ? "{\"passed\": %u, \"failed\": %u" : "%u passed, %u failed", passed,
              failed);
  if (options.seeds != 1) // a test that fails is not run again
    std::printf(options.is_json ? ", \"orders\": %llu"
                : failed != 0   ? "; up to %llu orders of each"
                                : "; %llu orders of each",
                options.seeds);
  std::printf(options.is_json ? "}\n" : "\n");
  // Results that a full disk or a closed pipe has swallowed are none.
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "cannot write the results: %s\n", std::strerror(errno));
    return 1;
  }
  return failed != 0;
}

} // namespace tsk::test
