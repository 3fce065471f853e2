// What a warp does to matrices in its registers: ldmatrix and mma.sync. All lanes come together,
// the whole instruction is done at once, and all go on.
#include "machine.h"

#include <cstring>

namespace tsk::sim {

namespace {

constexpr unsigned lanes = 32;

struct row_brought {
  const void *row;
  uint32_t *pairs;
  unsigned count;
  bool is_transposed;
};

// Of matrix m, lanes 8 m .. 8 m + 8 bring the rows; lane l gets elements 2 (l % 4) and the next one
// of row l / 4, or of that column.
void deal_out(const collective &all) {
  const auto brought = [&](unsigned lane) -> const row_brought & {
    return *reinterpret_cast<const row_brought *>(all.values[lane]);
  };
  const unsigned count = brought(0).count;
  for (unsigned m = 0; m < count; ++m) {
    uint16_t matrix[8][8];
    for (unsigned r = 0; r < 8; ++r)
      std::memcpy(matrix[r], brought(8 * m + r).row, sizeof matrix[r]);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const row_brought &to = brought(lane);
      const unsigned outer = lane / 4, inner = lane % 4 * 2;
      const uint32_t low = to.is_transposed ? matrix[inner][outer] : matrix[outer][inner];
      const uint32_t high = to.is_transposed ? matrix[inner + 1][outer] : matrix[outer][inner + 1];
      to.pairs[m] = low | high << 16;
    }
  }
}

// The layouts are those of the PTX ISA, "Matrix Fragments for mma.m16n8k16".
void multiply_all(const collective &all) {
  float a[16][16], b[16][8];
  const auto part = [&](unsigned lane) -> const multiplication_part & {
    return *reinterpret_cast<const multiplication_part *>(all.values[lane]);
  };
  for (unsigned lane = 0; lane < lanes; ++lane) {
    const unsigned group = lane / 4, pair = lane % 4 * 2;
    for (unsigned i = 0; i < 8; ++i)
      a[group + i / 2 % 2 * 8][pair + i % 2 + i / 4 * 8] = part(lane).a[i];
    for (unsigned i = 0; i < 4; ++i)
      b[pair + i % 2 + i / 2 * 8][group] = part(lane).b[i];
  }
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      double sum = part(lane).c[i]; // products of 16-bit elements are exact in it
      for (unsigned k = 0; k < 16; ++k)
        sum += static_cast<double>(a[row][k]) * b[k][column];
      part(lane).c[i] = static_cast<float>(sum);
    }
}

constexpr uint64_t operations = uint64_t{2} * 16 * 8 * 16 / lanes; // a lane's share

} // namespace

void load_matrices(const void *row, unsigned count, bool is_transposed, uint32_t *pairs, place at) {
  constexpr const char *names[2][5] = {
      {"", "ldmatrix.x1", "ldmatrix.x2", "", "ldmatrix.x4"},
      {"", "ldmatrix.x1.trans", "ldmatrix.x2.trans", "", "ldmatrix.x4.trans"}};
  if (self().lane < 8 * count)
    count_access(row, 16, /*is_store=*/false, at);
  const row_brought mine{row, pairs, count, is_transposed};
  meet_in_warp(names[is_transposed][count], &mine, deal_out, at);
}

void multiply_in_warp(const multiplication_part &mine, place at) {
  count_event("mma", at, operations);
  meet_in_warp("mma", &mine, multiply_all, at);
}

} // namespace tsk::sim
