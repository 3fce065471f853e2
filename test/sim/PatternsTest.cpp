// What warp instructions cost, against the rules spelled out another way.
#include "runtime/sim/machine/counting/patterns.h"

#include <catch2/catch.hpp>

#include <functional>
#include <map>
#include <random>
#include <set>

using namespace tsk::sim;

namespace {

warp_access access(unsigned bytes, const std::function<uint64_t(unsigned)> &address) {
  warp_access made;
  made.mask = ~0u;
  made.bytes = bytes;
  for (unsigned lane = 0; lane < 32; ++lane)
    made.addresses[lane] = address(lane);
  return made;
}

unsigned wavefronts(unsigned bytes, const std::function<uint64_t(unsigned)> &address) {
  return cost_of_shared(access(bytes, address)).wavefronts;
}

// ldmatrix.x4 of a 16 x 16 tile: each lane gives the address of a row of 16 bytes.
unsigned ldmatrix(bool is_swizzled) {
  return wavefronts(16, [=](unsigned lane) {
    const unsigned row = lane / 8 % 2 * 8 + lane % 8, column = lane / 16 * 8;
    const unsigned place = row * 128 + column * 2; // rows of 64 halves
    return is_swizzled ? place ^ (row % 8 * 16) : place;
  });
}

// The number of a phase: two that are one have that of the first.
unsigned phase_of(const warp_access &access, unsigned phases, unsigned lane) {
  const unsigned lanes = 32 / phases, phase = lane / lanes;
  unsigned neighbours = 0;
  for (unsigned bit : {1u, 2u}) {
    bool equal = phases > 1;
    for (unsigned l = phase / 2 * 2 * lanes; equal && l < (phase / 2 * 2 + 2) * lanes; ++l)
      equal = (access.mask >> l & access.mask >> (l ^ bit) & 1) == 0 ||
              access.addresses[l] == access.addresses[l ^ bit];
    neighbours += equal;
  }
  const bool is_one = access.is_store ? neighbours == 1 : neighbours > 0;
  return is_one ? phase / 2 * 2 : phase;
}

} // namespace

TEST_CASE("wavefronts of shared memory") {
  CHECK(wavefronts(4, [](unsigned lane) { return lane * 4; }) == 1);
  CHECK(wavefronts(16, [](unsigned lane) { return lane * 16; }) == 4);
  CHECK(wavefronts(8, [](unsigned lane) { return lane * 8; }) == 2);
  CHECK(wavefronts(4, [](unsigned lane) { return lane * 32 * 4; }) == 32);
  CHECK(wavefronts(4, [](unsigned lane) { return lane * 2 * 4; }) == 2);
  CHECK(wavefronts(4, [](unsigned) { return 64; }) == 1);
  for (const auto &[stride, ways] : {std::pair(32, 32), {16, 16}, {33, 1}})
    CHECK(wavefronts(4, [=](unsigned lane) { return lane * stride * 4; }) == unsigned(ways));
  // All lanes, or pairs of neighbours, ask for one place: two phases are one, measured on an H200.
  CHECK(wavefronts(8, [](unsigned) { return 64; }) == 1);
  CHECK(wavefronts(16, [](unsigned) { return 64; }) == 2);
  CHECK(wavefronts(16, [](unsigned lane) { return lane / 2 * 16; }) == 2);
  CHECK(wavefronts(8, [](unsigned lane) { return (lane / 4 * 2 + lane % 2) * 8; }) == 1);
  CHECK(wavefronts(8, [](unsigned lane) { return (lane & ~4u) * 8; }) == 2);
  warp_access store = access(16, [](unsigned) { return 64; });
  store.is_store = true;
  CHECK(cost_of_shared(store).wavefronts == 4);
  // Two halves of one word are one word.
  CHECK(wavefronts(2, [](unsigned lane) { return lane * 2; }) == 1);
  CHECK(wavefronts(2, [](unsigned lane) { return lane * 66; }) == 1);
}

TEST_CASE("ldmatrix on rows of 64 halves") {
  CHECK(ldmatrix(false) == 32);
  CHECK(ldmatrix(true) == 4);
}

TEST_CASE("lines and sectors of global memory") {
  const global_cost row = cost_of_global(access(4, [](unsigned lane) { return lane * 4; }));
  CHECK(row.lines == 1);
  CHECK(row.sectors == 4);
  const global_cost column = cost_of_global(access(4, [](unsigned lane) { return lane * 4096; }));
  CHECK(column.lines == 32);
  CHECK(column.sectors == 32);
  const global_cost vectors = cost_of_global(access(16, [](unsigned lane) { return lane * 16; }));
  CHECK(vectors.lines == 4);
  CHECK(vectors.sectors == 16);
  const global_cost across = cost_of_global(access(4, [](unsigned lane) { return 64 + lane * 4; }));
  CHECK(across.lines == 2);
}

TEST_CASE("any accesses cost what the rules say") {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    warp_access made;
    made.bytes = 1u << random() % 5;
    made.is_store = random() % 2 == 0;
    made.mask = random() % 4 == 0 ? static_cast<uint32_t>(random()) | 1u : ~0u;
    const unsigned spread = 1u << random() % 14;
    const unsigned same = 1u << random() % 6; // lanes whose numbers differ there ask for one place
    for (unsigned lane = 0; lane < 32; ++lane)
      made.addresses[lane] =
          (lane & same) != 0 ? made.addresses[lane & ~same] : random() % spread * made.bytes;
    const unsigned phases = made.bytes <= 4 ? 1 : made.bytes / 4;
    std::map<std::pair<unsigned, unsigned>, std::set<uint64_t>> words; // of a phase and bank
    std::set<uint64_t> lines, sectors;
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned byte = 0; (made.mask >> lane & 1) != 0 && byte < made.bytes; ++byte) {
        const uint64_t address = made.addresses[lane] + byte;
        words[{phase_of(made, phases, lane), address / 4 % 32}].insert(address / 4);
        lines.insert(address / 128);
        sectors.insert(address / 32);
      }
    unsigned wanted = 0;
    for (unsigned phase = 0; phase < phases; ++phase) {
      size_t most = 0;
      for (const auto &[where, different] : words)
        if (where.first == phase)
          most = std::max(most, different.size());
      wanted += static_cast<unsigned>(most);
    }
    CHECK(cost_of_shared(made).wavefronts == wanted);
    CHECK(cost_of_global(made).lines == lines.size());
    CHECK(cost_of_global(made).sectors == sectors.size());
  }
}
