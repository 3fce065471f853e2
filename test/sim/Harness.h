// Runs a lambda as a kernel.
#pragma once

#include "tsk/device.cuh"
#include "tsk/host.h"

#include <functional>
#include <string>

namespace tsk::sim::testing {

struct run_options {
  unsigned grid = 1;
  unsigned threads = 32;
  size_t shared_bytes = 1024;
  uint64_t seed = 0;
  unsigned resident = 0;
  uint64_t livelock_steps = 100'000;
  const void *kernel = nullptr;
  unsigned min_ctas = 1;
  index3 cluster = {1, 1, 1};
};

inline outcome run_kernel(const run_options &options, std::function<void()> body) {
  current_settings() = {options.seed, options.resident, options.livelock_steps};
  launch_shape shape;
  shape.kernel = options.kernel;
  shape.grid = {options.grid, 1, 1};
  shape.block = {options.threads, 1, 1};
  shape.shared_bytes = options.shared_bytes;
  shape.min_ctas = options.min_ctas;
  shape.cluster = options.cluster;
  const outcome result =
      run(shape, [](void *f) { (*static_cast<std::function<void()> *>(f))(); }, &body);
  current_settings() = {};
  return result;
}

inline bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

// The barrier at this offset of shared memory.
inline mbarrier *barrier_at(unsigned offset) {
  return reinterpret_cast<mbarrier *>(dynamic_smem() + offset);
}

} // namespace tsk::sim::testing

// A fault with these words; the whole text is shown when they are missing.
#define CHECK_FAULT(Outcome, Words)                                                                \
  do {                                                                                             \
    const auto result_ = (Outcome);                                                                \
    CHECK_FALSE(result_.ok);                                                                       \
    INFO(result_.text);                                                                            \
    CHECK(::tsk::sim::testing::contains(result_.text, Words));                                     \
  } while (false)
#define CHECK_RUNS(Outcome)                                                                        \
  do {                                                                                             \
    const auto result_ = (Outcome);                                                                \
    INFO(result_.text);                                                                            \
    CHECK(result_.ok);                                                                             \
  } while (false)
