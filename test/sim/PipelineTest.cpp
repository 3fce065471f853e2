// Whole kernels: right ones are bit-exact for every seed, and every planted fault is seen.
#include "Kernels.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <functional>
#include <string>
#include <vector>

using kernels::fault;

namespace {

enum class seen { right, wrong_data, reported };

template <typename T> struct buffers {
  int rows, cols;
  T *src, *dst;
  size_t bytes() const { return sizeof(T) * size_t(rows) * size_t(cols); }

  buffers(int r, int c) : rows(r), cols(c) {
    src = static_cast<T *>(std::aligned_alloc(256, (bytes() + 255) / 256 * 256));
    dst = static_cast<T *>(std::aligned_alloc(256, (bytes() + 255) / 256 * 256));
    auto *b = reinterpret_cast<unsigned char *>(src);
    for (size_t i = 0; i < bytes(); ++i) // no NaN, no poison: the top bits stay clear
      b[i] = static_cast<unsigned char>((i * 2654435761u >> 13) & 0x3F);
    tsk::sim::poison(dst, bytes());
  }
  ~buffers() {
    std::free(src);
    std::free(dst);
  }
  buffers(const buffers &) = delete;
  bool equal() const { return std::memcmp(src, dst, bytes()) == 0; }
};

template <typename T, int Stages, fault Planted = fault::none>
seen run(int rows, int cols, uint64_t seed, std::string *text = nullptr) {
  tsk::sim::current_settings() = {seed, 0, 20000};
  buffers<T> b(rows, cols);
  const tsk::status s = kernels::tma_copy<T, Stages, Planted>({b.src, b.dst, rows, cols});
  tsk::sim::current_settings() = {};
  if (text != nullptr && !s.ok())
    *text = s.message();
  return !s.ok() ? seen::reported : b.equal() ? seen::right : seen::wrong_data;
}

// How often each outcome came in 40 seeds.
struct outcomes {
  int right = 0, wrong_data = 0, reported = 0;
  std::vector<std::string> texts;
  bool said(const std::string &words) const {
    for (const std::string &t : texts)
      if (t.find(words) != std::string::npos)
        return true;
    return false;
  }
};

template <fault Planted, int Stages = 2> outcomes plant(int rows = 512) {
  outcomes all;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::string text;
    switch (run<int16_t, Stages, Planted>(rows, 128, seed, &text)) {
    case seen::right:
      ++all.right;
      break;
    case seen::wrong_data:
      ++all.wrong_data;
      break;
    case seen::reported:
      ++all.reported;
      all.texts.push_back(text);
      break;
    }
  }
  return all;
}

template <typename T> void check_shapes() {
  const int shapes[][2] = {{256, 512}, {64, 128}, {1024, 128}, {64, 4096}, {192, 640}, {640, 256}};
  for (const auto &shape : shapes)
    for (uint64_t seed : {0, 1, 2, 3, 4, 5}) {
      INFO(shape[0] << " x " << shape[1] << ", seed " << seed);
      CHECK((run<T, 1>(shape[0], shape[1], seed)) == seen::right);
      CHECK((run<T, 2>(shape[0], shape[1], seed)) == seen::right);
      CHECK((run<T, 4>(shape[0], shape[1], seed)) == seen::right);
      if constexpr (sizeof(T) == 2)
        CHECK((run<T, 8>(shape[0], shape[1], seed)) == seen::right);
    }
}

} // namespace

TEST_CASE("the TMA copy is bit-exact for each element type, stage count, shape and seed") {
  check_shapes<int16_t>();
  check_shapes<tsk::f16>();
  check_shapes<float>();
}

TEST_CASE("20 orders of a longer run") {
  for (uint64_t seed = 0; seed < 20; ++seed)
    CHECK((run<tsk::bf16, 4>(2048, 512, seed)) == seen::right);
}

