// Stacks for fibers: pooled, each with a guard page below, so that an overflow is a report and not
// a corrupted neighbour.
#pragma once

#include <cstddef>
#include <vector>

namespace tsk::sim {

struct stack {
  unsigned char *bottom = nullptr; // lowest usable address
  size_t size = 0;
};

class stack_pool {
public:
  static constexpr size_t default_bytes = 128 * 1024;

  stack_pool();
  ~stack_pool();
  stack_pool(const stack_pool &) = delete;
  stack_pool &operator=(const stack_pool &) = delete;

  // bottom is null when the system has no memory left.
  stack take();
  void give_back(stack memory);
  bool is_guard_page(const void *address) const;
  size_t stack_bytes() const { return bytes; }

private:
  struct slab {
    unsigned char *begin;
    size_t size;
  };
  bool grow();

  size_t bytes; // of one stack, without its guard page
  size_t page;
  std::vector<stack> idle;
  std::vector<slab> slabs;
};

} // namespace tsk::sim
