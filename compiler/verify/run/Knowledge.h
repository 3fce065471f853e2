// Who knows what: a bit matrix. A row is a holder: a warp, what the open phase of a barrier has
// collected, what its newest completed phase gives to who waits. A column is an item: the newest
// access of one source to one cell, the newest phase of a barrier, … . A bit says that the holder
// comes after the newest instance of the item in every interleaving; it is also set where there has
// been no instance yet. Items are names, not epochs, so the matrix is finite by construction.
#pragma once

#include <cstdint>
#include <vector>

namespace tsk::verify {

class Knowledge {
public:
  Knowledge(unsigned rowCount, unsigned columnCount)
      : rows(rowCount), words((columnCount + 63) / 64), bits(size_t(rowCount) * words) {}

  using Row = std::vector<uint64_t>; // a copy of a row, to be changed before it is handed over

  bool knows(unsigned row, unsigned column) const { return at(row, column) & mask(column); }
  static bool knows(const Row &row, unsigned column) { return row[column / 64] & mask(column); }
  static void set(Row &row, unsigned column, bool value) {
    if (value)
      row[column / 64] |= mask(column);
    else
      row[column / 64] &= ~mask(column);
  }

  Row row(unsigned index) const {
    auto begin = bits.begin() + size_t(index) * words;
    return Row(begin, begin + words);
  }
  void setRow(unsigned index, bool value) {
    for (unsigned i = 0; i < words; ++i)
      bits[size_t(index) * words + i] = value ? ~uint64_t(0) : 0;
  }
  void copyRow(unsigned from, unsigned to) {
    for (unsigned i = 0; i < words; ++i)
      bits[size_t(to) * words + i] = bits[size_t(from) * words + i];
  }
  void join(unsigned into, unsigned from) {
    for (unsigned i = 0; i < words; ++i)
      bits[size_t(into) * words + i] |= bits[size_t(from) * words + i];
  }
  void join(unsigned into, const Row &from) {
    for (unsigned i = 0; i < words; ++i)
      bits[size_t(into) * words + i] |= from[i];
  }

  void set(unsigned row, unsigned column) { at(row, column) |= mask(column); }
  // Nobody knows the new instance; or: there is none, everybody "knows" it.
  void setColumn(unsigned column, bool value) {
    for (unsigned r = 0; r < rows; ++r) {
      uint64_t &word = at(r, column);
      word = value ? word | mask(column) : word & ~mask(column);
    }
  }
  void copyColumn(unsigned from, unsigned to) {
    for (unsigned r = 0; r < rows; ++r) {
      bool value = knows(r, from);
      uint64_t &word = at(r, to);
      word = value ? word | mask(to) : word & ~mask(to);
    }
  }

private:
  static uint64_t mask(unsigned column) { return uint64_t(1) << (column % 64); }
  uint64_t &at(unsigned row, unsigned column) { return bits[size_t(row) * words + column / 64]; }
  const uint64_t &at(unsigned row, unsigned column) const {
    return bits[size_t(row) * words + column / 64];
  }

  unsigned rows;
  unsigned words;
  std::vector<uint64_t> bits;
};

} // namespace tsk::verify
