// Clusters: who is who, arrivals at peers, loads into several CTAs, and what goes wrong at the
// ends.
#include "Harness.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <set>
#include <tuple>
#include <vector>

using namespace tsk;
using namespace tsk::sim::testing;

namespace {

constexpr unsigned barrier_offset = 0, tile_offset = 128;

// `arrivals` a phase, known to the whole cluster before `body` runs; the CTAs end together.
sim::outcome with_barriers(run_options options, unsigned arrivals,
                           std::function<void(mbarrier *)> body, bool ends_together = true) {
  return run_kernel(options, [=] {
    mbarrier *barrier = barrier_at(barrier_offset);
    if (block_thread() == 0)
      mbarrier_init(barrier, arrivals);
    cluster_sync();
    body(barrier);
    if (ends_together)
      cluster_sync();
  });
}

// Rows of sixteen numbers, each row's number in all of them.
struct rows {
  static constexpr int columns = 16;
  alignas(128) uint16_t data[16][columns];
  sim::tensor_map_data map;

  explicit rows(int box_rows) {
    for (int r = 0; r < 16; ++r)
      for (uint16_t &value : data[r])
        value = static_cast<uint16_t>(r);
    map.base = reinterpret_cast<unsigned char *>(data);
    map.rank = 2;
    map.element_bytes = 2;
    map.extents[0] = columns;
    map.extents[1] = 16;
    map.strides[1] = columns * 2;
    map.box[0] = columns;
    map.box[1] = static_cast<uint32_t>(box_rows);
  }
  void load_to(unsigned ranks, int row, unsigned offset) const {
    const int32_t coordinates[] = {0, row};
    sim::tma_load_multicast(map, dynamic_smem() + offset, barrier_at(barrier_offset), ranks,
                            coordinates, 2, {});
  }
};

} // namespace

TEST_CASE("CTAs of a cluster know their place") {
  std::set<std::tuple<int, int, int, int>> seen;
  CHECK_RUNS(run_kernel({.grid = 8, .cluster = {4, 1, 1}}, [&] {
    seen.insert({block_x(), cluster_index(), cta_rank(), cta_rank_x()});
    CHECK(cluster_count() == 2);
    CHECK(cluster<4, 1, 1>::peers<1>() == 15u);
  }));
  CHECK(seen.size() == 8);
  for (const auto &[block, index, rank, x] : seen) {
    CHECK(block == 4 * index + rank);
    CHECK(rank == x);
  }
}

TEST_CASE("lines of a cluster of several dimensions") {
  sim::launch_shape shape;
  shape.grid = {4, 6, 2};
  shape.cluster = {2, 3, 1};
  shape.block = {1, 1, 1};
  std::set<int> ranks;
  std::function<void()> body = [&] {
    using shape_of = cluster<2, 3, 1>;
    const int x = block_x() % 2, y = block_y() % 3, rank = x + 2 * y;
    ranks.insert(rank);
    CHECK(cta_rank() == rank);
    CHECK(shape_of::place<0>() == x);
    CHECK(shape_of::place<1>() == y);
    CHECK(shape_of::peers<1>() == 3u << 2 * y);
    CHECK(shape_of::peers<2>() == (1u << x | 4u << x | 16u << x));
    CHECK(shape_of::peers<3>() == (3u << 2 * y | 1u << x | 4u << x | 16u << x));
    CHECK(cluster_index() == block_x() / 2);
  };
  CHECK_RUNS(sim::run(shape, [](void *f) { (*static_cast<std::function<void()> *>(f))(); }, &body));
  CHECK(ranks.size() == 6);
}

TEST_CASE("a grid is made of whole clusters, of a size that there is") {
  CHECK_FAULT(run_kernel({.grid = 3, .cluster = {2, 1, 1}}, [] {}),
              "a grid of 3 x 1 x 1 CTAs is not made of clusters of 2 x 1 x 1");
  CHECK_FAULT(run_kernel({.grid = 16, .cluster = {16, 1, 1}}, [] {}),
              "16 CTAs a cluster, the limit is 8");
}

