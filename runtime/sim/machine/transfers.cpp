#include "transfers.h"

#include "machine.h"
#include "text.h"

#include <algorithm>
#include <bit>

namespace tsk::sim {

namespace {

constexpr uint32_t pieces_a_copy = 4;

bool group_is_done(const bulk_group &group, bool read_only) {
  return group.unread == 0 && (read_only || group.unwritten == 0);
}

bool bulk_wait_is_over(const thread &t, unsigned newest, bool read_only) {
  for (size_t i = 0; i + newest < t.groups.size(); ++i)
    if (!group_is_done(*t.groups[i], read_only))
      return false;
  return true;
}

constexpr const char *read_wait = "bulk groups to be read";
constexpr const char *write_wait = "bulk groups to be complete";

// Builds what loads and stores have in common; faults on what the hardware would fault on.
std::unique_ptr<transfer> prepare(thread &t, const tensor_map_data &map, unsigned char *shared,
                                  const int32_t *coordinates, unsigned rank, const char *what,
                                  place at) {
  cta &block = *t.block;
  machine &m = *block.owner;
  if (rank != map.rank)
    m.fault(t, cat(what, " with ", rank, " coordinates of a tensor map of rank ", map.rank), at);
  if (shared < block.shared || shared + box_bytes(map) > block.shared + block.shared_bytes)
    m.fault(t,
            cat(what, " of a box of ", box_bytes(map), " bytes outside the CTA's ",
                block.shared_bytes, " bytes of dynamic shared memory"),
            at);
  const auto offset = static_cast<uint32_t>(shared - block.shared);
  if (offset % 128 != 0)
    m.fault(t, cat(what, ": offset ", offset, " of shared memory is not a multiple of 128"), at);
  auto item = std::make_unique<transfer>();
  item->map = map;
  std::copy(coordinates, coordinates + rank, item->origin);
  item->shared = block.shared + offset;
  item->shared_offset = offset;
  item->issuer = &t;
  item->block = &block;
  item->at = at;
  item->rows = row_count(map);
  item->rows_a_piece = std::max<uint32_t>(1, (item->rows + pieces_a_copy - 1) / pieces_a_copy);
  return item;
}

void step_load(machine &m, transfer &item) {
  const uint32_t end = std::min(item.rows, item.next_row + item.rows_a_piece);
  const uint32_t bytes = (end - item.next_row) * row_bytes(item.map);
  for (; item.next_row < end; ++item.next_row)
    load_row(item.map, item.origin, item.next_row, item.block->shared, item.shared_offset);
  complete_bytes(m, *item.block, *item.barrier, bytes);
}

void step_store(transfer &item) {
  const uint32_t bytes = row_bytes(item.map);
  if (item.taken.empty()) { // the source is read in one step, then written in several
    item.taken.resize(size_t{bytes} * item.rows);
    for (uint32_t row = 0; row < item.rows; ++row)
      take_row(item.map, row, item.block->shared, item.shared_offset,
               item.taken.data() + size_t{row} * bytes);
    --item.group->unread;
  } else {
    const uint32_t end = std::min(item.rows, item.next_row + item.rows_a_piece);
    for (; item.next_row < end; ++item.next_row)
      store_row(item.map, item.origin, item.next_row,
                item.taken.data() + size_t{item.next_row} * bytes);
    if (end == item.rows)
      --item.group->unwritten;
  }
  if (item.issuer != nullptr)
    recheck_bulk_wait(*item.issuer);
}

} // namespace

void transfer_list::step(machine &m, bool oldest) {
  const size_t chosen = oldest ? 0 : m.random.below(items.size());
  transfer &item = *items[chosen];
  if (item.is_store)
    step_store(item);
  else
    step_load(m, item);
  if (item.next_row == item.rows)
    items.erase(items.begin() + static_cast<ptrdiff_t>(chosen));
}

void transfer_list::forget_issuers(const cta &block) {
  for (auto &item : items)
    if (item->issuer != nullptr && item->issuer->block == &block)
      item->issuer = nullptr;
}

void recheck_bulk_wait(thread &t) {
  if (t.wait.what != waiting::kind::bulk)
    return;
  if (bulk_wait_is_over(t, t.wait.number, t.wait.name == read_wait))
    t.block->owner->wake(t);
}

void tma_load(const tensor_map_data &map, void *shared, void *barrier, const int32_t *coordinates,
              unsigned rank, place at) {
  thread &t = self();
  machine &m = *t.block->owner;
  auto item =
      prepare(t, map, static_cast<unsigned char *>(shared), coordinates, rank, "tma_load", at);
  std::string why;
  item->barrier = find_mbarrier(*t.block, barrier, "tma_load", why);
  if (item->barrier == nullptr)
    m.fault(t, why, at);
  // Whoever reads before the copy has come sees neither the old data nor the new.
  poison(shared, box_bytes(map));
  t.last = at;
  count_event("tma_load", at, box_bytes(map));
  m.progress();
  m.transfers.add(std::move(item));
  m.maybe_yield(t);
}

void tma_load_multicast(const tensor_map_data &map, void *shared, void *barrier, unsigned ranks,
                        const int32_t *coordinates, unsigned rank, place at) {
  thread &t = self();
  machine &m = *t.block->owner;
  // What arrives in shared memory, in all CTAs together.
  count_event("tma_load_multicast", at,
              box_bytes(map) * static_cast<unsigned>(std::popcount(ranks)));
  for (unsigned to = 0; ranks >> to != 0; ++to) {
    if ((ranks >> to & 1) == 0)
      continue;
    // A copy to each: they arrive at different times.
    auto item = prepare(t, map, static_cast<unsigned char *>(shared), coordinates, rank,
                        "tma_load_multicast", at);
    std::string why;
    cta *peer = find_peer(*t.block, to, "tma_load_multicast", why);
    if (peer == nullptr)
      m.fault(t, why, at);
    item->block = peer;
    item->shared = peer->shared + item->shared_offset;
    item->barrier = find_mbarrier(
        *peer, peer->shared + (static_cast<unsigned char *>(barrier) - t.block->shared),
        "tma_load_multicast", why);
    if (item->barrier == nullptr)
      m.fault(t, why, at);
    poison(item->shared, box_bytes(map));
    m.transfers.add(std::move(item));
  }
  t.last = at;
  m.progress();
  m.maybe_yield(t);
}

void tma_store(const tensor_map_data &map, const void *shared, const int32_t *coordinates,
               unsigned rank, place at) {
  thread &t = self();
  machine &m = *t.block->owner;
  auto *source = const_cast<unsigned char *>(static_cast<const unsigned char *>(shared));
  auto item = prepare(t, map, source, coordinates, rank, "tma_store", at);
  item->is_store = true;
  if (t.open_group == nullptr)
    t.open_group = std::make_shared<bulk_group>();
  item->group = t.open_group;
  ++item->group->unread;
  ++item->group->unwritten;
  t.last = at;
  count_event("tma_store", at, box_bytes(map));
  m.progress();
  m.transfers.add(std::move(item));
  m.maybe_yield(t);
}

void bulk_commit(place at) {
  thread &t = self();
  t.last = at;
  t.groups.push_back(t.open_group != nullptr ? t.open_group : std::make_shared<bulk_group>());
  t.open_group = nullptr;
}

void bulk_wait(unsigned newest, bool read_only, place at) {
  thread &t = self();
  const bool must_wait = !bulk_wait_is_over(t, newest, read_only);
  count_event("bulk_wait", at, 0, must_wait);
  if (must_wait) {
    waiting wait;
    wait.what = waiting::kind::bulk;
    wait.at = at;
    wait.number = newest;
    wait.name = read_only ? read_wait : write_wait;
    t.block->owner->block(t, wait);
  }
  while (t.groups.size() > newest && group_is_done(*t.groups.front(), false))
    t.groups.pop_front();
}

} // namespace tsk::sim
