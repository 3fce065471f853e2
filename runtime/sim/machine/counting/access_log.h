// From the accesses of single lanes to the memory instructions of warps.
//
// Lanes run one after another. Each writes what it touches into its own column of a table with a
// few rows and stands aside when the column is full, so that the next lane writes the same rows.
// Rows in which all lanes stand at one place of the source, in the same iterations of the loops
// around it, are one instruction. From the first row on where lanes part, accesses are collected
// by place and iterations instead, whatever the order in which lanes come there, until the warp's
// lanes wait for something again.
#pragma once

#include "../cta.h"

#include <unordered_map>

namespace tsk::sim {

struct logged_access {
  uint64_t where;   // the address, and the site from bit 48 on
  uint64_t context; // tsk_sim_context
  unsigned site() const { return static_cast<unsigned>(where >> 48); }
  uint64_t address() const { return where & ((uint64_t{1} << 48) - 1); }
};
// By lane; what lanes outside of the mask hold means nothing.
using access_row = logged_access[32];

// Told of each instruction.
class instruction_sink {
public:
  virtual ~instruction_sink() = default;
  // The lanes of `mask` may stand at different places. True if they do not, and the instruction is
  // like one that came before, which is all there is to do about it.
  virtual bool take_known(const access_row &row, uint32_t mask) = 0;
  virtual void take(const access_row &row, uint32_t mask) = 0;
};

class access_log {
public:
  static constexpr unsigned rows = 48;

  explicit access_log(instruction_sink &its_sink) : sink(its_sink) {}

  // Whether the running lane has logged anything since it began.
  bool has_rows(unsigned lane) const;
  void begin(const warp &w);
  void lane_begins(unsigned lane);
  void lane_ends(unsigned lane);
  // The running lane stands aside.
  void pause(unsigned lane) { paused |= 1u << lane; }
  // Takes the rows; returns the lanes that stood aside, which go on.
  uint32_t take_rows();
  // All lanes wait or have ended.
  void end();

private:
  struct instruction {
    uint32_t mask = 0;
    access_row lanes;
  };
  struct key {
    unsigned site;
    uint64_t context;
    bool operator==(const key &) const = default;
  };
  struct key_hash {
    size_t operator()(const key &k) const {
      return static_cast<size_t>((k.context + k.site) * 0x9E3779B97F4A7C15u >> 20);
    }
  };

  void take_row(const access_row &row, uint32_t mask);
  void collect(unsigned lane, const logged_access &access);

  instruction_sink &sink;
  uint32_t live = 0; // lanes that may come to a place
  uint32_t paused = 0;
  bool together = true;
  unsigned counts[32] = {};
  alignas(64) access_row table[rows];
  // Instructions that some lanes have not come to yet; several of one key are its occurrences.
  std::unordered_map<key, std::vector<instruction>, key_hash> open;
};

} // namespace tsk::sim
