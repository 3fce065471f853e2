// What one launch does, counted by place in the source and by task: a launch of a program that
// tskc has prepared for it (sites.h), and only where the settings say where to write the profile.
#pragma once

#include "access_log.h"
#include "memory_rounds.h"
#include "patterns.h"
#include "races.h"
#include "sites.h"

#include <map>
#include <string_view>
#include <tuple>

namespace tsk::sim {

// Of one place, in one of the two memories.
struct access_totals {
  uint64_t instructions = 0; // of warps
  uint64_t accesses = 0;     // of threads
  uint64_t lines = 0, sectors = 0;
  uint64_t wavefronts = 0, without_conflicts = 0;
};

// Instructions whose lanes are equally far apart; what they cost, by where the first lane's
// address lies in a line, is computed once.
struct access_pattern {
  uint32_t mask = 0;
  bool is_shared = false;
  uint32_t sample = 0;         // the first lane's offset in shared memory, once
  uint64_t distances[32] = {}; // from the first lane's `where`
  uint64_t hits[128] = {};
  struct {
    bool is_known = false;
    uint16_t units = 0, other = 0; // lines and sectors; wavefronts and what they could be
  } costs[128];
};

// A way in which lanes meet in the banks of shared memory.
struct conflict {
  uint64_t instructions = 0;
  uint64_t wavefronts = 0, without_conflicts = 0; // of all of them
  uint32_t mask = 0;
  uint32_t offsets[32] = {}; // in shared memory, by lane
};

class launch_counters final : public instruction_sink {
public:
  explicit launch_counters(machine &m);
  ~launch_counters() override;

  // Around a warp that runs; its lanes in between.
  void begin(const warp &w);
  void lane_begins(thread &t);
  void lane_ends(thread &t);
  void stands_aside(const thread &t) { log.pause(t.lane); }
  uint32_t take_rows() { return log.take_rows(); }
  void end();

  // What lanes have logged is taken before the running one synchronizes: its rows belong to the
  // time before.
  bool has_logged(const thread &t) const { return log.has_rows(t.lane); }
  void on_event(const thread &t, const char *what, place at, uint64_t bytes, bool has_waited);
  // The site of an access at this place, which the program's tables do not have.
  unsigned site_of(place at, unsigned bytes, bool is_store);
  void on_operations(const char *kind, uint64_t count, place at) {
    operations[{task, at.file, at.line, kind}] += count;
  }

  bool take_known(const access_row &row, uint32_t mask) override;
  void take(const access_row &row, uint32_t mask) override;

  // One line of JSON.
  std::string json(bool has_ended_well);

private:
  // The program's tables, with room for what they do not have.
  struct site_tables {
    site_tables();
    std::vector<access_site> accesses;
    std::vector<const char *> files;
    size_t known; // of the accesses
  } tables;
  program_sites sites;

public:
  race_checker races;

private:
  static constexpr unsigned ways = 4; // patterns kept of a site
  struct event_key {
    const char *what;
    const char *file;
    unsigned line;
    unsigned task;
    auto operator<=>(const event_key &) const = default;
  };
  struct event_totals {
    uint64_t instructions = 0; // of warps
    uint64_t calls = 0, waits = 0, bytes = 0;
    // The most calls that a lane has made in this pass of the warp are its instructions.
    uint64_t pass = 0;
    unsigned in_pass[32] = {};
    unsigned most_in_pass = 0;
  };

  void check_races(const access_row &row, uint32_t mask);
  void follow(const access_pattern &slot, const access_row &row, uint32_t mask);
  size_t row_of(unsigned site) const { return task * size_t{sites.access_count} + site; }
  access_pattern &slot_of(const access_row &row, uint32_t mask);
  bool is_shared(uint64_t address) const { return address - shared_begin < shared_bytes; }
  void compute(access_pattern &slot, const access_row &row, uint32_t mask, unsigned at) const;
  void fold(access_pattern &slot, size_t row);
  void keep_conflict(const access_pattern &slot, size_t row, const conflict &found);
  void write_accesses(std::string &out) const;
  void write_arithmetic(std::string &out) const;
  void write_events(std::string &out) const;
  std::string task_label(size_t number) const;

  machine &owner;
  const warp *running = nullptr;
  access_log log;
  size_t task = 0; // of the warp that runs
  size_t task_count = 1;
  uintptr_t shared_begin = 0;
  size_t shared_bytes = 0;
  uint64_t pass = 0;
  std::vector<std::unique_ptr<access_pattern>> patterns; // by row and way
  std::vector<access_totals> global, shared;             // by row
  std::map<size_t, std::vector<conflict>> conflicts;     // by row
  std::vector<uint64_t> blocks;                          // by task and block
  std::map<event_key, event_totals> events;
  std::map<std::tuple<size_t, const char *, unsigned, std::string_view>, uint64_t> operations;
  memory_rounds rounds;
  const event_key *latest_key = nullptr;
  event_totals *latest = nullptr;
};

// Whether this program can be counted and the settings ask for it.
bool is_counted();
// Null where nothing is counted.
std::unique_ptr<launch_counters> make_counters(machine &m);
// Adds a line to the file.
void write_profile(launch_counters &counters, bool has_ended_well, const std::string &path);

} // namespace tsk::sim
