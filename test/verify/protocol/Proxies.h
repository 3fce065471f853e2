// Memory order between the generic and the asynchronous proxy, and publication, as the explorer
// sees them: what is true of one moment of one interleaving, without any order of events.
//
// An asynchronous operation may be issued only if every ordinary write of its bytes has been
// followed by a proxy fence of the writer, every ordinary read of what it writes by a fence of the
// reader or by somebody's arrival at an mbarrier, every finished copy by somebody's fence. A warp
// may read only what its view holds: views travel with arrivals and waits of threads, never with
// the completion of an asynchronous operation or a plain expect. Asynchronous and remote uses of a
// barrier need the initialiser's fence. Where an interleaving breaks a rule, a fence or a release
// is missing; where no interleaving does, none is.
#pragma once

#include "Expand.h"

namespace tsk::protocol::oracle {

class Proxies {
public:
  using State = std::vector<int16_t>;

  // Keeps its bits in a state from number `first` on.
  Proxies(const Expanded &expanded, int first);
  int numbers() const { return (bits + BitsPerNumber - 1) / BitsPerNumber; }

  // What the next step of `warp` breaks, every warp being at its `pcs`; empty: nothing.
  std::string check(const State &state, const std::vector<int> &pcs, size_t warp) const;

  // Effects, in the order in which the explorer comes upon them.
  void take(State &state, const std::vector<int> &pcs, size_t warp) const;
  void finishCopy(State &state, size_t warp, const Step &step) const;
  void contribute(State &state, size_t warp, const Step &step, int bar) const;
  void complete(State &state, int bar) const;
  void retire(State &state, int bar) const; // initialised or invalidated
  void wait(State &state, size_t warp, int bar) const;
  void arriveNamed(State &state, size_t warp, int named) const;
  void releaseNamed(State &state, size_t warp, int named) const;
  void completeNamed(State &state, int named) const;

  // Warp i becomes what warp from[i] was; they do the same.
  void permute(State &state, const std::vector<size_t> &from) const;

private:
  static constexpr int BitsPerNumber = 15;
  struct Pending { // an ordinary read, or a copy that is over, which no fence has followed
    size_t warp;
    int cell;
    bool isCopy, isWrite;
  };
  struct Fact { // an ordinary write that others read
    size_t warp;
    int cell;
  };

  void collect(size_t warp);
  int indexOf(size_t warp, int cell, bool isCopy, bool isWrite) const;
  bool get(const State &state, int bit) const {
    return state[base + bit / BitsPerNumber] >> bit % BitsPerNumber & 1;
  }
  void set(State &state, int bit, bool value) const {
    auto mask = static_cast<int16_t>(1 << bit % BitsPerNumber);
    int16_t &number = state[base + bit / BitsPerNumber];
    number = static_cast<int16_t>(value ? number | mask : number & ~mask);
  }
  int view(int holder, size_t fact) const {
    return static_cast<int>(pending.size()) + holder * static_cast<int>(facts.size()) +
           static_cast<int>(fact);
  }
  int open(int bar) const { return warps + bar; } // what the open phase, the last one publishes
  int past(int bar) const { return warps + bars + bar; }
  int named(int index) const; // a generation of a named barrier, of the cluster's: -1
  int pastCluster() const { return warps + 2 * bars; }
  void move(State &state, int into, int from, bool keeps) const;
  int lastWrite(size_t warp, int pc, int cell) const; // its step; -1: none
  bool isFenced(size_t warp, int after, int pc, OpKind fence) const;
  bool isSameCall(size_t writer, int write, size_t reader, const Step &step) const;

  const Expanded &program;
  int base, bits = 0, warps = 0, bars = 0, holders = 0;
  std::vector<Pending> pending; // grouped by warp, in one order for warps that do the same
  std::vector<Fact> facts;
  std::vector<size_t> firstPending, firstFact; // per warp
  std::vector<int> names;                      // of the named barriers that are used
};

} // namespace tsk::protocol::oracle
