#include "compiler/profile/Layouts.h"

#include "runtime/sim/machine/counting/patterns.h"

#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"

namespace tsk::profile {

namespace {

// A way to lay out a field: rows with so many elements behind each, or a swizzle.
struct Layout {
  unsigned padding = 0; // elements
  unsigned swizzle = 0; // bytes of the span
};

// As runtime/include/tsk/swizzle.h has it.
uint32_t swizzled(const FieldLayout &field, unsigned span, uint32_t row, uint32_t column) {
  const uint32_t panelColumns = span / field.elementBytes;
  const uint32_t panel = column / panelColumns * field.rows * span;
  const uint32_t place = row * span + column % panelColumns * field.elementBytes;
  return panel + (place ^ ((place >> 3) & (span - 16)));
}

// The element at this offset of a stage.
std::pair<uint32_t, uint32_t> elementAt(const FieldLayout &field, uint32_t offset) {
  if (field.swizzle == 0) {
    const uint32_t element = offset / field.elementBytes;
    return {element / field.columns, element % field.columns};
  }
  const uint32_t panelBytes = field.rows * field.swizzle, within = offset % panelBytes;
  const uint32_t place = within ^ ((within >> 3) & (field.swizzle - 16)); // its own inverse
  return {place / field.swizzle, offset / panelBytes * (field.swizzle / field.elementBytes) +
                                     place % field.swizzle / field.elementBytes};
}

uint32_t offsetOf(const FieldLayout &field, Layout layout, uint32_t row, uint32_t column) {
  if (layout.swizzle != 0)
    return swizzled(field, layout.swizzle, row, column);
  return (row * (field.columns + layout.padding) + column) * field.elementBytes;
}

bool isIn(const FieldLayout &field, int64_t offset) {
  return offset >= field.offset && offset < field.offset + int64_t{field.stageBytes} * field.stages;
}

bool isWithin(const FieldLayout &field, const Pattern &pattern) {
  return llvm::all_of(pattern.offsets,
                      [&](int64_t offset) { return offset < 0 || isIn(field, offset); });
}

uint64_t wavefrontsOf(const FieldLayout &field, Layout layout, const Pattern &pattern,
                      const Accesses &row) {
  sim::warp_access access;
  access.bytes = row.bytes;
  access.is_store = row.isStore;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (pattern.offsets[lane] < 0)
      continue;
    access.mask |= 1u << lane;
    const auto offset = static_cast<uint32_t>(pattern.offsets[lane] - field.offset);
    const auto [y, x] = elementAt(field, offset % field.stageBytes);
    access.addresses[lane] =
        offset / field.stageBytes * uint64_t{field.stageBytes} + offsetOf(field, layout, y, x);
  }
  return cost_of_shared(access).wavefronts * pattern.instructions;
}

uint64_t wavefrontsOf(const FieldLayout &field, Layout layout, const Launch &launch) {
  uint64_t sum = 0;
  for (const Accesses &row : launch.accesses)
    for (const Pattern &pattern : row.patterns)
      if (isWithin(field, pattern))
        sum += wavefrontsOf(field, layout, pattern, row);
  return sum;
}

// Vectors stay aligned, and within the chunks of a swizzle.
bool isPossible(const FieldLayout &field, Layout layout, unsigned vectorBytes) {
  if (layout.swizzle != 0)
    return field.columns * field.elementBytes % layout.swizzle == 0;
  return layout.padding * field.elementBytes % vectorBytes == 0;
}

std::string describe(const FieldLayout &field, Layout layout) {
  return layout.swizzle != 0 ? fmt::format("`swizzle {}B`", layout.swizzle)
                             : fmt::format("rows of {} elements instead of {}",
                                           field.columns + layout.padding, field.columns);
}

unsigned widestAccess(const FieldLayout &field, const Launch &launch) {
  unsigned bytes = field.elementBytes;
  for (const Accesses &row : launch.accesses)
    if (llvm::any_of(row.patterns, [&](const Pattern &p) { return isWithin(field, p); }))
      bytes = std::max(bytes, row.bytes);
  return bytes;
}

} // namespace

Advice adviseOn(const Accesses &row, const Launch &launch, llvm::ArrayRef<FieldLayout> fields) {
  Advice advice;
  for (const FieldLayout &field : fields)
    if (llvm::all_of(row.patterns, [&](const Pattern &p) { return isWithin(field, p); }))
      advice.field = &field;
  if (advice.field == nullptr || row.patterns.empty())
    return {};
  const FieldLayout &field = *advice.field;
  const unsigned vectorBytes = widestAccess(field, launch);
  advice.before = advice.after = wavefrontsOf(field, {0, field.swizzle}, launch);
  // Of equally good ones the first: a swizzle takes no memory.
  constexpr Layout Candidates[] = {{0, 128}, {0, 64}, {0, 32}, {1, 0}, {2, 0}, {4, 0}, {8, 0}};
  for (const Layout candidate : Candidates) {
    if (!isPossible(field, candidate, vectorBytes))
      continue;
    const uint64_t wavefronts = wavefrontsOf(field, candidate, launch);
    if (wavefronts < advice.after) {
      advice.after = wavefronts;
      advice.change = describe(field, candidate);
    }
  }
  return advice;
}

} // namespace tsk::profile
