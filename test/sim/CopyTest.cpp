// The copy engine: boxes, what lies outside, swizzles, stores, against a reference that computes
// each element's place by itself.
#include "Harness.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <vector>

using namespace tsk;
using namespace tsk::sim::testing;

namespace {

struct random_numbers {
  uint64_t state;
  int below(int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state >> 33) % static_cast<uint64_t>(n));
  }
};

// A tensor of 16-bit numbers, dimensions outermost first, rows padded to a multiple of 16 bytes.
struct test_tensor {
  std::vector<int> dims;
  std::vector<int64_t> strides; // elements
  uint16_t *data = nullptr;
  int64_t count = 0;

  explicit test_tensor(std::vector<int> extents) : dims(std::move(extents)), strides(dims.size()) {
    int64_t pitch = 1;
    for (size_t d = dims.size(); d-- > 0;) {
      strides[d] = pitch;
      pitch = (pitch * dims[d] + 7) / 8 * 8;
    }
    count = pitch;
    data = static_cast<uint16_t *>(std::aligned_alloc(128, (size_t(count) * 2 + 127) / 128 * 128));
    for (int64_t i = 0; i < count; ++i)
      data[i] = static_cast<uint16_t>(i * 7 + 1);
  }
  ~test_tensor() { std::free(data); }
  test_tensor(const test_tensor &) = delete;

  bool offset_of(const std::vector<int> &index, int64_t &offset) const {
    offset = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (index[d] < 0 || index[d] >= dims[d])
        return false;
      offset += index[d] * strides[d];
    }
    return true;
  }
};

sim::tensor_map_data map_of(const test_tensor &t, const std::vector<int> &box,
                            unsigned swizzle_bytes) {
  sim::tensor_map_data map;
  map.base = reinterpret_cast<unsigned char *>(t.data);
  map.rank = static_cast<unsigned>(t.dims.size());
  map.element_bytes = 2;
  map.swizzle_bytes = swizzle_bytes;
  for (size_t d = 0; d < t.dims.size(); ++d) {
    const size_t inner = t.dims.size() - 1 - d;
    map.extents[inner] = static_cast<uint64_t>(t.dims[d]);
    map.strides[inner] = static_cast<uint64_t>(t.strides[d]) * 2;
    map.box[inner] = static_cast<uint32_t>(box[d]);
  }
  return map;
}

// Calls f(index in the box, element's number in row-major order) for all elements of a box.
template <typename F> void for_each_element(const std::vector<int> &box, F f) {
  int count = 1;
  for (int extent : box)
    count *= extent;
  std::vector<int> index(box.size());
  for (int n = 0; n < count; ++n) {
    int rest = n;
    for (size_t d = box.size(); d-- > 0;) {
      index[d] = rest % box[d];
      rest /= box[d];
    }
    f(index, n);
  }
}

// Where the element stands in shared memory, by the patterns of the CUDA documentation: 16-byte
// chunks of a row of the span are exchanged by the row's number.
int place_of(int element, int row_elements, unsigned swizzle_bytes) {
  const int row = element / row_elements, byte = element % row_elements * 2;
  const int chunk = byte / 16;
  int moved = chunk;
  if (swizzle_bytes == 128)
    moved = chunk ^ (row % 8);
  if (swizzle_bytes == 64)
    moved = chunk ^ (row / 2 % 4);
  if (swizzle_bytes == 32)
    moved = chunk ^ (row / 4 % 2);
  return row * row_elements * 2 + moved * 16 + byte % 16;
}

std::vector<int> shifted(const std::vector<int> &index, const std::vector<int> &origin) {
  std::vector<int> sum(index);
  for (size_t d = 0; d < sum.size(); ++d)
    sum[d] += origin[d];
  return sum;
}

std::vector<int32_t> inner_first(const std::vector<int> &origin) {
  return {origin.rbegin(), origin.rend()};
}

constexpr unsigned barrier_offset = 0, tile_offset = 1024;

