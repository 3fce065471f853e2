// Asynchronous copies in flight. Each is cut into pieces that complete one by one, in an order that
// the seed decides, so that a missing wait shows as wrong data.
#pragma once

#include "cta.h"
#include "random.h"
#include "tsk/sim/tensor_map.h"

#include <memory>
#include <vector>

namespace tsk::sim {

class machine;

struct transfer {
  bool is_store = false;
  tensor_map_data map;
  int64_t origin[tensor_map_data::max_rank] = {}; // innermost first
  unsigned char *shared = nullptr;
  uint32_t shared_offset = 0;
  mbarrier_state *barrier = nullptr;
  thread *issuer = nullptr;
  cta *block = nullptr;
  place at;
  uint32_t rows = 0;     // of the box, each contiguous in shared memory
  uint32_t next_row = 0; // those below it are done
  uint32_t rows_a_piece = 1;
  std::vector<unsigned char> taken; // a store's bytes once they have been read
  std::shared_ptr<bulk_group> group;
};

class transfer_list {
public:
  bool any() const { return !items.empty(); }
  void add(std::unique_ptr<transfer> item) { items.push_back(std::move(item)); }
  // Completes a piece of one: the oldest in order zero, else any.
  void step(machine &m, bool oldest);
  // The CTA has ended; stores that have left its shared memory go on without it.
  void forget_issuers(const cta &block);
  const std::vector<std::unique_ptr<transfer>> &all() const { return items; }

private:
  std::vector<std::unique_ptr<transfer>> items; // in the order of issue
};

} // namespace tsk::sim
