// The knowledge matrix of a run: which holder comes after the newest instance of which fact.
//
// Rows are holders (agents, open and completed phases, generations), columns facts. A fact without
// an instance is known to all; that is kept once, not in every row. Rows are sparse in large
// programs, so each keeps a summary of its words that are not zero, and each word one of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tsk::protocol {

// A column, or none.
using Column = int32_t;

// Neighbouring columns. More than 64 begin at a word.
struct Bits {
  uint32_t word = 0;
  uint32_t shift = 0;
  uint32_t count = 0;
  uint32_t words() const { return (shift + count + 63) / 64; }
  // Of the i-th word.
  uint64_t mask(uint32_t i = 0) const {
    uint32_t left = count - (i == 0 ? 0 : i * 64 - shift);
    return (left >= 64 ? ~0ull : (1ull << left) - 1) << (i == 0 ? shift : 0);
  }
  Column column(std::size_t i) const { return static_cast<Column>(word * 64 + shift + i); }
};

// Columns by word.
using WordMasks = std::vector<std::pair<uint32_t, uint64_t>>;

// Columns and rows that change places, all at once.
class Permutation {
public:
  Permutation() = default;
  // `toRows`: where each row goes.
  Permutation(const std::vector<std::pair<Bits, Bits>> &moves, std::vector<unsigned> toRows);

private:
  friend class Knowledge;
  // Columns of one word that go to one word, all by the same distance.
  struct Transfer {
    uint32_t from, to;
    int distance;
    uint64_t mask;
  };
  std::vector<Transfer> transfers; // by `from`
  std::vector<uint32_t> begin;     // by word: its first transfer; and the end
  std::vector<uint64_t> targets;   // by word: what is replaced
  std::vector<unsigned> rows;      // where each goes
};

class Knowledge {
public:
  // All facts without instances; nobody holds anything.
  void reset(unsigned rowCount, unsigned wordCount);

  bool knows(unsigned row, Column column) const {
    return value(row, column / 64) >> column % 64 & 1;
  }
  bool knowsAll(unsigned row, const Bits &bits) const {
    for (uint32_t i = 0, n = bits.words(); i < n; ++i)
      if (~value(row, bits.word + i) & bits.mask(i))
        return false;
    return true;
  }
  bool knowsAll(unsigned row, const WordMasks &masks) const {
    for (auto [word, mask] : masks)
      if (~value(row, word) & mask)
        return false;
    return true;
  }
  // The word of a row, facts without instance included.
  uint64_t value(unsigned row, uint32_t word) const {
    return held[std::size_t(row) * words + word] | nil[word];
  }
  bool hasInstance(Column column) const { return !(nil[column / 64] >> column % 64 & 1); }

  void learn(unsigned row, Column column) { add(row, column / 64, 1ull << column % 64); }
  void learn(unsigned row, const WordMasks &masks) {
    for (auto [word, mask] : masks)
      add(row, word, mask);
  }
  void forget(unsigned row, uint32_t word, uint64_t mask) {
    held[std::size_t(row) * words + word] &= ~mask;
  }
  void forget(unsigned row, const Bits &which) {
    for (uint32_t i = 0, n = which.words(); i < n; ++i)
      forget(row, which.word + i, which.mask(i));
  }
  // A new instance, which nobody knows of yet.
  void renew(Column column);
  // No instance any more.
  void retire(uint32_t word, uint64_t mask);
  void retire(const Bits &which) {
    for (uint32_t i = 0, n = which.words(); i < n; ++i)
      retire(which.word + i, which.mask(i));
  }
  // What is known of one set of facts becomes what is known of another. Equal numbers of columns.
  void move(const Bits &from, const Bits &to);

  void join(unsigned into, unsigned from);
  void copy(unsigned to, unsigned from);
  void clear(unsigned row);
  void intersect(unsigned into, unsigned with); // what both hold
  WordMasks contents(unsigned row) const;
  void assign(unsigned row, const WordMasks &contents) {
    clear(row);
    learn(row, contents);
  }

  void permute(const Permutation &by);
  // Keeps what both matrices know; true if that is less than before.
  bool meet(const Knowledge &other);

  // How much is known: a permutation leaves it as it is.
  uint64_t weight() const;
  bool operator==(const Knowledge &other) const { return nil == other.nil && held == other.held; }
  bool operator!=(const Knowledge &other) const { return !(*this == other); }

private:
  void add(unsigned row, uint32_t word, uint64_t mask) {
    mask &= ~nil[word];
    if (!mask)
      return;
    held[std::size_t(row) * words + word] |= mask;
    used[std::size_t(row) * usedWords + word / 64] |= 1ull << word % 64;
    holders[std::size_t(word) * holderWords + row / 64] |= 1ull << row % 64;
  }
  template <typename F> void forHolders(uint32_t word, F visit);
  template <typename F> void forUsed(unsigned row, F visit) const;

  unsigned rows = 0, words = 0, usedWords = 0, holderWords = 0;
  std::vector<uint64_t> held;    // by row, then word; never of facts without instances
  std::vector<uint64_t> nil;     // by word: facts without instances
  std::vector<uint64_t> used;    // by row: its words that may not be zero
  std::vector<uint64_t> holders; // by word: rows in which it may not be zero
};

} // namespace tsk::protocol