// Loads one box, checks every element; and that nothing of it was there before the wait.
void check_load(const test_tensor &t, const std::vector<int> &box, const std::vector<int> &origin,
                unsigned swizzle_bytes, uint64_t seed) {
  const auto map = map_of(t, box, swizzle_bytes);
  REQUIRE(sim::tensor_map_fault(map) == "");
  const unsigned bytes = sim::box_bytes(map);
  int wrong = 0, early = 0;
  const auto result = run_kernel({.shared_bytes = tile_offset + bytes, .seed = seed}, [&] {
    if (block_thread() != 0)
      return;
    mbarrier *barrier = barrier_at(barrier_offset);
    unsigned char *tile = dynamic_smem() + tile_offset;
    mbarrier_init(barrier, 1);
    mbarrier_arrive_expect_tx(barrier, bytes);
    sim::tma_load(map, tile, barrier, inner_first(origin).data(), map.rank, {});
    uint16_t first = 0;
    std::memcpy(&first, tile, 2);
    early += seed == 0 && first != sim::poison_pattern;
    mbarrier_wait(barrier, 0);
    for_each_element(box, [&](const std::vector<int> &index, int n) {
      uint16_t got = 0;
      std::memcpy(&got, tile + place_of(n, box.back(), swizzle_bytes), 2);
      int64_t offset = 0;
      const bool inside = t.offset_of(shifted(index, origin), offset);
      wrong += got != (inside ? t.data[offset] : 0);
    });
  });
  CHECK_RUNS(result);
  CHECK(wrong == 0);
  CHECK(early == 0);
}

} // namespace

TEST_CASE("boxes of every rank, inside, across and outside of the tensor") {
  random_numbers random{42};
  for (int i = 0; i < 300; ++i) {
    const int rank = 1 + random.below(5);
    std::vector<int> dims, box, origin;
    for (int d = 0; d < rank; ++d) {
      dims.push_back(1 + random.below(d == rank - 1 ? 60 : 9));
      box.push_back(d == rank - 1 ? 8 * (1 + random.below(6)) : 1 + random.below(5));
      origin.push_back(random.below(dims[d] + box[d] + 6) - box[d] - 3);
    }
    check_load(test_tensor(dims), box, origin, 0, i % 7);
  }
}

TEST_CASE("swizzled boxes") {
  random_numbers random{7};
  for (int i = 0; i < 120; ++i) {
    const int span = 32 << random.below(3);
    const std::vector<int> dims{1 + random.below(40), 1 + random.below(100)};
    const std::vector<int> box{1 + random.below(33), span / 2};
    const std::vector<int> origin{random.below(dims[0] + 4) - 2, random.below(dims[1] + 4) - 2};
    check_load(test_tensor(dims), box, origin, static_cast<unsigned>(span), i % 5);
  }
}

TEST_CASE("a store writes what lies inside, and only when the source has been read") {
  random_numbers random{3};
  for (int i = 0; i < 100; ++i) {
    const int span = random.below(4) == 0 ? 0 : 32 << random.below(3);
    test_tensor t({3 + random.below(20), 5 + random.below(90)});
    const std::vector<uint16_t> before(t.data, t.data + t.count);
    const std::vector<int> box{1 + random.below(9), span == 0 ? 24 : span / 2};
    const std::vector<int> origin{random.below(t.dims[0] + 4) - 2, random.below(t.dims[1] + 4) - 2};
    const auto map = map_of(t, box, static_cast<unsigned>(span));
    const unsigned bytes = sim::box_bytes(map);
    CHECK_RUNS(run_kernel({.shared_bytes = tile_offset + bytes, .seed = uint64_t(i % 6)}, [&] {
      if (block_thread() != 0)
        return;
      unsigned char *tile = dynamic_smem() + tile_offset;
      for_each_element(box, [&](const std::vector<int> &, int n) {
        const auto number = static_cast<uint16_t>(50000 + n);
        std::memcpy(tile + place_of(n, box.back(), static_cast<unsigned>(span)), &number, 2);
      });
      sim::tma_store(map, tile, inner_first(origin).data(), map.rank, {});
      sim::bulk_commit({});
      sim::bulk_wait(0, true, {});
      sim::poison(tile, bytes); // its bytes are free now
    }));
    std::vector<uint16_t> want = before;
    for_each_element(box, [&](const std::vector<int> &index, int n) {
      int64_t offset = 0;
      if (t.offset_of(shifted(index, origin), offset))
        want[static_cast<size_t>(offset)] = static_cast<uint16_t>(50000 + n);
    });
    CHECK(std::memcmp(want.data(), t.data, want.size() * 2) == 0);
  }
}

