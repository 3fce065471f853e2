#include "guarded.h"

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tsk::sim {

namespace {

size_t page_bytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

size_t round_up(size_t number, size_t step) { return (number + step - 1) / step * step; }

// What stands outside, by its address: not what a program is likely to write there.
unsigned char canary(const unsigned char *at) {
  return static_cast<unsigned char>(0xA5u ^ (reinterpret_cast<uintptr_t>(at) * 0x3Bu));
}

size_t gathered = 0; // bytes of counted_memory that are in use or have been

// Pages that cannot be touched yet; addresses are not used again.
void *reserve(size_t bytes) {
  if (counted_memory.bytes == 0)
    return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (counted_memory.bytes - gathered < bytes)
    return MAP_FAILED;
  gathered += bytes;
  return reinterpret_cast<void *>(counted_memory.begin + gathered - bytes);
}

void release(void *begin, size_t bytes) {
  if (counted_memory.bytes == 0)
    munmap(begin, bytes);
  else // its place stays taken
    mmap(begin, bytes, PROT_NONE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

} // namespace

memory_range counted_memory;

void gather_memory() {
  constexpr size_t wanted = size_t{1} << 42;
  if (counted_memory.bytes != 0)
    return;
  void *found =
      mmap(nullptr, wanted, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found != MAP_FAILED)
    counted_memory = {reinterpret_cast<uintptr_t>(found), wanted};
}

guarded_memory::guarded_memory(size_t wanted, size_t alignment) : bytes(wanted) {
  const size_t page = page_bytes(), inner = round_up(wanted, page);
  void *found = reserve(inner + 2 * page);
  if (found == MAP_FAILED)
    return;
  mapped = static_cast<unsigned char *>(found);
  mapped_bytes = inner + 2 * page;
  if (mprotect(mapped + page, inner, PROT_READ | PROT_WRITE) != 0) {
    release(mapped, mapped_bytes);
    mapped = nullptr;
    return;
  }
  memory = mapped + page + inner - round_up(wanted, alignment);
  for (unsigned char *p = mapped + page; p < memory; ++p)
    *p = canary(p);
  for (unsigned char *p = memory + bytes; p < mapped + page + inner; ++p)
    *p = canary(p);
}

guarded_memory::~guarded_memory() {
  if (mapped != nullptr)
    release(mapped, mapped_bytes);
}

std::optional<ptrdiff_t> guarded_memory::spoilt() const {
  if (mapped == nullptr)
    return std::nullopt;
  const unsigned char *end = mapped + mapped_bytes - page_bytes();
  for (const unsigned char *p = memory + bytes; p < end; ++p)
    if (*p != canary(p))
      return p - memory;
  for (const unsigned char *p = memory; p-- > mapped + page_bytes();)
    if (*p != canary(p))
      return p - memory;
  return std::nullopt;
}

void guarded_memory::swap(guarded_memory &other) noexcept {
  std::swap(memory, other.memory);
  std::swap(bytes, other.bytes);
  std::swap(mapped, other.mapped);
  std::swap(mapped_bytes, other.mapped_bytes);
}

} // namespace tsk::sim
