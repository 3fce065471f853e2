// Runs each body on the threads of a task and prints what it was seen to do. See recorder.h.
#include "recorder.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace recorder {

namespace {

constexpr int first_thread = 32; // of the task; the CTA has more
constexpr int threads = 64;
constexpr int most_rounds = 3000; // of all loops of a thread; most bodies that need more never end
constexpr int uniform_arguments[] = {0, 1, 5};

using context = std::vector<int>;

struct thread_state {
  int rounds[most_loops] = {};
  int spent = 0;
  context calls;
  std::vector<std::pair<size_t, std::vector<int>>> outer; // to return to
};

struct memory {
  object what;
  std::vector<unsigned char> first;
};

// Of a claim, in one context: what each visit found.
using visits = std::vector<std::pair<int, long long>>;
using frames = std::tuple<void *, void *, void *, void *>;

std::vector<memory> all_memory;
std::vector<thread_state> states;
std::map<std::pair<int, context>, visits> claims;
std::map<int, bool> addresses;
std::map<std::pair<int, context>, long long> constants; // of all runs of a body
std::map<int, bool> is_constant;
std::map<std::tuple<frames, size_t, bool>, std::vector<int>> accesses;
bool is_recording = false;

int own_number() { return tsk::block_thread() - first_thread; }
thread_state &own_state() { return states[static_cast<size_t>(own_number())]; }

void add_rounds(context &to, std::initializer_list<int> loops) {
  for (const int loop : loops)
    to.push_back(own_state().rounds[loop]);
}

const char *name_of(long long address) {
  for (const memory &m : all_memory) {
    const auto begin = reinterpret_cast<long long>(m.what.begin);
    if (address >= begin && address < begin + static_cast<long long>(m.what.bytes))
      return m.what.name;
  }
  return "local";
}

} // namespace

void claim(int number, long long value, bool is_address, std::initializer_list<int> loops) {
  // Each thread has its own locals elsewhere.
  if (is_address && name_of(value) == std::string_view("local"))
    value = 0;
  context here = own_state().calls;
  add_rounds(here, loops);
  claims[{number, here}].push_back({own_number(), value});
  addresses[number] = is_address;
  const auto known = constants.try_emplace({number, here}, value).first;
  is_constant.try_emplace(number, true).first->second &= known->second == value;
}

void enter_loop(int loop) { own_state().rounds[loop] = 0; }

void begin_round(int loop) {
  ++own_state().rounds[loop];
  if (++own_state().spent > most_rounds)
    tsk::sim::fault("too long", TSK_SIM_HERE);
}

void enter_call(int site, std::initializer_list<int> loops) {
  thread_state &state = own_state();
  state.outer.push_back({state.calls.size(), {state.rounds, state.rounds + most_loops}});
  state.calls.push_back(site);
  add_rounds(state.calls, loops);
  if (state.outer.size() > 60)
    tsk::sim::fault("too deep", TSK_SIM_HERE);
}

void leave_call() {
  thread_state &state = own_state();
  state.calls.resize(state.outer.back().first);
  std::copy(state.outer.back().second.begin(), state.outer.back().second.end(), state.rounds);
  state.outer.pop_back();
}

// Others may have stored there: what a body finds in shared memory does not follow from what it
// put there itself.
static void note(void *address, size_t bytes, bool is_write, frames from) {
  if (!is_recording)
    return;
  auto *const p = static_cast<unsigned char *>(address);
  for (size_t i = 0; i < all_memory.size(); ++i) {
    const memory &m = all_memory[i];
    auto *const begin = static_cast<unsigned char *>(m.what.begin);
    if (p + bytes <= begin || p >= begin + m.what.bytes)
      continue;
    std::vector<int> &counts = accesses[{from, i, is_write}];
    counts.resize(threads);
    ++counts[static_cast<size_t>(own_number())];
    if (!is_write && p >= begin && p + bytes <= begin + m.what.bytes)
      std::memcpy(p, m.first.data() + (p - begin), bytes);
  }
}

// ---- What was seen ------------------------------------------------------------------------------

