#include "compiler/verify/protocol/Knowledge.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace tsk::protocol {

void Knowledge::reset(unsigned rowCount, unsigned wordCount) {
  rows = rowCount;
  words = wordCount;
  usedWords = (words + 63) / 64;
  holderWords = (rows + 63) / 64;
  held.assign(std::size_t(rows) * words, 0);
  nil.assign(words, ~0ull);
  used.assign(std::size_t(rows) * usedWords, 0);
  holders.assign(std::size_t(words) * holderWords, 0);
}

// `visit` may not change the summary.
template <typename F> void Knowledge::forHolders(uint32_t word, F visit) {
  uint64_t *summary = holders.data() + std::size_t(word) * holderWords;
  for (unsigned i = 0; i < holderWords; ++i)
    for (uint64_t left = summary[i]; left; left &= left - 1) {
      unsigned row = i * 64 + static_cast<unsigned>(std::countr_zero(left));
      uint64_t &at = held[std::size_t(row) * words + word];
      visit(row, at);
      if (at != 0)
        continue;
      summary[i] &= ~(1ull << row % 64);
      used[std::size_t(row) * usedWords + word / 64] &= ~(1ull << word % 64);
    }
}

template <typename F> void Knowledge::forUsed(unsigned row, F visit) const {
  const uint64_t *summary = used.data() + std::size_t(row) * usedWords;
  for (unsigned i = 0; i < usedWords; ++i)
    for (uint64_t left = summary[i]; left; left &= left - 1)
      visit(i * 64 + static_cast<uint32_t>(std::countr_zero(left)));
}

void Knowledge::renew(Column column) {
  uint32_t word = static_cast<uint32_t>(column) / 64;
  uint64_t bit = 1ull << column % 64;
  if (nil[word] & bit) // nobody holds it
    nil[word] &= ~bit;
  else
    forHolders(word, [&](unsigned, uint64_t &at) { at &= ~bit; });
}

void Knowledge::retire(uint32_t word, uint64_t mask) {
  mask &= ~nil[word];
  if (!mask)
    return;
  nil[word] |= mask;
  forHolders(word, [&](unsigned, uint64_t &at) { at &= ~mask; });
}

void Knowledge::move(const Bits &from, const Bits &to) {
  for (uint32_t i = 0, n = from.words(); i < n; ++i) {
    uint32_t source = from.word + i, target = to.word + i;
    uint64_t mask = to.mask(i), taken = from.mask(i);
    uint32_t down = i == 0 ? from.shift : 0, up = i == 0 ? to.shift : 0;
    nil[target] = (nil[target] & ~mask) | (nil[source] & taken) >> down << up;
    if (source != target)
      forHolders(target, [&](unsigned, uint64_t &at) { at &= ~mask; });
    forHolders(source, [&](unsigned row, uint64_t &at) {
      uint64_t value = (at & taken) >> down << up;
      if (source == target)
        at = (at & ~mask) | value;
      else if (value)
        add(row, target, value);
    });
  }
}

void Knowledge::join(unsigned into, unsigned from) {
  const uint64_t *source = held.data() + std::size_t(from) * words;
  forUsed(from, [&](uint32_t word) {
    if (source[word])
      add(into, word, source[word]);
  });
}

void Knowledge::clear(unsigned row) {
  uint64_t *at = held.data() + std::size_t(row) * words;
  forUsed(row, [&](uint32_t word) {
    at[word] = 0;
    holders[std::size_t(word) * holderWords + row / 64] &= ~(1ull << row % 64);
  });
  std::fill_n(used.begin() + std::size_t(row) * usedWords, usedWords, 0);
}

void Knowledge::copy(unsigned to, unsigned from) {
  clear(to);
  join(to, from);
}

WordMasks Knowledge::contents(unsigned row) const {
  WordMasks all;
  forUsed(row, [&](uint32_t word) {
    if (uint64_t value = held[std::size_t(row) * words + word])
      all.push_back({word, value});
  });
  return all;
}

void Knowledge::intersect(unsigned into, unsigned with) {
  uint64_t *at = held.data() + std::size_t(into) * words;
  const uint64_t *other = held.data() + std::size_t(with) * words;
  forUsed(into, [&](uint32_t word) { at[word] &= other[word]; });
}

