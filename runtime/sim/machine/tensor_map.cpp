#include "tsk/sim/tensor_map.h"

#include "text.h"

#include <algorithm>
#include <cstring>

namespace tsk::sim {

namespace {

std::string extents_fault(const tensor_map_data &map) {
  for (unsigned d = 0; d < map.rank; ++d) {
    if (map.extents[d] == 0 || map.extents[d] > (uint64_t{1} << 32))
      return cat("extent ", map.extents[d], " of dimension ", d,
                 " (innermost is 0) is not in 1 .. 2^32");
    if (map.box[d] == 0 || map.box[d] > 256)
      return cat("box extent ", map.box[d], " of dimension ", d,
                 " (innermost is 0) is not in 1 .. 256");
  }
  return {};
}

std::string strides_fault(const tensor_map_data &map) {
  for (unsigned d = 1; d < map.rank; ++d) {
    if (map.strides[d] % 16 != 0)
      return cat("stride of ", map.strides[d], " bytes in dimension ", d,
                 " (innermost is 0) is not a multiple of 16");
    if (map.strides[d] >= (uint64_t{1} << 40))
      return cat("stride of ", map.strides[d], " bytes in dimension ", d, " is 2^40 or more");
  }
  return {};
}

// The first element's place of a row of the box; false where the row lies outside the tensor.
bool locate(const tensor_map_data &map, const int64_t *origin, uint32_t row, int64_t &offset) {
  offset = 0;
  for (unsigned d = 1; d < map.rank; ++d) {
    const int64_t at = origin[d] + row % map.box[d];
    row /= map.box[d];
    if (at < 0 || at >= static_cast<int64_t>(map.extents[d]))
      return false;
    offset += at * static_cast<int64_t>(map.strides[d]);
  }
  return true;
}

// The part of a row that lies inside the tensor: elements first .. last of the row.
void clip(const tensor_map_data &map, int64_t start, int64_t &first, int64_t &last) {
  first = std::clamp<int64_t>(-start, 0, map.box[0]);
  last = std::clamp<int64_t>(static_cast<int64_t>(map.extents[0]) - start, first, map.box[0]);
}

// To ten bits of the fraction, the nearest, of two the even one.
void round_to_tf32(unsigned char *line, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += 4) {
    uint32_t bits = 0;
    std::memcpy(&bits, line + at, 4);
    const bool is_finite = (bits >> 23 & 0xff) != 0xff;
    bits += is_finite ? 0xfff + (bits >> 13 & 1) : 0;
    bits &= ~uint32_t{0x1fff};
    std::memcpy(line + at, &bits, 4);
  }
}

} // namespace

std::string tensor_map_fault(const tensor_map_data &map) {
  if (map.rank < 1 || map.rank > tensor_map_data::max_rank)
    return cat("rank ", map.rank, " is not in 1 .. 5");
  if (map.base == nullptr)
    return "the tensor's address is null";
  if (reinterpret_cast<uintptr_t>(map.base) % 16 != 0)
    return "the tensor's address is not a multiple of 16";
  if (std::string why = extents_fault(map); !why.empty())
    return why;
  if (std::string why = strides_fault(map); !why.empty())
    return why;
  if (row_bytes(map) % 16 != 0)
    return cat("a row of the box has ", row_bytes(map), " bytes, not a multiple of 16");
  if (map.swizzle_bytes != 0 && row_bytes(map) != map.swizzle_bytes)
    return cat("a row of the box has ", row_bytes(map), " bytes; the ", map.swizzle_bytes,
               "B swizzle is simulated for rows of ", map.swizzle_bytes);
  return {};
}

void load_row(const tensor_map_data &map, const int64_t *origin, uint32_t row,
              unsigned char *shared, uint32_t shared_offset) {
  const uint32_t bytes = row_bytes(map);
  unsigned char line[256 * 8]; // widest row: 256 elements of 8 bytes
  int64_t offset = 0;
  int64_t first = 0, last = 0;
  if (locate(map, origin, row, offset))
    clip(map, origin[0], first, last);
  if (last - first != map.box[0])
    std::memset(line, 0, bytes);
  if (last > first) {
    const int64_t size = map.element_bytes;
    std::memcpy(line + first * size, map.base + offset + (origin[0] + first) * size,
                static_cast<size_t>((last - first) * size));
  }
  if (map.is_tf32)
    round_to_tf32(line, bytes);
  for (uint32_t chunk = 0; chunk < bytes; chunk += 16)
    std::memcpy(shared + swizzled(shared_offset + row * bytes + chunk, map.swizzle_bytes),
                line + chunk, 16);
}

void take_row(const tensor_map_data &map, uint32_t row, const unsigned char *shared,
              uint32_t shared_offset, unsigned char *out) {
  const uint32_t bytes = row_bytes(map);
  for (uint32_t chunk = 0; chunk < bytes; chunk += 16)
    std::memcpy(out + chunk,
                shared + swizzled(shared_offset + row * bytes + chunk, map.swizzle_bytes), 16);
}

void store_row(const tensor_map_data &map, const int64_t *origin, uint32_t row,
               const unsigned char *bytes) {
  int64_t offset = 0;
  if (!locate(map, origin, row, offset))
    return;
  int64_t first = 0, last = 0;
  clip(map, origin[0], first, last);
  const int64_t size = map.element_bytes;
  if (last > first)
    std::memcpy(map.base + offset + (origin[0] + first) * size, bytes + first * size,
                static_cast<size_t>((last - first) * size));
}

} // namespace tsk::sim
