// Follows one body through the tree and notes what it does. See docs/decisions/0007-body-reader.md.
//
// Locals have a value at each point; where paths meet, the values are joined; a loop is repeated
// until nothing changes. Calls are entered. What a statement does is noted together with the
// conditions around it: how many threads come there, and how often.
#pragma once

#include "compiler/body/BodyFacts.h"
#include "compiler/body/BodyRequest.h"
#include "compiler/body/reader/Touches.h"
#include "compiler/body/reader/Value.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <set>

namespace tsk::body {

// The values of all variables at one point.
struct State {
  std::vector<ValueRef> variables;
  llvm::BitVector written;         // objects that threads may have stored to
  llvm::BitVector unfenced;        // since the last proxy fence
  std::vector<tree::Place> stores; // the last of these stores, by object
  llvm::BitVector open;            // touches since the warp's last barrier
};

// Where an lvalue stands.
struct Location {
  std::vector<Target> targets;
  bool isLost = false;    // or anywhere else
  bool isOutside = false; // or in a variable that outlives the body
  Level level = Level::Constant;
  std::shared_ptr<const Places> elements = nullptr; // as in Value
  ValueRef offset = nullptr;                        // as in Value
  bool isLogical = false;
  int64_t bytes = 0; // of what is touched there, where that is not what the text looks at it as
};

// A condition, a loop or a call around a statement.
struct Control {
  enum class Kind : uint8_t { Call, Loop, Round, Branch } kind = Kind::Branch;
  Level level = Level::Constant; // how its threads are told apart
  bool isConditional = false;    // some of them may not come here
  bool isParted = false;         // since some have left
  bool isVague = false;          // of some of these nobody knows who they are
  bool isFollowed = false;       // a loop, or its round: one after the other
  bool isOwn = false;            // they are told apart by who they are
  bool isExact = false;          // a loop: how often each thread runs it is known
  bool isElse = false;           // of the branch with this number
  unsigned branch = 0;
  std::optional<int64_t> trips = 1;
  std::optional<uint32_t> round; // of a loop: its number in sums
  TruthRef truth;                // of a branch: what holds where it is taken
  Value::Elects elects = Value::Elects::Nobody;
  // By thread: whether it may come here; empty: nobody can tell.
  std::vector<bool> active;
  tree::Place place; // of what tells them apart
};

class Interpreter {
public:
  // Closely: each round of a loop that is counted by itself, and each statement of a header.
  enum class Way : uint8_t { Quickly, Closely };
  Interpreter(const tree::Tree &t, const Function &about, Way w = Way::Quickly)
      : tree(t), function(about), way(w) {}

  WorkFacts run(const tree::Tree::Root &root);
  // Whether a closer look may tell more of who touches what.
  bool mayTellMore() const { return isCoarse && touches.isVague(); }

private:
  using ExprId = tree::ExprId;
  using StmtId = tree::StmtId;
  using FunctionId = tree::FunctionId;
  using VariableId = tree::VariableId;
  using Place = tree::Place;

  // ---- Statements (InterpretStmt.cpp) ----
  void exec(StmtId id);
  // Both ways of a condition, or the one that it is known to take.
  using Arm = llvm::function_ref<void()>;
  void fork(const ValueRef &condition, Place place, Arm first, Arm second);
  void branch(const tree::Stmt &stmt);
  void choose(const tree::Stmt &stmt);
  void leave(const tree::Stmt &stmt);
  void declare(const tree::Stmt &stmt);
  // Joins the paths of a condition on which the threads may differ up to `level`.
  void meet(const State &other, bool otherComes, Level level, bool isOwn = false);
  static void joinInto(State &into, const State &from, Level level, bool isOwn = false);
  static void joinInto(std::optional<State> &into, const State &from, Level level);
  ValueRef parameterValue(tree::TypeId type, const Role &role, uint32_t number) const;
  void checkUniform();
  void checkResult(const tree::Stmt &stmt, const ValueRef &value);

