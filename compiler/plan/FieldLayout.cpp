#include "compiler/plan/FieldLayout.h"

#include "compiler/target/Target.h"

#include <algorithm>

namespace tsk::plan {

unsigned swizzleSpan(ir::Swizzle swizzle) {
  switch (swizzle) {
  case ir::Swizzle::None:
    return 0;
  case ir::Swizzle::B32:
    return 32;
  case ir::Swizzle::B64:
    return 64;
  case ir::Swizzle::B128:
    return 128;
  }
  TSK_UNREACHABLE("swizzle outside its enumeration");
}

int64_t rowBytes(const ir::Field &field) {
  return (field.dims.empty() ? 1 : field.dims.back()) * ir::bitWidth(field.element) / 8;
}

int64_t rowsOf(const ir::Field &field) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < field.dims.size(); ++d)
    rows *= field.dims[d];
  return rows;
}

int64_t panelsOf(const ir::Field &field) {
  const unsigned span = swizzleSpan(field.swizzle);
  return span ? std::max<int64_t>(1, rowBytes(field) / span) : 1;
}

std::optional<std::vector<uint32_t>> boxOf(const ir::Field &field, unsigned slices) {
  std::vector<int64_t> extents = field.dims;
  extents.back() /= panelsOf(field);
  // Each box begins where TMA, and the swizzle's pattern, may begin.
  const int64_t align =
      std::max<int64_t>(target::TmaAlignment, int64_t(swizzleSpan(field.swizzle)) * SwizzleRows);
  int64_t piece = ir::bitWidth(field.element); // bits of one step along the outermost dimension
  for (size_t d = 1; d < extents.size(); ++d)
    piece *= extents[d];
  if (extents[0] % slices != 0)
    return std::nullopt;
  const int64_t whole = extents[0] / slices;
  auto fits = [&](int64_t extent) {
    return whole % extent == 0 &&
           ((slices == 1 && extent == whole) || extent * piece / 8 % align == 0);
  };
  extents[0] = std::min<int64_t>(whole, target::TmaMaxBoxExtent);
  while (extents[0] > 1 && !fits(extents[0]))
    --extents[0];
  const bool isMovable = std::all_of(extents.begin(), extents.end(), [](int64_t extent) {
    return extent <= target::TmaMaxBoxExtent;
  });
  if (!isMovable || !fits(extents[0]))
    return std::nullopt;
  return std::vector<uint32_t>(extents.begin(), extents.end());
}

int64_t boxesOf(const ir::Field &field, const std::vector<uint32_t> &box) {
  int64_t count = 1;
  for (size_t d = 0; d < box.size(); ++d)
    count *= field.dims[d] / box[d];
  return count;
}

} // namespace tsk::plan
