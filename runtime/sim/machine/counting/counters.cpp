#include "counters.h"

#include "../machine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace tsk::sim {

launch_counters::site_tables::site_tables() : known(tsk_sim_sites.access_count) {
  const program_sites &given = tsk_sim_sites;
  accesses.assign(given.accesses, given.accesses + known);
  size_t file_count = 0;
  for (const access_site &site : accesses)
    file_count = std::max(file_count, size_t{site.file} + 1);
  for (uint64_t i = 0; i < given.arithmetic_count; ++i)
    file_count = std::max(file_count, size_t{given.arithmetic[i].file} + 1);
  files.assign(given.files, given.files + file_count);
  files.push_back(""); // of sites that are not used
  accesses.resize(known + spare_sites, {static_cast<uint32_t>(file_count), 0, 0, 0, 0});
}

static program_sites with_tables(const std::vector<access_site> &accesses,
                                 const std::vector<const char *> &files) {
  program_sites all = tsk_sim_sites;
  all.accesses = accesses.data();
  all.access_count = accesses.size();
  all.files = files.data();
  return all;
}

launch_counters::launch_counters(machine &m)
    : sites(with_tables(tables.accesses, tables.files)), races(sites), owner(m), log(*this),
      task_count(m.names.task_count + 1), patterns(task_count * sites.access_count * ways),
      global(task_count * sites.access_count), shared(global.size()),
      blocks(task_count * sites.block_count) {}

launch_counters::~launch_counters() { tsk_sim_blocks = sites.host_blocks; }

void launch_counters::begin(const warp &w) {
  ++pass;
  running = &w;
  task = task_count - 1; // of warps that no task has
  for (size_t i = 0; i < owner.names.task_count; ++i) {
    const task_name &candidate = owner.names.tasks[i];
    if (w.index >= candidate.first_warp && w.index < candidate.first_warp + candidate.warps)
      task = i;
  }
  shared_begin = reinterpret_cast<uintptr_t>(w.block->shared);
  shared_bytes = w.block->shared_bytes;
  log.begin(w);
}

void launch_counters::lane_begins(thread &t) {
  log.lane_begins(t.lane);
  tsk_sim_context = t.loops;
  if (sites.block_count != 0)
    tsk_sim_blocks = &blocks[task * sites.block_count];
}

void launch_counters::lane_ends(thread &t) {
  log.lane_ends(t.lane);
  t.loops = tsk_sim_context;
  tsk_sim_blocks = sites.host_blocks;
}

void launch_counters::end() { log.end(); }

// ---- Patterns
// -----------------------------------------------------------------------------------

namespace {

constexpr unsigned line_bytes = 128;

unsigned first_lane(uint32_t mask) { return static_cast<unsigned>(std::countr_zero(mask)) & 31; }

bool matches(const access_pattern &slot, const access_row &row, uint32_t mask) {
  const uint64_t base = row[first_lane(mask)].where;
  const uint64_t context = row[first_lane(mask)].context;
  uint64_t different = 0;
  if (mask == full_mask) {
    for (unsigned lane = 0; lane < 32; ++lane)
      different |=
          ((row[lane].where - base) ^ slot.distances[lane]) | (row[lane].context ^ context);
    return different == 0;
  }
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = first_lane(lanes);
    different |= ((row[lane].where - base) ^ slot.distances[lane]) | (row[lane].context ^ context);
  }
  return different == 0;
}

} // namespace

access_pattern &launch_counters::slot_of(const access_row &row, uint32_t mask) {
  const logged_access &first = row[first_lane(mask)];
  const logged_access &last = row[(31 - std::countl_zero(mask)) & 31];
  const uint64_t spread = last.where - first.where;
  const auto way = static_cast<size_t>((spread ^ mask) * 0x9E3779B97F4A7C15u >> 62);
  static_assert(ways == 4);
  auto &slot = patterns[row_of(first.site()) * ways + way];
  if (slot == nullptr)
    slot = std::make_unique<access_pattern>();
  return *slot;
}

