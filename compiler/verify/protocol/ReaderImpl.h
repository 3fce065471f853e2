// The reader's parts: declarations (Reader.cpp), statements (ReadOps.cpp) and pipelines in short
// form (ReadPipes.cpp).
#pragma once

#include "compiler/verify/protocol/Tokens.h"

#include <map>

namespace tsk::protocol {

// A pipeline in short form: NAME.full, NAME.empty and NAME as the field, with cursors NAME.p and
// NAME.c. Counts follow from the tasks that commit and release.
struct Pipe {
  char producer = 'A'; // A(sync threads), T(ma), U(mma)
  char consumer = 'A';
  int full = -1;
  int empty = -1;
  int cell = -1;
  bool hasData = true;
};

class ReaderImpl {
public:
  explicit ReaderImpl(llvm::StringRef text) : tokens(text) {}
  std::optional<Program> read(ReadError &error);

private:
  // Declarations.
  void readDeclaration();
  void readSymbols(bool isCondition, bool isPerTile);
  void readLet();
  void readRelations();
  void readBarrier();
  void readCells();
  void readPipe();
  void readTask();
  unsigned readStages();
  uint16_t readRankSet();
  void finishPipes();

  // Statements.
  Region readBlock();
  void readStatement(Region &into);
  bool readControl(Region &into, llvm::StringRef word);
  bool readOp(Region &into, llvm::StringRef word);
  bool readBarrierOp(Region &into, llvm::StringRef word);
  bool readGroupOp(Region &into, llvm::StringRef word);
  bool readOtherOp(Region &into, llvm::StringRef word);
  bool readPipeOp(Region &into, llvm::StringRef word);
  Node control(NodeKind kind);
  Count readCount();
  int readSymbolUse();
  Index readIndex(unsigned stages);
  Ranks readRanks();
  BarrierRef readBarrierRef(bool needsStage = true);
  Parity readParity(const BarrierRef &bar);
  void readCellRefs(std::vector<CellRef> &into, bool isWrite, bool isVersioned);
  void add(Region &into, Op op);
  int cursor(const std::string &name);
  Node leader(Region body);

  Tokens tokens;
  Program program;
  std::map<std::string, int> symbols, barriers, cells;
  std::map<std::string, Count> lets;
  std::map<std::string, Pipe> pipes;
  std::vector<std::string> loopNames; // of the loops around
  Task *task = nullptr;
  unsigned opLine = 0;
  std::string opText;
  unsigned depth = 0;
};

} // namespace tsk::protocol