  // ---- Loops (InterpretLoop.cpp) ----
  struct Trips {
    std::optional<int64_t> count; // the same for all threads
    VariableId counter;
    ValueRef during, after;
    SumRef sum; // of the counter, during
    std::optional<int64_t> low;
    bool isExact = false; // each thread's own number of rounds is known
  };
  struct LoopParts {
    ExprId condition, increment;
    StmtId body;
    bool testsFirst = true;
    bool mayUnroll = true;
  };
  void loop(const tree::Stmt &stmt);
  Trips countTrips(const LoopParts &parts);
  std::optional<Trips> countFrom(const LoopParts &parts, VariableId counter, int64_t start);
  SumRef roundsOf(const LoopParts &parts, Trips &trips);
  std::vector<int64_t> ownTrips(const LoopParts &parts, const Trips &trips, const Sum &start,
                                int64_t step);
  bool isGrowing(const LoopParts &parts, VariableId counter) const;
  void repeat(const LoopParts &parts);
  static void forget(State &at, const Trips &trips, const std::set<VariableId> &modified,
                     bool isUnrolled);
  void beginRound(const State &head);
  State settledHead(const LoopParts &parts, const Trips &trips,
                    const std::set<VariableId> &modified);
  bool unroll(const LoopParts &parts);
  std::optional<bool> knownCondition(ExprId condition);
  void endLoop(const std::set<VariableId> &modified);
  void runOnce(const LoopParts &parts, const Trips &trips);
  std::set<VariableId> modifiedBy(const LoopParts &parts) const;
  bool hasOwnCounter(const LoopParts &parts, VariableId counter) const;

  // ---- Expressions (InterpretExpr.cpp) ----
  ValueRef eval(ExprId id);
  ValueRef evalKind(ExprId id);
  Location locate(ExprId id);
  Location locateElement(const tree::Expr &expr);
  Location locateCondition(const tree::Expr &expr);
  ValueRef evalCondition(const tree::Expr &expr);
  ValueRef evalShortcut(const tree::Expr &expr);
  ValueRef evalLoad(const tree::Expr &expr);
  ValueRef evalBinary(const tree::Expr &expr);
  ValueRef evalConvert(const tree::Expr &expr);
  ValueRef evalReinterpret(const tree::Expr &expr);
  ValueRef evalUnknown(const tree::Expr &expr);
  ValueRef evalAggregate(const tree::Expr &expr);
  bool isShared(const tree::Variable &variable) const;
  void noteShared(bool isWrite, Place place);
  Location globalLocation(const tree::Variable &variable, Place place);
  Location variableLocation(const tree::Expr &expr);
  Location memberLocation(const tree::Expr &expr);
  Location compound(const tree::Expr &expr);
  Location assignment(const tree::Expr &expr);
  void step(const Location &location, const ValueRef &before, const tree::Expr &expr, Place place);
  static Location local(VariableId id);
  bool isReference(tree::TypeId id) const {
    return tree.types[id].kind == tree::Type::Kind::Reference;
  }

  // ---- Conditions (InterpretConditions.cpp) ----
  bool mayWrite(tree::ExprId id) const;
  void assume(ExprId condition, bool holds);
  void narrow(ExprId number, int64_t low, int64_t high);

  // ---- Touches (InterpretTouches.cpp) ----
  void noteTouch(const Target &target, bool isWrite, Place place, const Location &at);
  void setElements(Touch &touch, const Location &at) const;
  bool isOfTensor(unsigned role) const { return function.roles[role].kind == Role::Kind::Tensor; }
  void noteWhole(const Target &target, bool isWrite, Place place);
  void noteStored(Touch &touch) const;
  std::optional<size_t> touchNumber(unsigned role, bool isWrite, Place place);
  std::optional<Touch> startTouch(const Target &target, bool isWrite) const;
  void addTouch(Touch touch, Place place);
  SumRef ofAnyLane(const SumRef &sum) const;
  void checkInside(const Touch &touch, const Location &at, Place place);
  bool isCertain() const;
  bool isCertainOf(const ir::Elements &elements) const;
  bool partFrom(size_t target);
  void judgeTouches();
  void judgeTensors();

