// Every candidate on many shapes, bit for bit against a host reference, with guards around the
// output.
#include "harness.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace bench {

namespace {

struct shape {
  int rows, cols;
};

constexpr size_t guard_bytes = 4096;
constexpr unsigned char poison = 0xA5;

bool succeeded(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return true;
  std::printf("%s: %s\n", what, cudaGetErrorString(error));
  return false;
}

// Random bits; another seed for each use.
void fill_random(unsigned char *bytes, size_t count, uint64_t seed) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  for (size_t i = 0; i < count; i += 8) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(bytes + i, &state, count - i < 8 ? count - i : 8);
  }
}

class checker {
public:
  explicit checker(size_t limit) : limit_(limit) {}
  ~checker() {
    cudaFree(src_);
    cudaFree(dst_);
    cudaFreeHost(expected_);
    cudaFreeHost(seen_);
  }

  bool allocate() {
    return succeeded(cudaMalloc(&src_, limit_), "cudaMalloc") &&
           succeeded(cudaMalloc(&dst_, limit_ + 2 * guard_bytes), "cudaMalloc") &&
           succeeded(cudaMallocHost(&expected_, limit_), "cudaMallocHost") &&
           succeeded(cudaMallocHost(&seen_, limit_ + 2 * guard_bytes), "cudaMallocHost");
  }

  bool copies(const candidate &c, shape s) {
    const size_t bytes = size_t(s.rows) * s.cols * c.element_bytes;
    prepare(bytes);
    if (!succeeded(cudaMemset(dst_, poison, bytes + 2 * guard_bytes), "cudaMemset"))
      return false;
    const std::string error = c.run(src_, dst_ + guard_bytes, s.rows, s.cols, nullptr);
    if (!error.empty()) {
      std::printf("  %s, %d x %d: %s\n", c.name.c_str(), s.rows, s.cols, error.c_str());
      return false;
    }
    if (!succeeded(cudaDeviceSynchronize(), c.name.c_str()) ||
        !succeeded(cudaMemcpy(seen_, dst_, bytes + 2 * guard_bytes, cudaMemcpyDeviceToHost),
                   c.name.c_str()))
      return false;
    const bool is_equal = std::memcmp(seen_ + guard_bytes, expected_, bytes) == 0;
    const bool is_tidy = is_poison(seen_) && is_poison(seen_ + guard_bytes + bytes);
    if (!is_equal || !is_tidy)
      std::printf("  %s, %d x %d: %s\n", c.name.c_str(), s.rows, s.cols,
                  is_equal ? "wrote beyond the output" : "differs from the source");
    return is_equal && is_tidy;
  }

private:
  // New random data, unless the last shape had as many bytes.
  void prepare(size_t bytes) {
    if (bytes == prepared_)
      return;
    fill_random(expected_, bytes, ++seed_);
    cudaMemcpy(src_, expected_, bytes, cudaMemcpyHostToDevice);
    prepared_ = bytes;
  }

  static bool is_poison(const unsigned char *bytes) {
    for (size_t i = 0; i < guard_bytes; ++i)
      if (bytes[i] != poison)
        return false;
    return true;
  }

  size_t limit_, prepared_ = 0;
  uint64_t seed_ = 0;
  unsigned char *src_ = nullptr, *dst_ = nullptr, *expected_ = nullptr, *seen_ = nullptr;
};

std::vector<shape> shapes(bool with_large) {
  std::vector<shape> list = {
      {256, 512},   // the tutorial's
      {1, 4096},    // one row
      {1, 7},       // less than a warp
      {3, 1000},    // ragged
      {64, 128},    // one tile of tma_copy
      {128, 64},    // one tile of copy_ws
      {128, 128},   // both
      {4096, 128},  // tall
      {128, 16384}, // wide
      {1920, 2048}, // more tiles than CTAs
      {37, 260},    // rows that are no multiple of anything
  };
  if (with_large)
    list.push_back({2048, 24576}); // 1536 tiles, far more than CTAs
  return list;
}

} // namespace

int check(const std::vector<candidate> &candidates, bool with_large) {
  constexpr size_t large = size_t(2) << 30;
  checker run(with_large ? large : size_t(64) << 20);
  if (!run.allocate())
    return 1;
  int passed = 0, failed = 0;
  const auto count = [&](bool ok) { ++(ok ? passed : failed); };
  for (const shape &s : shapes(with_large))
    for (const candidate &c : candidates)
      if (s.rows % c.row_multiple == 0 && s.cols % c.col_multiple == 0)
        count(run.copies(c, s));
  if (with_large)
    for (const candidate &c : candidates)
      count(run.copies(c, {32768, 65536 / c.element_bytes}));
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}

} // namespace bench