bool launch_counters::take_known(const access_row &row, uint32_t mask) {
  access_pattern &slot = slot_of(row, mask);
  const uint64_t base = row[first_lane(mask)].address();
  const unsigned at = base % line_bytes;
  if (slot.mask != mask || !slot.costs[at].is_known || slot.is_shared != is_shared(base) ||
      !matches(slot, row, mask))
    return false;
  ++slot.hits[at];
  follow(slot, row, mask);
  return true;
}

void launch_counters::take(const access_row &row, uint32_t mask) {
  access_pattern &slot = slot_of(row, mask);
  const logged_access &first = row[first_lane(mask)];
  if (slot.mask != mask || slot.is_shared != is_shared(first.address()) ||
      !matches(slot, row, mask)) {
    fold(slot, row_of(first.site()));
    slot = {};
    slot.mask = mask;
    slot.is_shared = is_shared(first.address());
    if (slot.is_shared)
      slot.sample = static_cast<uint32_t>(first.address() - shared_begin);
    for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
      const unsigned lane = first_lane(lanes);
      slot.distances[lane] = row[lane].where - first.where;
    }
  }
  const unsigned at = first.address() % line_bytes;
  if (!slot.costs[at].is_known)
    compute(slot, row, mask, at);
  ++slot.hits[at];
  follow(slot, row, mask);
}

void launch_counters::follow(const access_pattern &slot, const access_row &row, uint32_t mask) {
  const logged_access &first = row[first_lane(mask)];
  const bool is_store = sites.accesses[first.site()].is_store != 0;
  if (slot.is_shared && is_store)
    rounds.on_shared_store(*running);
  if (slot.is_shared)
    return check_races(row, mask);
  if (!is_store)
    rounds.on_load(*running, first.site(), first.address(),
                   row[(31 - std::countl_zero(mask)) & 31].address());
}

// CTAs of clusters also meet at barriers that are not followed here.
void launch_counters::check_races(const access_row &row, uint32_t mask) {
  if (owner.is_stopped() || running->block->peers->members.size() > 1)
    return;
  if (const std::optional<std::string> found = races.on_access(*running, row, mask))
    owner.stop(*found);
}

void launch_counters::compute(access_pattern &slot, const access_row &row, uint32_t mask,
                              unsigned at) const {
  warp_access access;
  access.mask = mask;
  const access_site &site = sites.accesses[row[first_lane(mask)].site()];
  access.bytes = site.bytes;
  access.is_store = site.is_store != 0;
  for (uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
    const unsigned lane = first_lane(lanes);
    access.addresses[lane] = row[lane].address();
  }
  auto &cost = slot.costs[at];
  cost.is_known = true;
  if (slot.is_shared) {
    const shared_cost found = cost_of_shared(access);
    cost.units = static_cast<uint16_t>(found.wavefronts);
    cost.other = static_cast<uint16_t>(found.without_conflicts);
  } else {
    const global_cost found = cost_of_global(access);
    cost.units = static_cast<uint16_t>(found.lines);
    cost.other = static_cast<uint16_t>(found.sectors);
  }
}

// Adds what a pattern has counted to the totals of its place.
void launch_counters::fold(access_pattern &slot, size_t row) {
  conflict found;
  for (unsigned at = 0; at < line_bytes; ++at) {
    const uint64_t hits = slot.hits[at];
    access_totals &totals = slot.is_shared ? shared[row] : global[row];
    totals.instructions += hits;
    totals.accesses += hits * static_cast<unsigned>(std::popcount(slot.mask));
    (slot.is_shared ? totals.wavefronts : totals.lines) += hits * slot.costs[at].units;
    (slot.is_shared ? totals.without_conflicts : totals.sectors) += hits * slot.costs[at].other;
    found.instructions += hits;
    found.wavefronts += hits * slot.costs[at].units;
    found.without_conflicts += hits * slot.costs[at].other;
    slot.hits[at] = 0;
  }
  if (slot.is_shared && found.instructions != 0)
    keep_conflict(slot, row, found);
}

// All patterns of shared memory, up to a number: whether another layout is better depends on those
// without conflicts too.
void launch_counters::keep_conflict(const access_pattern &slot, size_t row, const conflict &found) {
  constexpr size_t most = 16;
  std::vector<conflict> &kept = conflicts[row];
  if (kept.size() >= most)
    return;
  kept.push_back(found);
  kept.back().mask = slot.mask;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((slot.mask >> lane) & 1)
      kept.back().offsets[lane] = slot.sample + static_cast<uint32_t>(slot.distances[lane]);
}