  // ---- Memory (InterpretMemory.cpp) ----
  // `as`: the type by which the text looks at the place, where that may be another than its own.
  ValueRef load(const Location &from, Place place, tree::TypeId as = {});
  ValueRef loadFrom(const Target &target, Place place, tree::TypeId as, const Location &from);
  void store(const Location &to, ValueRef value, Place place, tree::TypeId as = {});
  // Of several places an access takes one: each of them only perhaps.
  void among(const Location &location, Arm access);
  void storeLocally(const Target &target, const ValueRef &value, tree::TypeId as, bool isSure);
  void noteKept(const ValueRef &value, Place place);
  ValueRef addressOf(const Location &location) const;
  Location follow(const ValueRef &pointer) const;
  void checkWritten(const Location &from, const ValueRef &value, tree::TypeId type, Place place);
  ValueRef assigned(const ValueRef &whole, llvm::ArrayRef<uint32_t> path, tree::TypeId type,
                    const ValueRef &value) const;
  tree::TypeId typeAt(const Target &target) const;
  ValueRef partOfRecord(const ValueRef &whole, tree::TypeId type, uint32_t number) const;
  bool isSeenAs(const Target &target, tree::TypeId as) const;
  ValueRef moved(const ValueRef &pointer, const ValueRef &by, tree::Op op, int64_t bytes) const;
  int64_t bytesBehind(tree::TypeId pointer) const;
  static void moveOffset(ValueRef &offset, bool isLogical, const ValueRef &by, tree::Op op,
                         int64_t bytes);
  // All that a callee could get at through a value: through locals and their members, too.
  ValueRef reachable(const ValueRef &value) const;
  bool leadsToObject(const ValueRef &value) const;

