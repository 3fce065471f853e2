// What the machine knows of memory: which of it belongs to which tensor, and the pattern that
// stands for data that was never written.
#include "counting/counters.h"
#include "launch.h"
#include "machine.h"
#include "text.h"
#include "tsk/sim/tensor_map.h"
#include "tsk/types.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace tsk::sim {

namespace {

struct region {
  guarded_memory memory;
  std::string name;
};

constexpr size_t tensor_alignment = 256; // cudaMalloc's

std::map<const unsigned char *, region> &regions() {
  static std::map<const unsigned char *, region> all;
  return all;
}

// The registered region that holds the address.
const std::pair<const unsigned char *const, region> *find_region(const void *address) {
  const auto *p = static_cast<const unsigned char *>(address);
  auto it = regions().upper_bound(p);
  if (it == regions().begin())
    return nullptr;
  --it;
  return p < it->first + it->second.memory.size() ? &*it : nullptr;
}

std::string list(const int64_t *numbers, unsigned count, std::string_view between) {
  std::string out;
  for (unsigned i = 0; i < count; ++i)
    out += cat(i == 0 ? "" : between, numbers[i]);
  return out;
}

} // namespace

void poison(void *begin, size_t bytes) {
  auto *p = static_cast<unsigned char *>(begin);
  const uint64_t word = 0x0001'0001'0001'0001u * uint64_t{poison_pattern};
  for (; bytes >= sizeof word; bytes -= sizeof word, p += sizeof word)
    std::memcpy(p, &word, sizeof word);
  if (bytes != 0)
    std::memcpy(p, &word, bytes);
}

void *take_memory(size_t bytes) {
  if (is_counted())
    gather_memory();
  guarded_memory memory(bytes, tensor_alignment);
  unsigned char *const begin = memory.begin();
  if (begin != nullptr)
    regions()[begin] = {std::move(memory), "a tensor"};
  return begin;
}

void give_back_memory(void *begin) { regions().erase(static_cast<unsigned char *>(begin)); }

namespace {

// "12 bytes behind its end"
std::string beside(const guarded_memory &memory, ptrdiff_t at) {
  const bool is_before = at < 0;
  const auto distance = static_cast<size_t>(is_before ? -at : at - ptrdiff_t(memory.size()) + 1);
  return cat(count(distance, "byte"), is_before ? " before its begin" : " behind its end");
}

} // namespace

std::string tensor_memory_fault() {
  for (const auto &[begin, found] : regions())
    if (const auto at = found.memory.spoilt())
      return cat("a pointer into ", found.name, " ran out of it: memory ",
                 beside(found.memory, *at), " was written");
  return {};
}

void check_shared_at_end(cta &block) {
  if (const auto at = block.shared_memory.spoilt())
    block.owner->stop(cat("a pointer into shared memory ran out of it: memory ",
                          beside(block.shared_memory, *at), " was written\n  in ",
                          describe(block)));
}

void name_memory(void *begin, const char *name) {
  const auto it = regions().find(static_cast<unsigned char *>(begin));
  if (it != regions().end())
    it->second.name = name;
}

std::string memory_label(const cta &block, const void *address) {
  const auto *p = static_cast<const unsigned char *>(address);
  if (block.shared != nullptr && p >= block.shared && p < block.shared + block.shared_bytes) {
    const auto offset = static_cast<unsigned>(p - block.shared);
    const kernel_names &names = block.owner->names;
    for (size_t i = 0; i < names.memory_count; ++i) {
      const memory_name &m = names.memory[i];
      if (offset >= m.offset && offset < m.offset + m.stage_bytes * m.stages)
        return m.stages == 1 ? std::string(m.name)
                             : cat(m.name, "[", (offset - m.offset) / m.stage_bytes, "]");
    }
    return cat("shared memory at offset ", offset);
  }
  if (const auto *found = find_region(address))
    return found->second.name;
  return "a view";
}

void check_box(const tensor_map_data &map, size_t tile_bytes, place at) {
  if (box_bytes(map) != tile_bytes)
    fault(cat("a tensor map whose box has ", box_bytes(map), " bytes for a tile of ", tile_bytes),
          at);
}

void fault(const std::string &text, place at) {
  thread &t = self();
  t.block->owner->fault(t, text, at);
}

void index_fault(const void *base, size_t element_bytes, const int64_t *indices,
                 const int64_t *extents, unsigned rank, unsigned wrong, unsigned width, place at) {
  const std::string name = memory_label(*self().block, base);
  const std::string vector = width == 1 ? "" : cat(".vec<", width, ">");
  const int64_t last = indices[wrong] + (wrong + 1 == rank ? width - 1 : 0);
  const std::string reached =
      last == indices[wrong] ? cat("is ", last) : cat("goes from ", indices[wrong], " to ", last);
  fault(cat("index out of bounds: ", name, vector, "(", list(indices, rank, ", "), "): index ",
            wrong, " ", reached, ", the extents are ", list(extents, rank, " x ")),
        at);
}

void alignment_fault(const void *address, size_t needed, place at) {
  fault(cat("misaligned access to ", memory_label(*self().block, address),
            ": the address is not a "
            "multiple of ",
            needed, " bytes"),
        at);
}

// Arrays may be used by the host too, where there is no launch to end.
void array_fault(int index, int size, place at) {
  const std::string text = cat("index out of bounds: element ", index, " of an array of ", size);
  if (current_thread != nullptr)
    fault(text, at);
  std::fputs(cat("fault: ", text, "\n  on the host at ", at.file, ":", at.line, "\n").c_str(),
             stderr);
  std::_Exit(3);
}

void pause(place at) {
  thread &t = self();
  t.last = at;
  t.block->owner->maybe_yield(t);
}

} // namespace tsk::sim
