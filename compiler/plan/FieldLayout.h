// How a field's stage lies in shared memory, and the boxes in which TMA moves it.
//
// A plain field is row-major. A swizzled one is cut into column panels as wide as its span, panel
// after panel, each with all rows (the leading dimensions in one row); within a panel the 16-byte
// chunks of eight rows are permuted (runtime/include/tsk/swizzle.h). TMA moves a panel, or all of a
// plain field, in one box, and in several where the outermost dimension is longer than a box.
#pragma once

#include "compiler/ir/Kernel.h"

#include <optional>

namespace tsk::plan {

inline constexpr unsigned SwizzleRows = 8; // after so many the permutation repeats

unsigned swizzleSpan(ir::Swizzle swizzle); // bytes; 0: none

int64_t rowBytes(const ir::Field &field);
int64_t rowsOf(const ir::Field &field); // of a panel: all but the last dimension
// Of a swizzled field whose rows are whole spans; else 1.
int64_t panelsOf(const ir::Field &field);

// The box in which TMA moves the field, with the field's dimensions, outermost first. Nothing where
// no equal boxes make up the field, or each of `slices` equal parts of its outermost dimension.
std::optional<std::vector<uint32_t>> boxOf(const ir::Field &field, unsigned slices = 1);
int64_t boxesOf(const ir::Field &field, const std::vector<uint32_t> &box);

} // namespace tsk::plan