Permutation::Permutation(const std::vector<std::pair<Bits, Bits>> &moves,
                         std::vector<unsigned> toRows)
    : rows(std::move(toRows)) {
  for (const auto &[from, to] : moves)
    for (uint32_t i = 0; i < from.words(); ++i) {
      int distance = i == 0 ? static_cast<int>(to.shift) - static_cast<int>(from.shift) : 0;
      transfers.push_back({from.word + i, to.word + i, distance, from.mask(i)});
    }
  auto place = [](const Transfer &one) { return std::tie(one.from, one.to, one.distance); };
  std::sort(transfers.begin(), transfers.end(),
            [&](const Transfer &a, const Transfer &b) { return place(a) < place(b); });
  size_t count = 0;
  for (const Transfer &one : transfers)
    if (count > 0 && place(transfers[count - 1]) == place(one))
      transfers[count - 1].mask |= one.mask;
    else
      transfers[count++] = one;
  transfers.resize(count, {});
  for (const Transfer &one : transfers) {
    const size_t words = std::max(one.from, one.to) + 1;
    if (begin.size() < words + 1)
      begin.resize(words + 1, 0);
    if (targets.size() < words)
      targets.resize(words, 0);
    ++begin[one.from + 1];
    targets[one.to] |= std::rotl(one.mask, one.distance);
  }
  for (size_t word = 1; word < begin.size(); ++word)
    begin[word] += begin[word - 1];
}

uint64_t Knowledge::weight() const {
  auto count = [](const std::vector<uint64_t> &all) {
    uint64_t bits = 0;
    for (uint64_t each : all)
      bits += static_cast<uint64_t>(std::popcount(each));
    return bits;
  };
  return count(held) << 32 | count(nil);
}

void Knowledge::permute(const Permutation &by) {
  const std::vector<uint32_t> &begin = by.begin;
  const auto moved = static_cast<uint32_t>(by.targets.size()); // words that take part
  // What a word of a row held, put where it goes.
  auto spread = [&](uint32_t word, uint64_t value, auto put) {
    for (uint32_t i = begin[word]; i < begin[word + 1]; ++i)
      if (uint64_t taken = value & by.transfers[i].mask)
        put(by.transfers[i].to, std::rotl(taken, by.transfers[i].distance));
  };
  // Kept from call to call: this is done for every state that is compared.
  static thread_local std::vector<uint64_t> oldNil, before, oldUsed;
  oldNil = nil;
  for (uint32_t word = 0; word < moved; ++word)
    nil[word] &= ~by.targets[word];
  for (uint32_t word = 0; word < moved; ++word)
    spread(word, oldNil[word], [&](uint32_t to, uint64_t value) { nil[to] |= value; });
  before.swap(held);
  held.assign(before.size(), 0);
  oldUsed.swap(used);
  used.assign(oldUsed.size(), 0);
  std::fill(holders.begin(), holders.end(), 0);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned i = 0; i < usedWords; ++i)
      for (uint64_t left = oldUsed[std::size_t(row) * usedWords + i]; left; left &= left - 1) {
        const uint32_t word = i * 64 + static_cast<uint32_t>(std::countr_zero(left));
        const uint64_t value = before[std::size_t(row) * words + word];
        const unsigned to = by.rows[row];
        add(to, word, word < moved ? value & ~by.targets[word] : value);
        if (word < moved)
          spread(word, value, [&](uint32_t at, uint64_t taken) { add(to, at, taken); });
      }
}

bool Knowledge::meet(const Knowledge &other) {
  bool isLess = false;
  std::vector<uint64_t> mine = nil;
  for (uint32_t word = 0; word < words; ++word) {
    isLess |= (nil[word] & ~other.nil[word]) != 0;
    nil[word] &= other.nil[word];
  }
  for (unsigned row = 0; row < rows; ++row)
    for (uint32_t word = 0; word < words; ++word) {
      uint64_t &at = held[std::size_t(row) * words + word];
      uint64_t old = at | mine[word];
      uint64_t met = old & other.value(row, word);
      isLess |= met != old;
      at = 0;
      add(row, word, met);
    }
  return isLess;
}

} // namespace tsk::protocol
