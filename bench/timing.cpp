// The table: medians over rounds in which every candidate runs once, in random order. Ratios are
// taken within a round, so that what changes between rounds (clocks, temperature) cancels.
#include "harness.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

namespace bench {

namespace {

constexpr int rounds = 41;
constexpr int launches = 5; // a measurement, about 5 ms
constexpr size_t bytes = size_t(2) << 30;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Milliseconds a launch, or a negative number.
double measure(const candidate &c, const void *src, void *dst, cudaEvent_t start,
               cudaEvent_t stop) {
  const int rows = 32768, cols = static_cast<int>(bytes / rows / c.element_bytes);
  cudaEventRecord(start);
  for (int i = 0; i < launches; ++i)
    if (const std::string error = c.run(src, dst, rows, cols, nullptr); !error.empty()) {
      std::printf("%s: %s\n", c.name.c_str(), error.c_str());
      return -1;
    }
  cudaEventRecord(stop);
  if (cudaEventSynchronize(stop) != cudaSuccess)
    return -1;
  float ms = 0;
  cudaEventElapsedTime(&ms, start, stop);
  return ms / launches;
}

struct statistics {
  double median, low, high; // 10th and 90th percentile
};

// Of time(base) / time(this), round by round.
statistics paired(const std::vector<double> &base, const std::vector<double> &own) {
  std::vector<double> ratios;
  for (size_t i = 0; i < own.size(); ++i)
    ratios.push_back(base[i] / own[i]);
  std::sort(ratios.begin(), ratios.end());
  const size_t tenth = ratios.size() / 10;
  return {ratios[ratios.size() / 2], ratios[tenth], ratios[ratios.size() - 1 - tenth]};
}

void print_table(const std::vector<candidate> &timed,
                 const std::map<std::string, std::vector<double>> &ms) {
  std::map<std::string, std::string> hand_of; // group -> the hand-written kernel
  for (const candidate &c : timed)
    if (!c.is_generated)
      hand_of[c.group] = c.name;
  const std::vector<double> &copy = ms.at("cudaMemcpyAsync");
  std::printf("| kernel | schedule | GB/s | of cudaMemcpyAsync | of the hand-written one |\n"
              "|---|---|---|---|---|\n");
  for (const candidate &c : timed) {
    const std::vector<double> &own = ms.at(c.name);
    const statistics r = paired(copy, own);
    std::printf("| %s | %s | %.0f | %.3f [%.3f, %.3f] |", c.name.c_str(), c.group.c_str(),
                2 * bytes / median(own) / 1e6, r.median, r.low, r.high);
    if (c.is_generated && hand_of.count(c.group)) {
      const statistics h = paired(ms.at(hand_of[c.group]), own);
      std::printf(" %.3f [%.3f, %.3f] |\n", h.median, h.low, h.high);
    } else {
      std::printf(" |\n");
    }
  }
}

} // namespace

int time_all(const std::vector<candidate> &candidates) {
  std::vector<candidate> timed;
  for (const candidate &c : candidates)
    if (c.is_timed)
      timed.push_back(c);
  void *src = nullptr, *dst = nullptr;
  if (cudaMalloc(&src, bytes) != cudaSuccess || cudaMalloc(&dst, bytes) != cudaSuccess) {
    std::printf("no memory for two matrices of 2 GiB\n");
    return 1;
  }
  std::vector<unsigned> noise(1 << 22); // random data: zeros can be faster
  std::mt19937 generator(1);
  for (unsigned &word : noise)
    word = generator();
  for (size_t at = 0; at < bytes; at += noise.size() * 4)
    cudaMemcpy(static_cast<char *>(src) + at, noise.data(), noise.size() * 4,
               cudaMemcpyHostToDevice);

  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::map<std::string, std::vector<double>> ms;
  for (int round = -3; round < rounds; ++round) { // three to warm up
    std::shuffle(timed.begin(), timed.end(), generator);
    for (const candidate &c : timed) {
      const double time = measure(c, src, dst, start, stop);
      if (time < 0)
        return 1;
      if (round >= 0)
        ms[c.name].push_back(time);
    }
  }
  std::sort(timed.begin(), timed.end(), [](const candidate &a, const candidate &b) {
    return std::make_pair(a.group, a.is_generated) < std::make_pair(b.group, b.is_generated);
  });
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  std::printf("%s, 2 GiB read and 2 GiB written, %d rounds of %d launches\n\n", properties.name,
              rounds, launches);
  print_table(timed, ms);
  cudaFree(src);
  cudaFree(dst);
  return 0;
}

} // namespace bench
