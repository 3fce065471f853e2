// Memory between pages that cannot be touched, so that a raw pointer that runs out of it is seen:
// it ends the process, or has spoilt the few bytes between the memory and the page behind or before
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tsk::sim {

// Where a counted program's tensors and shared memory lie, and nothing else: what tells an access
// to them from one to the stack. Empty in other programs.
struct memory_range {
  uintptr_t begin = 0;
  size_t bytes = 0;
};
extern memory_range counted_memory;
// From here on memory is taken from one range.
void gather_memory();

class guarded_memory {
public:
  guarded_memory() = default;
  // Nothing (see `begin`) when the host has none left. `alignment`: a power of two up to a page's.
  guarded_memory(size_t bytes, size_t alignment);
  ~guarded_memory();
  guarded_memory(guarded_memory &&other) noexcept { swap(other); }
  guarded_memory &operator=(guarded_memory &&other) noexcept {
    swap(other);
    return *this;
  }

  // As near to the page behind it as the alignment lets it.
  unsigned char *begin() const { return memory; }
  size_t size() const { return bytes; }
  // The place of a byte outside that was written, counted from `begin`.
  std::optional<ptrdiff_t> spoilt() const;

private:
  void swap(guarded_memory &other) noexcept;

  unsigned char *memory = nullptr;
  size_t bytes = 0;
  unsigned char *mapped = nullptr; // the first page, which cannot be touched
  size_t mapped_bytes = 0;
};

} // namespace tsk::sim