TEST_CASE("rows that the box does not divide are written past the tensor, and that is found") {
  std::string text;
  CHECK((run<int16_t, 2>(100, 128, 0, &text)) == seen::reported);
  INFO(text);
  CHECK(text.find("(100, ") != std::string::npos);
  CHECK(text.find("index 0 is 100, the extents are 100 x 128") != std::string::npos);
  CHECK(text.find("of task Store (warp ") != std::string::npos);
  CHECK(text.find("CTA (0, 0, 0) of tma_copy") != std::string::npos);
  CHECK(text.find("Kernels.h:") != std::string::npos);
}

TEST_CASE("the grid-stride copy is bit-exact") {
  const int shapes[][2] = {{256, 512}, {1, 1}, {1, 257}, {7, 5}, {100, 333}, {3, 70000}};
  for (const auto &shape : shapes)
    for (uint64_t seed : {0, 1, 2}) {
      tsk::sim::current_settings() = {seed, 0, 20000};
      buffers<float> b(shape[0], shape[1]);
      CHECK(kernels::grid_stride<float, 4>(b.src, b.dst, b.rows, b.cols).ok());
      CHECK(b.equal());
    }
  tsk::sim::current_settings() = {};
}

TEST_CASE("a missing wait on the full barrier gives wrong data") {
  const outcomes all = plant<fault::no_full_wait>();
  CHECK(all.right == 0);
  CHECK(all.wrong_data + all.reported == 40);
  CHECK(all.wrong_data > 0);
}

TEST_CASE("a missing wait on the empty barrier is seen") {
  const outcomes all = plant<fault::no_empty_wait>();
  CHECK(all.right < 20);
  CHECK(all.wrong_data + all.reported > 20);
}

TEST_CASE("a wrong parity is seen") {
  CHECK(plant<fault::wrong_full_parity>().right == 0);
  // The producer waits for a release that only its own load could bring.
  const outcomes empty = plant<fault::wrong_empty_parity>();
  CHECK(empty.reported == 40);
  CHECK(empty.said("deadlock"));
  CHECK(empty.said("task Load (warp 4): 1 thread waiting for box.empty[0] (parity 0): its phase "
                   "misses 128 of 128 arrivals"));
  CHECK(empty.said("task Store (warps 0 .. 4): 128 threads waiting for box.full[0]"));
  CHECK(plant<fault::parity_never_flips>().right == 0);
}

TEST_CASE("a wrong arrival count is seen") {
  CHECK(plant<fault::count_too_small>().right < 20);
  const outcomes large = plant<fault::count_too_large>();
  CHECK(large.reported == 40);
  CHECK(large.said("its phase misses 1 of 129 arrivals"));
  const outcomes lanes = plant<fault::release_by_one_lane>();
  CHECK(lanes.reported == 40);
  CHECK(lanes.said("its phase misses 124 of 128 arrivals"));
}

TEST_CASE("a wrong byte count is seen") {
  CHECK(plant<fault::bytes_too_few>().right == 0);
  const outcomes many = plant<fault::bytes_too_many>();
  CHECK(many.reported == 40);
  CHECK(many.said("all arrivals of its phase are there and 16 transaction bytes"));
}

TEST_CASE("a release before the read is seen") {
  const outcomes all = plant<fault::release_before_read>();
  CHECK(all.right < 10);
  CHECK(all.wrong_data > 20);
}

TEST_CASE("barriers used before they are initialised are seen") {
  const outcomes all = plant<fault::no_init_sync>();
  CHECK(all.reported > 10);
  CHECK(all.said("which is not initialised"));
}

TEST_CASE("a launcher's checks come back as a status") {
  buffers<int16_t> b(64, 100);
  const tsk::status s = kernels::tma_copy<int16_t, 2, fault::none>({b.src, b.dst, 64, 100});
  CHECK_FALSE(s.ok());
  CHECK(s.message() == "tma_copy: requires cols % COLS == 0 (cols = 100, COLS = 128)");
}
