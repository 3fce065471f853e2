// What one call of a work does to the bytes of the fields in shared memory, and to the elements of
// tensors, statement by statement:
// whether threads meet there, and what is certainly written when the call is over.
#pragma once

#include "compiler/body/BodyFacts.h"
#include "compiler/body/reader/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
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
  // Of a tensor: its indices, outermost first, `bytes` elements from there on. None, or null ones:
  // nothing is known. `isFlat`: the position; `isByBytes`: as of a field; `isPart`: or less of it.
  std::vector<SumRef> indices;
  std::shared_ptr<const ir::Elements> elements;
  bool isTensor = false, isFlat = false, isByBytes = false, isPart = false;
  std::vector<bool> active;      // by thread; empty: all
  Level stored = Level::Thread;  // how far threads write the same
  bool isStoredOwn = false;      // what is stored follows from who the thread is
  bool isByRound = false;        // alike in the same round of the loops in `sum` and `indices` only
  bool isPerhapsAlike = false;   // threads may write the same, which nobody knows
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

  // A tensor that is touched in a place more than is looked at.
  void addUnknown(unsigned role, bool isWrite) {
    (isWrite ? writtenSomewhere : somewhere).insert(role);
  }

  struct Found {
    unsigned role = 0;
    const Touch *first = nullptr, *second = nullptr; // none: in places that are not looked at
    Meeting meeting = Meeting::Never;
    std::pair<unsigned, unsigned> threads; // that certainly meet
  };
  // Two threads of one call at one byte of a field, of which one writes. At most one a field.
  // `isOneOfWarp`: one lane of each warp runs the work.
  std::vector<Found> meetings(unsigned threads, bool isOneOfWarp) const {
    return meetings(threads, isOneOfWarp, /*ofTensors=*/false);
  }
  // The same at one element of a tensor.
  std::vector<Found> tensorMeetings(unsigned threads, bool isOneOfWarp) const;

  // Whether two threads may write one byte of a field in two calls, whose arguments may differ.
  bool mayMeetLater(unsigned role, unsigned threads) const;

  // What is certainly written, or perhaps read, of fields of so many bytes.
  std::vector<CoverFact> covers(unsigned threads, llvm::ArrayRef<int64_t> bytes) const;

private:
  // `round`: the same number in the same round of all loops.
  using Visit = llvm::function_ref<bool(unsigned thread, int64_t position, int64_t round)>;
  enum class Among : uint8_t { Threads, Warps };
  bool isFinite(const Touch &touch) const;
  int64_t roundsOf(uint32_t number, const Sum::Round &round, unsigned thread) const;
  bool visit(const Touch &touch, unsigned threads, Visit found) const;
  bool visitRounds(const Touch &touch, unsigned thread, int64_t at, int64_t key,
                   std::map<uint32_t, Sum::Round>::const_iterator round, Visit found) const;
  int64_t mostRounds(uint32_t number, const Sum::Round &round) const;
  struct Grid;
  Grid gridOf(const Touch &a, const Touch &b, int64_t grain) const;
  Touch withEnds(const Touch &touch) const;
  bool measure(llvm::ArrayRef<const Touch *> touches, unsigned threads, Grid &grid) const;
  bool haveCommon(const Touch &first, const Touch &second, unsigned threads, Among among,
                  bool inOtherRound, const Grid &grid) const;
  std::vector<Found> meetings(unsigned threads, bool isOneOfWarp, bool ofTensors) const;
  Meeting meet(const Touch &a, const Touch &b, unsigned threads, Among among, int64_t grain = 0,
               bool inOtherRound = false) const;
  Meeting meetInElements(const Touch &a, const Touch &b, unsigned threads, Among among,
                         bool inOtherRound) const;
  Meeting meetAnywhere(const Touch &a, const Touch &b, unsigned threads, Among among,
                       bool inOtherRound) const;
  Meeting meetItself(size_t number, const Touch &touch, unsigned threads, bool isOneOfWarp) const;
  Meeting meetOther(size_t first, size_t second, unsigned threads, bool isOneOfWarp) const;
  std::optional<std::pair<Touch, Touch>> packed(const Touch &a, const Touch &b, unsigned threads,
                                                bool &isAll) const;
  bool cover(const Touch &touch, unsigned threads, std::vector<bool> &into) const;

  std::map<size_t, Touch> all;
  std::set<std::pair<size_t, size_t>> unordered;
  std::set<unsigned> somewhere, writtenSomewhere;        // by role
  mutable std::pair<unsigned, unsigned> metThreads;      // by the last answer of haveCommon
  static constexpr int64_t MaxVisits = int64_t{1} << 21; // of one touch
  static constexpr int64_t MaxSpan = int64_t{1} << 20;
  mutable int64_t visitsLeft = int64_t{1} << 27; // of all that is asked; then nothing is shown
};

} // namespace tsk::body