namespace {

struct summary {
  long long low = INT64_MAX, high = INT64_MIN;
  bool same_task = true, same_warp = true;   // the values of those that meet
  bool whole_task = true, whole_warp = true; // who meets
  bool one_of_task = true, one_of_warp = true, as_lane = true, as_thread = true;
  std::map<std::string, bool> names;
};

void add(summary &to, const visits &seen) {
  const long long first = seen.front().second;
  std::vector<int> come(threads);
  int chosen[threads / 32] = {};
  long long of_warp[threads / 32];
  bool is_known[threads / 32] = {};
  for (const auto &[thread, value] : seen) {
    const int warp = thread / 32;
    to.low = std::min(to.low, value);
    to.high = std::max(to.high, value);
    ++come[static_cast<size_t>(thread)];
    chosen[warp] += value != 0;
    to.same_task &= value == first;
    if (!std::exchange(is_known[warp], true))
      of_warp[warp] = value;
    to.same_warp &= of_warp[warp] == value;
    to.as_lane &= (value - thread) % 32 == 0;
    to.as_thread &= value - thread == first - seen.front().first && (value - thread) % 32 == 0;
    to.names[name_of(value)] = true;
  }
  int of_task = 0;
  for (int warp = 0; warp < threads / 32; ++warp) {
    of_task += chosen[warp];
    to.one_of_warp &= chosen[warp] == 1;
    for (int lane = 0; lane < 32; ++lane)
      to.whole_warp &= come[warp * 32 + lane] == come[warp * 32];
  }
  to.one_of_task &= of_task == 1;
  for (int thread = 0; thread < threads; ++thread)
    to.whole_task &= come[thread] == come[0];
}

void print_claims(int body) {
  std::map<int, summary> all;
  for (const auto &[where, seen] : claims)
    add(all[where.first], seen);
  for (const auto &[number, s] : all) {
    std::printf("claim %d %d %lld %lld", body, number, s.low, s.high);
    for (const bool fact : {s.same_task, s.same_warp, s.whole_task, s.whole_warp, s.one_of_task,
                            s.one_of_warp, s.as_lane, s.as_thread})
      std::printf(" %d", fact);
    if (addresses[number])
      for (const auto &[name, is_there] : s.names)
        std::printf(" %s", name.c_str());
    std::printf("\n");
  }
}

void print_accesses(int body) {
  for (const auto &[where, counts] : accesses) {
    const auto &[from, object, is_write] = where;
    std::printf("access %d %s %d %p,%p,%p,%p", body, all_memory[object].what.name, is_write,
                std::get<0>(from), std::get<1>(from), std::get<2>(from), std::get<3>(from));
    for (const int count : counts)
      std::printf(" %d", count);
    std::printf("\n");
  }
}

void fill(int seed) {
  for (size_t i = 0; i < all_memory.size(); ++i) {
    memory &m = all_memory[i];
    uint32_t state = static_cast<uint32_t>(seed) * 7919 + static_cast<uint32_t>(i) + 1;
    for (size_t at = 0; at + 4 <= m.what.bytes; at += 4) {
      state = state * 1664525 + 1013904223;
      const int value = static_cast<int>(state >> 24) % 48 - 8;
      std::memcpy(m.first.data() + at, &value, 4);
    }
    std::memcpy(m.what.begin, m.first.data(), m.what.bytes);
  }
}

struct launch_argument {
  const body *what;
  int u;
};

void entry(void *argument) {
  const auto &given = *static_cast<launch_argument *>(argument);
  const int own = own_number();
  if (own < 0 || (given.what->is_by_leader && own != 0))
    return;
  // Not the same in all threads, and nothing that can be told from their numbers.
  given.what->run(given.u, (own * 37 + given.u) % 19 - 3);
}

void run(const body &what, int run_number) {
  claims.clear();
  accesses.clear();
  states.assign(threads, {});
  fill(run_number);
  launch_argument argument{&what, uniform_arguments[run_number]};
  tsk::sim::launch_shape shape;
  shape.grid = {1, 1, 1};
  shape.block = {first_thread + threads, 1, 1};
  shape.shared_bytes = 1024;
  is_recording = true;
  const tsk::sim::outcome result = tsk::sim::run(shape, entry, &argument);
  is_recording = false;
  std::printf("run %d %d\n", what.number, run_number);
  if (!result.ok) {
    std::string text = result.text;
    for (char &c : text)
      c = c == '\n' ? ' ' : c;
    std::printf("fault %d %s\n", what.number, text.c_str());
  }
  print_claims(what.number);
  print_accesses(what.number);
}

} // namespace

int run_all(std::initializer_list<object> objects, std::initializer_list<body> bodies) {
  for (const object &one : objects)
    all_memory.push_back({one, std::vector<unsigned char>(one.bytes)});
  for (const body &one : bodies) {
    constants.clear();
    is_constant.clear();
    for (int number = 0; number < 3; ++number)
      run(one, number);
    for (const auto &[claim, is_it] : is_constant)
      std::printf("constant %d %d %d\n", one.number, claim, is_it);
  }
  return 0;
}

} // namespace recorder

// ---- Hooks --------------------------------------------------------------------------------------

// Who asks, and who called them: an access in a header belongs to the body that led there.
static recorder::frames callers(void *own, void *frame) {
  void *found[3] = {};
  auto **at = static_cast<void **>(frame);
  for (void *&caller : found) {
    at = static_cast<void **>(*at); // the frame of the instrumented function, then its callers'
    if (at == nullptr)
      break;
    caller = at[1];
    if (at[0] == nullptr)
      break;
  }
  return {own, found[0], found[1], found[2]};
}

#define HOOK(Name, Bytes, IsWrite)                                                                 \
  extern "C" void Name(void *address) {                                                            \
    if (recorder::is_recording)                                                                    \
      recorder::note(address, Bytes, IsWrite,                                                      \
                     callers(__builtin_return_address(0), __builtin_frame_address(0)));            \
  }
#define HOOKS(Bytes)                                                                               \
  HOOK(__tsan_read##Bytes, Bytes, false)                                                           \
  HOOK(__tsan_write##Bytes, Bytes, true)                                                           \
  HOOK(__tsan_unaligned_read##Bytes, Bytes, false)                                                 \
  HOOK(__tsan_unaligned_write##Bytes, Bytes, true)
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

#define RANGE_HOOK(Name, IsWrite)                                                                  \
  extern "C" void Name(void *address, unsigned long bytes) {                                       \
    if (recorder::is_recording)                                                                    \
      recorder::note(address, bytes, IsWrite,                                                      \
                     callers(__builtin_return_address(0), __builtin_frame_address(0)));            \
  }
RANGE_HOOK(__tsan_read_range, false)
RANGE_HOOK(__tsan_write_range, true)

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void *, void *) {}
}