unsigned launch_counters::site_of(place given, unsigned bytes, bool is_store) {
  const place at = source_place(owner.names, given);
  size_t site = tables.known;
  for (; site + 1 < tables.accesses.size() && tables.accesses[site].bytes != 0; ++site) {
    const access_site &other = tables.accesses[site];
    if (other.line == at.line && other.bytes == bytes && other.is_store == is_store &&
        std::strcmp(tables.files[other.file], at.file) == 0)
      return static_cast<unsigned>(site);
  }
  const auto file = std::find_if(tables.files.begin(), tables.files.end(),
                                 [&](const char *name) { return std::strcmp(name, at.file) == 0; });
  tables.accesses[site] = {static_cast<uint32_t>(file - tables.files.begin()), at.line, 0,
                           static_cast<uint16_t>(bytes), static_cast<uint16_t>(is_store)};
  if (file == tables.files.end()) {
    tables.files.push_back(at.file);
    sites.files = tables.files.data();
  }
  return static_cast<unsigned>(site);
}

// ---- Events
// -------------------------------------------------------------------------------------

void launch_counters::on_event(const thread &t, const char *what, place at, uint64_t bytes,
                               bool has_waited) {
  const event_key key{what, at.file, at.line, static_cast<unsigned>(task)};
  if (latest_key == nullptr || *latest_key != key) {
    const auto it = events.try_emplace(key).first;
    latest_key = &it->first;
    latest = &it->second;
  }
  event_totals &totals = *latest;
  ++totals.calls;
  totals.bytes += bytes;
  totals.waits += has_waited;
  if (const std::string_view name = what; name == "cta_sync" || name == "named_barrier")
    rounds.on_barrier(*t.group, /*is_of_cta=*/true);
  else if (name.starts_with("mbarrier_"))
    rounds.on_barrier(*t.group, /*is_of_cta=*/false);
  if (totals.pass != pass) {
    totals.pass = pass;
    totals.most_in_pass = 0;
    for (unsigned &calls : totals.in_pass)
      calls = 0;
  }
  if (++totals.in_pass[t.lane] > totals.most_in_pass) {
    ++totals.most_in_pass;
    ++totals.instructions;
  }
}

// ---- Where the machine asks
// ---------------------------------------------------------------------

void count_event(const char *what, place at, uint64_t bytes, bool has_waited) {
  thread &t = self();
  machine &m = *t.block->owner;
  if (m.counters == nullptr)
    return;
  if (m.counters->has_logged(t)) {
    m.counters->stands_aside(t);
    m.step_aside(t);
  }
  m.counters->on_event(t, what, at, bytes, has_waited);
}

void count_access(const void *address, unsigned bytes, bool is_store, place at) {
  if (launch_counters *counters = self().block->owner->counters.get())
    tsk_sim_access(reinterpret_cast<uintptr_t>(address), counters->site_of(at, bytes, is_store));
}

void count_operations(const char *kind, uint64_t count, place at) {
  if (launch_counters *counters = self().block->owner->counters.get())
    counters->on_operations(kind, count, at);
}

void race_arrival(const thread &t, const void *barrier) {
  if (launch_counters *counters = t.block->owner->counters.get())
    counters->races.on_arrival(t, barrier);
}
void race_completion(const thread &of_its_cta, const void *barrier) {
  if (launch_counters *counters = of_its_cta.block->owner->counters.get())
    counters->races.on_completion(of_its_cta, barrier);
}
void race_pass(const thread &t, const void *barrier) {
  if (launch_counters *counters = t.block->owner->counters.get())
    counters->races.on_pass(t, barrier);
}

bool is_counted() { return &tsk_sim_sites != nullptr && !current_settings().profile.empty(); }

std::unique_ptr<launch_counters> make_counters(machine &m) {
  if (!is_counted())
    return nullptr;
  gather_memory();
  return std::make_unique<launch_counters>(m);
}

} // namespace tsk::sim
