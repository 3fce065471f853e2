// Reads one kernel of the text form. Private to compiler/ir.
#pragma once

#include "compiler/ir/Text.h"

namespace tsk::ir {

class KernelReader {
public:
  explicit KernelReader(TextReader &textReader) : reader(textReader) {}

  // `kernel name … { … }`, from its first word. Null after an error.
  std::unique_ptr<Kernel> read();

private:
  // Declarations (KernelReader.cpp)
  void readItem();
  void readTargets();
  Constant readConstantItem(bool isType);
  void readKernelConstant(bool isType);
  void readScalar();
  void readParam();
  void readTensorParam(Param &param);
  void readFunction();
  void readRequires();
  void readGrid();
  void readCluster();
  void readDepends();

  // Resources (ResourceReader.cpp)
  void readResource();
  void readMember(ResourceId resource);
  void readField(ResourceId resource);
  bool readFieldAttribute(Field &field);
  Pipeline readPipeline();
  std::vector<Mechanism> readMechanisms();
  void readWork(ResourceId resource);
  std::vector<WorkParam> readWorkParams();
  void readAccess(Work &work);
  template <typename UserT> void readUse(UserT &user); // a work or a function
  void readHold(WorkId work);
  void resolveAccesses();

  // Tasks (TaskReader.cpp)
  void readTask();
  RegionId readRegion(); // `{ … }`
  void readStatement(Region &region);
  void readCall(Region &region, Op op, llvm::ArrayRef<TextToken> results);
  unsigned stagesBehind();
  void readLet(Region &region, Op op);
  void readVar(Region &region, Op op);
  void readLoop(Region &region, Op op);
  void readIf(Region &region, Op op);
  void readAwait(Region &region, Op op);
  WorkId calledWork();
  void readProtocol(Region &region, Op op, OpKind kind);
  ValueId declare(const TextToken &name, Value::Kind kind, Type type, Uniformity uniformity);
  Uniformity uniformityOf(std::initializer_list<ExprId> exprs) const;

  ExprId expr() { return readExpr(reader, kernel->tables, scope); }
  ScalarType scalarType();
  ParamId paramByName(const TextToken &name);
  ResourceId resourceByName();
  template <typename IdT, typename T>
  IdT find(const Table<IdT, T> &table, llvm::StringRef name) const;
  // Reports a second declaration of a name.
  void declareName(const TextToken &name);
  void fail(const TextToken &token, llvm::StringRef what) {
    reader.fail(token.range, TextUnknownName, what, token.text);
  }

  // The resource and member names of an access, looked up when all resources are known.
  struct PendingAccess {
    WorkId work;
    size_t index;
    std::string name;
    SourceRange range;
  };

  TextReader &reader;
  std::unique_ptr<Kernel> kernel;
  ExprScope scope;
  llvm::StringMap<bool> declared; // the kernel's names
  std::vector<PendingAccess> pending;
  struct PendingHold {
    WorkId work;
    size_t index;
    TextToken resource;
  };
  std::vector<PendingHold> pendingHolds;
  unsigned depth = 0;
};

template <typename IdT, typename T>
IdT KernelReader::find(const Table<IdT, T> &table, llvm::StringRef name) const {
  for (size_t i = 0; i < table.size(); ++i)
    if (table[table.idAt(i)].name == name)
      return table.idAt(i);
  return {};
}

template <typename UserT> void KernelReader::readUse(UserT &user) {
  if (!reader.accept("scalar"))
    return user.usedParams.push_back(paramByName(reader.word("a parameter")));
  TextToken name = reader.word("a scalar");
  ScalarId scalar = find(kernel->scalars, name.text);
  if (!scalar && !reader.failed())
    fail(name, "scalar");
  user.usedScalars.push_back(scalar);
}

// The enumerator of `E`, 0 … last, that is spelled `text`.
template <typename E, typename Spell>
std::optional<E> enumByName(llvm::StringRef text, E last, Spell spell) {
  for (unsigned i = 0; i <= static_cast<unsigned>(last); ++i)
    if (spell(static_cast<E>(i)) == text)
      return static_cast<E>(i);
  return std::nullopt;
}

} // namespace tsk::ir