TEST_CASE("bulk groups are waited for all but the newest") {
  test_tensor t({8, 64});
  const auto map = map_of(t, {1, 64}, 0);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    int wrong = 0;
    for (int64_t i = 0; i < t.count; ++i)
      t.data[i] = 0;
    CHECK_RUNS(run_kernel({.shared_bytes = 8 * 128, .seed = seed}, [&] {
      if (block_thread() != 0)
        return;
      for (int row = 0; row < 8; ++row) {
        const uint16_t number = 1000;
        for (int i = 0; i < 64; ++i)
          std::memcpy(dynamic_smem() + row * 128 + i * 2, &number, 2);
        const int32_t at[] = {0, row};
        sim::tma_store(map, dynamic_smem() + row * 128, at, 2, {});
        sim::bulk_commit({});
        sim::bulk_wait(2, false, {});
        for (int done = 0; done + 2 <= row; ++done) // all but the newest two are in memory
          wrong += t.data[done * t.strides[0]] != 1000 && done + 2 < row + 1;
      }
      sim::bulk_wait(0, true, {});
    }));
    CHECK(wrong == 0);
    for (int row = 0; row < 8; ++row)
      CHECK(t.data[row * t.strides[0] + 63] == 1000);
  }
}

TEST_CASE("faults of copies") {
  test_tensor t({64, 64});
  const auto map = map_of(t, {8, 64}, 0);
  const int32_t at[] = {0, 0};
  const auto load = [&](unsigned offset, unsigned rank, bool wait) {
    return run_kernel({.shared_bytes = 4096}, [=] {
      if (block_thread() != 0)
        return;
      mbarrier_init(barrier_at(0), 1);
      mbarrier_arrive_expect_tx(barrier_at(0), 1024);
      sim::tma_load(map, dynamic_smem() + offset, barrier_at(0), at, rank, {"there.tsk", 7});
      if (wait)
        mbarrier_wait(barrier_at(0), 0);
    });
  };
  CHECK_RUNS(load(1024, 2, true));
  CHECK_FAULT(load(1040, 2, true), "offset 1040 of shared memory is not a multiple of 128");
  CHECK_FAULT(load(3200, 2, true), "outside the CTA's 4096 bytes of dynamic shared memory");
  CHECK_FAULT(load(1024, 3, true), "tma_load with 3 coordinates of a tensor map of rank 2");
  CHECK_FAULT(load(1024, 2, false), "was still in flight when the CTA ended");
  CHECK_FAULT(load(1024, 2, false), "at there.tsk:7");
  CHECK_FAULT(run_kernel({.shared_bytes = 4096},
                         [=] {
                           if (block_thread() == 0)
                             sim::tma_load(map, dynamic_smem(), barrier_at(2048), at, 2, {});
                         }),
              "tma_load on the mbarrier at offset 2048 of shared memory, which is not initialised");
}

TEST_CASE("bytes that nobody expected are found") {
  test_tensor t({64, 64});
  const auto map = map_of(t, {8, 64}, 0);
  int in_flight = 0, unexpected = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto result = run_kernel({.shared_bytes = 4096, .seed = seed}, [=] {
      if (block_thread() != 0)
        return;
      const int32_t at[] = {0, 0};
      mbarrier_init(barrier_at(0), 1);
      mbarrier_arrive_expect_tx(barrier_at(0), 512); // half of the box
      sim::tma_load(map, dynamic_smem() + 1024, barrier_at(0), at, 2, {});
      mbarrier_wait(barrier_at(0), 0);
    });
    CHECK_FALSE(result.ok);
    in_flight += contains(result.text, "was still in flight when the CTA ended");
    unexpected += contains(result.text, "ended with 512 transaction bytes that nobody expected");
  }
  CHECK(in_flight > 0);
  CHECK(unexpected > 0);
  CHECK(in_flight + unexpected == 40);
}

TEST_CASE("tensor maps that the hardware refuses") {
  test_tensor t({64, 64});
  const auto good = map_of(t, {8, 64}, 0);
  CHECK(sim::tensor_map_fault(good) == "");
  const auto why = [&](auto change) {
    auto map = good;
    change(map);
    return sim::tensor_map_fault(map);
  };
  CHECK(contains(why([](auto &m) { m.base = nullptr; }), "null"));
  CHECK(contains(why([](auto &m) { m.base += 8; }), "not a multiple of 16"));
  CHECK(contains(why([](auto &m) { m.strides[1] = 120; }), "not a multiple of 16"));
  CHECK(contains(why([](auto &m) { m.box[1] = 257; }), "not in 1 .. 256"));
  CHECK(contains(why([](auto &m) { m.box[0] = 4; }), "8 bytes, not a multiple of 16"));
  CHECK(contains(why([](auto &m) { m.swizzle_bytes = 64; }), "64B swizzle"));
  CHECK(contains(why([](auto &m) { m.extents[1] = 0; }), "not in 1 .. 2^32"));
  CHECK(contains(why([](auto &m) { m.rank = 6; }), "rank 6"));
}
