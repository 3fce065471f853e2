#include "stacks.h"

#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace tsk::sim {

namespace {
constexpr size_t stacks_per_slab = 64;

// TSK_SIM_STACK_KB enlarges stacks for bodies with very large local arrays.
size_t wanted_bytes(size_t page) {
  size_t bytes = stack_pool::default_bytes;
  if (const char *text = std::getenv("TSK_SIM_STACK_KB")) {
    const unsigned long kib = std::strtoul(text, nullptr, 10);
    if (kib >= 16 && kib <= 1024 * 1024)
      bytes = kib * 1024;
  }
  return (bytes + page - 1) / page * page;
}
} // namespace

stack_pool::stack_pool() : page(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
  bytes = wanted_bytes(page);
}

stack_pool::~stack_pool() {
  for (const slab &s : slabs)
    munmap(s.begin, s.size);
}

// Pages are only reserved here; the kernel gives memory for those that are touched.
bool stack_pool::grow() {
  const size_t pitch = bytes + page;
  const size_t size = pitch * stacks_per_slab;
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  auto *begin = static_cast<unsigned char *>(memory);
  for (size_t i = stacks_per_slab; i-- > 0;) {
    unsigned char *guard = begin + i * pitch;
    if (mprotect(guard, page, PROT_NONE) != 0) {
      munmap(memory, size);
      return false;
    }
  }
  for (size_t i = stacks_per_slab; i-- > 0;)
    idle.push_back({begin + i * pitch + page, bytes});
  slabs.push_back({begin, size});
  return true;
}

stack stack_pool::take() {
  if (idle.empty() && !grow())
    return {};
  const stack memory = idle.back();
  idle.pop_back();
#if defined(__SANITIZE_ADDRESS__)
  // Frames of an abandoned fiber left their red zones behind.
  __asan_unpoison_memory_region(memory.bottom, memory.size);
#endif
  return memory;
}

void stack_pool::give_back(stack memory) { idle.push_back(memory); }

bool stack_pool::is_guard_page(const void *address) const {
  const auto *p = static_cast<const unsigned char *>(address);
  for (const slab &s : slabs)
    if (p >= s.begin && p < s.begin + s.size)
      return static_cast<size_t>(p - s.begin) % (bytes + page) < page;
  return false;
}

} // namespace tsk::sim