  // ---- Calls (InterpretCall.cpp) ----
  ValueRef call(const tree::Expr &expr);
  Location callLocation(const tree::Expr &expr);
  std::vector<ValueRef> arguments(const tree::Expr &expr);
  ValueRef invoke(FunctionId id, const std::vector<ValueRef> &given, Place place);
  bool isRecursive(FunctionId id);
  ValueRef callAgain(FunctionId id, llvm::ArrayRef<ValueRef> given, Place place);
  ValueRef enter(FunctionId id, llvm::ArrayRef<ValueRef> given, Place place);
  // ---- Known by name (InterpretKnown.cpp) ----
  std::optional<ValueRef> callKnown(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                    Place place);
  std::optional<ValueRef> callView(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                   Place place);
  // ---- Groups (InterpretGroups.cpp) ----
  std::optional<ValueRef> callGroup(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                                    Place place);
  bool comeTogether(int64_t size) const;
  ValueRef laneOf(int64_t size, const std::string &name, Place place);
  std::optional<ValueRef> threadNumber(llvm::StringRef name, Place place);
  // ---- Known by name, further ----
  ir::Elements coordinatesOf(llvm::ArrayRef<ValueRef> given) const;
  ValueRef byValue(const ValueRef &argument) const;
  std::vector<Target> fieldsIn(const ValueRef &argument, Place place);
  void noteMultiply(llvm::StringRef name, ast::Mechanism mechanism, llvm::ArrayRef<ValueRef> given,
                    Place place);
  TruthRef truthHere(const ValueRef &condition) const;
  void checkFenced(const Target &object, llvm::StringRef name, Place place);
  std::optional<ValueRef> callPrimitive(const tree::Function &callee,
                                        llvm::ArrayRef<ValueRef> given, Place place);
  void collective(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Level together,
                  Place place);
  void checkMask(const tree::Function &callee, const ValueRef &mask, Place place);
  ValueRef callUnseen(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  ValueRef callTrusted(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  int64_t bytesTouched(llvm::StringRef name, tree::TypeId pointer,
                       llvm::ArrayRef<ValueRef> given) const;
  ValueRef callOpaque(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  std::shared_ptr<const Places> elementsOf(const tree::Function &callee,
                                           llvm::ArrayRef<ValueRef> given) const;
  std::vector<bool> activeThreads() const;
  void checkIndices(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  const tree::Record *recordOf(const tree::Function &method) const;
  static Location spread(Location location);

  // ---- Tiles (InterpretTiles.cpp) ----
  static std::vector<int64_t> tileExtents(const tree::Record &record);
  ValueRef callRows(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  void checkRows(const ValueRef &first, int64_t count, int64_t rows, const ValueRef &view,
                 Place place);
  void checkBegin(const ValueRef &argument, Place place);
  const tree::Record *tileOf(tree::TypeId type) const;
  void noteMatrix(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  ValueRef offsetInTile(const tree::Function &callee, llvm::ArrayRef<ValueRef> given,
                        const ValueRef &view, bool &isLogical) const;
  SumRef matrixPlaces(const SumRef &first, int64_t rows, int64_t rowBytes, bool isTransposed);

  // ---- Operands (InterpretOperands.cpp) ----
  void checkOperands(const tree::Function &callee, llvm::ArrayRef<ValueRef> given, Place place);
  std::vector<int64_t> shapeOf(const tree::Function &callee) const;
  void checkMatrix(const tree::Function &callee, const ValueRef &to, int64_t rows, Place place);
  void checkAlike(const ValueRef &value, Level together, const std::string &what,
                  const tree::Function &callee, Place place);
  void checkCount(const ValueRef &count, int64_t rows, const std::string &what,
                  const tree::Function &callee, Place place);
  void checkSwizzled(const ValueRef &operand, tree::TypeId type, Place place);

  // ---- Inline PTX (InterpretAsm.cpp) ----
  struct AsmOperand;
  struct AsmEffect;
  void assembly(const tree::Stmt &stmt);
  void instruction(llvm::StringRef text, llvm::ArrayRef<ValueRef> values, AsmEffect &effect,
                   Place place);
  void access(const AsmOperand &operand, AsmEffect &effect, Place place);
  void handToAsm(llvm::ArrayRef<ValueRef> values, Place place);

  // ---- Claims (InterpretClaims.cpp) ----
  // Of one number, over all ways that lead there.
  struct Claim {
    ValueRef value;
    Level comes = Level::Constant; // up to which level the threads that come here differ
    bool isConditional = false;
  };
  void claim(llvm::ArrayRef<ValueRef> given);
  void writeClaims();

  // ---- Notes (InterpretNotes.cpp) ----
  using Chain = std::vector<Place>; // a place and the calls around it, innermost first
  void noteUnwritten(const Target &target, Place place);
  void noteAccess(const Target &target, bool isWrite, Place place, const Location &at);
  void note(AccessFact fact, Place place);
  void note(EventFact fact, Place place, Place other = {});
  Chain chainTo(Place place) const;
  std::vector<uint32_t> sitesTo(Place place) const;
  CxxPlace described(Place place) const;
  Level controlLevel(Place *cause = nullptr) const;
  AccessFact accessHere() const;
  bool isUnconditional() const;
  void giveUp(const std::string &why, Place place);

  const tree::Tree &tree;
  const Function &function;
  const Way way;
  bool isCoarse = false; // something was taken together that a closer look tells apart
  WorkFacts facts;
  State state;
  bool comes = true; // whether this point can be reached
  bool isRecording = true;
  bool isFirstRound = false; // of all loops around
  size_t steps = 0;
  static constexpr size_t MaxSteps = 2'000'000;
  static constexpr size_t MaxDepth = 64;
  static constexpr size_t MaxAccesses = 10'000; // each with its own way of calls

  struct Frame {
    FunctionId function;
    size_t control = 0;             // of its own entry
    Place place;                    // of the call
    Place returnedAt;               // of a `return`
    Level inputs = Level::Constant; // of a recursive function: how far its calls may differ
    std::optional<State> returned;
    ValueRef result;
  };
  struct Loop {
    bool isSwitch = false;
    size_t control = 0;                // of the loop's entry; the round's follows
    Level condition = Level::Constant; // of its condition, so far
    std::optional<State> broken, continued;
  };
  std::vector<Frame> frames;
  std::vector<Loop> loops;
  std::vector<Control> controls;
  std::map<std::tuple<unsigned, bool, ast::Mechanism, Chain>, size_t> seenAccesses;
  uint32_t nextRound = 0;                   // of a loop, in sums
  static constexpr size_t MaxTouches = 512; // of fields, and of tensors
  size_t fieldTouches = 0, tensorTouches = 0;
  std::vector<uint32_t> rounds; // of the loops around that are followed round by round
  std::map<std::tuple<unsigned, bool, bool, std::vector<uint32_t>>, size_t> touchNumbers;
  Touches touches;
  Level storedLevel = Level::Thread; // of the value that is being stored
  bool isStoredOwn = false;
  SumRef storedSum;
  unsigned nextBranch = 0;
  std::set<std::string> sharedVariables; // that the body has named so far
  std::set<std::tuple<std::string, bool, bool>> seenShared;
  bool isAtomic = false;   // the function that touches memory
  bool hasEffects = false; // something is written
  std::set<std::tuple<EventFact::Kind, Place, std::string>> seenEvents;
  std::map<int64_t, Claim> claims;
  std::map<uint32_t, bool> recursive; // by function
};

// Follows a body quickly, and closely where that leaves open who touches what.
WorkFacts readBody(const tree::Tree &tree, const Function &function, const tree::Tree::Root &root);

} // namespace tsk::body
