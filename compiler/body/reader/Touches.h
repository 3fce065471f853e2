// What one call of a work does to the bytes of the fields in shared memory, statement by statement:
// whether threads meet there, and what is certainly written when the call is over.
#pragma once

#include "compiler/body/BodyFacts.h"
#include "compiler/body/reader/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>

namespace tsk::body {

// Of one statement.
struct Touch {
  unsigned role = 0;
  bool isWrite = false, isAtomic = false;
  bool isLogical = false;    // positions as if the field were not swizzled
  bool isWhole = false;      // the whole field, whichever thread what of it
  bool isCollective = false; // the lanes of a warp together
  bool isElected = false;    // by one lane of each warp, whichever
  bool isCertain = false;    // all threads come here, or all that are active
  SumRef sum;                // bytes behind the beginning of the stage; null: in low .. high
  int64_t low = Value::Min, high = Value::Max; // of where it begins
  int64_t bytes = 0;
  std::vector<bool> active;      // by thread; empty: all
  Level stored = Level::Thread;  // how far threads write the same
  std::map<unsigned, bool> arms; // of conditions that all threads decide alike
  tree::Place place;
  tree::Place via; // the call in the body, where the place is elsewhere
};

enum class Meeting : uint8_t { Never, Perhaps, Certainly };

class Touches {
public:
  // How often each thread runs a loop whose rounds are a sum's; one number: all the same.
  std::map<uint32_t, std::vector<int64_t>> trips;

  // False: there was another with this number, and what is known now holds for both.
  bool add(size_t number, Touch touch);
  // Statement `later` comes behind `earlier` with no barrier of the warp between.
  void addPair(size_t earlier, size_t later) { unordered.insert({earlier, later}); }

  // Whether of some touch it is not known where it begins.
  bool isVague() const;

  // Where a touch begins, over all threads and rounds; false: not known.
  bool range(const Touch &touch, unsigned threads, int64_t &low, int64_t &high) const;

  struct Found {
    const Touch *first = nullptr, *second = nullptr;
    Meeting meeting = Meeting::Never;
  };
  // Two threads of one call at one byte of a field, of which one writes. At most one a field.
  // `isOneOfWarp`: one lane of each warp runs the work.
  std::vector<Found> meetings(unsigned threads, bool isOneOfWarp) const;

  // Whether two threads may write one byte of a field in two calls, whose arguments may differ.
  bool mayMeetLater(unsigned role, unsigned threads) const;

  // What is certainly written, or perhaps read, of fields of so many bytes.
  std::vector<CoverFact> covers(unsigned threads, llvm::ArrayRef<int64_t> bytes) const;

private:
  using Visit = llvm::function_ref<bool(unsigned thread, int64_t position)>;
  bool isFinite(const Touch &touch) const;
  int64_t roundsOf(uint32_t number, const Sum::Round &round, unsigned thread) const;
  bool visit(const Touch &touch, unsigned threads, Visit found) const;
  bool visitRounds(const Touch &touch, unsigned thread, int64_t at,
                   std::map<uint32_t, Sum::Round>::const_iterator round, Visit found) const;
  struct Grid;
  Grid gridOf(const Touch &a, const Touch &b, int64_t grain) const;
  Touch withEnds(const Touch &touch) const;
  bool measure(llvm::ArrayRef<const Touch *> touches, unsigned threads, Grid &grid) const;
  bool haveCommon(const Touch &first, const Touch &second, unsigned threads, bool byWarp,
                  const Grid &grid) const;
  Meeting meet(const Touch &a, const Touch &b, unsigned threads, bool byWarp,
               int64_t grain = 0) const;
  bool cover(const Touch &touch, unsigned threads, std::vector<bool> &into) const;

  std::map<size_t, Touch> all;
  std::set<std::pair<size_t, size_t>> unordered;
  mutable int64_t visitsLeft = int64_t{1} << 27; // of all that is asked; then nothing is shown
};

} // namespace tsk::body