TEST_CASE("arrivals of all CTAs of a cluster complete each one's phase") {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    std::vector<int> arrived(3);
    bool ordered = true;
    CHECK_RUNS(with_barriers({.grid = 6, .seed = seed, .cluster = {3, 1, 1}}, 3, [&](mbarrier *b) {
      for (int phase = 0; phase < 4; ++phase) {
        if (block_thread() == 0 && cluster_index() == 0)
          ++arrived[static_cast<size_t>(cta_rank())];
        warp_sync();
        mbarrier_arrive_at(b, cluster<3, 1, 1>::peers<1>());
        mbarrier_wait(b, phase % 2);
        for (int count : arrived)
          ordered &= cluster_index() != 0 || count > phase;
        warp_sync();
      }
    }));
    CHECK(ordered);
  }
  CHECK_RUNS(with_barriers({.grid = 2, .threads = 1, .cluster = {2, 1, 1}}, 2, [](mbarrier *b) {
    mbarrier_arrive_at_each(b, 3);
    mbarrier_wait(b, 0);
  }));
}

TEST_CASE("each CTA loads a slice into all, and waits for all of them") {
  const rows source(4);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    int wrong = 0;
    CHECK_RUNS(with_barriers({.grid = 4, .seed = seed, .cluster = {2, 1, 1}}, 1, [&](mbarrier *b) {
      constexpr unsigned slice = 4 * rows::columns * 2;
      if (block_thread() == 0) {
        mbarrier_arrive_expect_tx(b, 2 * slice);
        const int first = 8 * cluster_index() + 4 * cta_rank();
        source.load_to(3, first, tile_offset + unsigned(cta_rank()) * slice);
      }
      mbarrier_wait(b, 0);
      for (int r = 0; r < 8; ++r) {
        uint16_t got = 0;
        std::memcpy(&got, dynamic_smem() + tile_offset + r * rows::columns * 2, 2);
        wrong += got != 8 * cluster_index() + r;
      }
    }));
    CHECK(wrong == 0);
  }
}

TEST_CASE("who does not wait for a peer's slice does not see it") {
  const rows source(8);
  int early = 0;
  CHECK_RUNS(with_barriers({.grid = 2, .cluster = {2, 1, 1}}, 1, [&](mbarrier *b) {
    if (block_thread() == 0) {
      mbarrier_arrive_expect_tx(b, 8 * rows::columns * 2);
      if (cta_rank() == 0)
        source.load_to(3, 0, tile_offset);
      cta_sync();
    } else {
      cta_sync();
    }
    if (block_thread() == 0 && cta_rank() == 0) {
      uint16_t got = 0;
      std::memcpy(&got, dynamic_smem() + tile_offset + 16, 2);
      early += got != sim::poison_pattern;
    }
    mbarrier_wait(b, 0);
  }));
  CHECK(early == 0);
}

TEST_CASE("a peer that has ended is not reached any more") {
  CHECK_FAULT(with_barriers(
                  {.grid = 2, .threads = 1, .cluster = {2, 1, 1}}, 1,
                  [](mbarrier *b) {
                    if (cta_rank() == 0)
                      return;
                    for (int i = 0; i < 100; ++i)
                      sim::pause({});
                    mbarrier_arrive_at_each(b, 1);
                  },
                  /*ends_together=*/false),
              "arrival on the CTA of rank 0 of the cluster, which has ended");
}

TEST_CASE("a load on its way to a CTA that ends is seen") {
  const rows source(4);
  CHECK_FAULT(with_barriers(
                  {.grid = 2, .threads = 1, .cluster = {2, 1, 1}}, 1,
                  [&](mbarrier *b) {
                    if (cta_rank() == 0)
                      return cluster_sync();
                    mbarrier_arrive_expect_tx(b, 4 * rows::columns * 2);
                    source.load_to(1, 0, tile_offset);
                    cluster_sync();
                  },
                  /*ends_together=*/false),
              "was still in flight when the CTA ended");
}

TEST_CASE("who reaches a peer before its barriers are there is told") {
  CHECK_FAULT(run_kernel({.grid = 2, .threads = 1, .cluster = {2, 1, 1}},
                         [] {
                           mbarrier *b = barrier_at(barrier_offset);
                           if (cta_rank() == 1)
                             cluster_sync();
                           mbarrier_init(b, 1);
                           mbarrier_arrive_at_each(b, 3);
                           cluster_sync();
                         }),
              "which is not initialised");
}

TEST_CASE("a barrier of the cluster waits for all that have not ended") {
  CHECK_RUNS(run_kernel({.grid = 2, .cluster = {2, 1, 1}}, [] {
    if (cta_rank() == 0 && block_thread() > 7)
      return;
    cluster_sync();
  }));
  CHECK_FAULT(with_barriers({.grid = 2, .threads = 1, .cluster = {2, 1, 1}}, 1,
                            [](mbarrier *b) {
                              if (cta_rank() == 0)
                                mbarrier_wait(b, 0);
                            }),
              "waiting in cluster_sync: 1 of 2 threads are there");
}
