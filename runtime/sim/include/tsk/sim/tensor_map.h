// Tensor maps: what the copy engine knows of a tensor, and how a box lies in shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tsk::sim {

struct tensor_map_data {
  static constexpr unsigned max_rank = 5;
  unsigned char *base = nullptr;
  unsigned rank = 0;
  unsigned element_bytes = 1;
  unsigned swizzle_bytes = 0;      // 0, 32, 64, 128
  bool is_tf32 = false;            // rounded as they are loaded, as an H200 does it
  uint64_t extents[max_rank] = {}; // elements, innermost first
  uint64_t strides[max_rank] = {}; // bytes; strides[0] is the element's size
  uint32_t box[max_rank] = {};     // elements
};

// Why the hardware's encoder would refuse this map; empty: it is well-formed.
std::string tensor_map_fault(const tensor_map_data &map);

inline uint32_t row_bytes(const tensor_map_data &map) { return map.box[0] * map.element_bytes; }
inline uint32_t row_count(const tensor_map_data &map) {
  uint32_t rows = 1;
  for (unsigned d = 1; d < map.rank; ++d)
    rows *= map.box[d];
  return rows;
}
inline uint32_t box_bytes(const tensor_map_data &map) { return row_bytes(map) * row_count(map); }

// The swizzle moves 16-byte chunks within 8 rows of the span: bits of the row's number are added
// (xor) to bits of the chunk's number. Its own inverse. `offset` counts from a base that is aligned
// to the pattern (1024 bytes for 128B).
inline uint32_t swizzled(uint32_t offset, unsigned swizzle_bytes) {
  switch (swizzle_bytes) {
  case 32:
    return offset ^ ((offset >> 3) & 0x10);
  case 64:
    return offset ^ ((offset >> 3) & 0x30);
  case 128:
    return offset ^ ((offset >> 3) & 0x70);
  default:
    return offset;
  }
}

// One row of a box, between shared memory and the tensor. `row` counts the box's rows in memory
// order; elements outside the tensor read as zero and are not written.
void load_row(const tensor_map_data &map, const int64_t *origin, uint32_t row,
              unsigned char *shared, uint32_t shared_offset);
void take_row(const tensor_map_data &map, uint32_t row, const unsigned char *shared,
              uint32_t shared_offset, unsigned char *out);
void store_row(const tensor_map_data &map, const int64_t *origin, uint32_t row,
               const unsigned char *bytes);

} // namespace tsk::sim
