// What a body does when it runs, written down: claims by where threads meet, accesses by thread.
// The bodies are compiled with -fsanitize=thread, whose hooks recorder.cpp has instead of the
// sanitizer: they see each load and store.
#pragma once

#include <tsk/device.cuh>

#include <initializer_list>
#include <utility>

namespace recorder {

constexpr int most_loops = 256;

void claim(int number, long long value, bool is_address, std::initializer_list<int> loops);
void enter_loop(int loop);
void begin_round(int loop);
void enter_call(int site, std::initializer_list<int> loops);
void leave_call();

// Contexts nest as calls do.
template <typename F> decltype(auto) call(int site, std::initializer_list<int> loops, F f) {
  struct scope {
    ~scope() { leave_call(); }
  };
  enter_call(site, loops);
  const scope around;
  return f();
}

template <typename T> void claim(int number, T *value, std::initializer_list<int> loops) {
  claim(number, reinterpret_cast<long long>(value), true, loops);
}
template <typename T> void claim(int number, T value, std::initializer_list<int> loops) {
  claim(number, static_cast<long long>(value), false, loops);
}

// The memory that a body may touch beside its own, by the names that the reader gives it.
struct object {
  const char *name;
  void *begin;
  size_t bytes;
};

struct body {
  int number;
  bool is_by_leader;
  void (*run)(int u, int t);
};

int run_all(std::initializer_list<object> objects, std::initializer_list<body> bodies);

} // namespace recorder

#define CLAIM(Number, Value, ...) ::recorder::claim(Number, Value, {__VA_ARGS__})
#define LOOP(Number) ::recorder::enter_loop(Number)
#define ROUND(Number) ::recorder::begin_round(Number)
#define CALL(Site, Text, ...)                                                                      \
  ::recorder::call(Site, {__VA_ARGS__}, [&]() -> decltype(auto) { return Text; })
