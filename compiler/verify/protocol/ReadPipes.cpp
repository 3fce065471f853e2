// Pipelines in short form, for programs of whole kernels. `pipe x[2] TA` declares the field x, the
// barriers x.full and x.empty and the statements x.acq, x.put, x.com, x.wait, x.get, x.rel; each
// warp of the task executes them, with cursors x.p and x.c.
#include "compiler/verify/protocol/ReaderImpl.h"

namespace tsk::protocol {

static constexpr int PipeBytes = 64;

void ReaderImpl::readPipe() {
  std::string name = tokens.name("a pipeline's name");
  unsigned stages = readStages();
  std::string kind = tokens.name("two of A, T, U");
  Pipe pipe;
  if (kind.size() != 2 || !llvm::StringRef("ATU").contains(kind[0]) ||
      !llvm::StringRef("AU").contains(kind[1]))
    return tokens.fail("expected producer (A, T, U) and consumer (A, U)");
  pipe.producer = kind[0];
  pipe.consumer = kind[1];
  CellArray cell;
  cell.name = name;
  cell.stages = stages;
  if (kind[0] == 'U' || tokens.accept("tensor"))
    cell.space = Space::Tensor;
  if (tokens.accept("nodata"))
    pipe.hasData = false;
  if (tokens.accept("at")) {
    cell.hasAddress = true;
    cell.address = tokens.number("an address", 0, 1 << 26);
    tokens.expect("size");
    cell.stageBytes = tokens.number("a size", 1, 1 << 24);
  }
  if (cells.count(name) || barriers.count(name + ".full"))
    return tokens.fail("`" + name + "` is declared twice");
  pipe.cell = static_cast<int>(program.cells.size());
  cells[name] = pipe.cell;
  program.cells.push_back(cell);
  for (const char *part : {".full", ".empty"}) {
    BarrierArray bar;
    bar.name = name + part;
    bar.stages = stages;
    barriers[bar.name] = static_cast<int>(program.barriers.size());
    program.barriers.push_back(bar);
  }
  pipe.full = barriers[name + ".full"];
  pipe.empty = barriers[name + ".empty"];
  pipes[name] = pipe;
}

bool ReaderImpl::readPipeOp(Region &into, llvm::StringRef word) {
  auto [name, verb] = word.rsplit('.');
  auto found = pipes.find(name.str());
  if (found == pipes.end())
    return false;
  Pipe &pipe = found->second;
  bool produces = verb == "acq" || verb == "put" || verb == "com";
  if (!produces && verb != "wait" && verb != "get" && verb != "rel" && verb != "nextc")
    return false;
  Index at;
  at.cursor = cursor(name.str() + (produces ? ".p" : ".c"));
  unsigned stages = program.cells[pipe.cell].stages;
  auto barrier = [&](OpKind kind, bool isFull, int n) {
    Op op;
    op.kind = kind;
    op.bar = {isFull ? pipe.full : pipe.empty, at, {}};
    op.parity = {at.cursor, 0, stages, !isFull};
    op.n = n;
    return op;
  };
  auto access = [&](OpKind kind, bool isWrite) {
    Op op;
    op.kind = kind;
    op.cells.push_back({pipe.cell, at, {}, isWrite, true});
    return op;
  };
  auto byLeader = [&](Op op) {
    Region body;
    add(body, std::move(op));
    into.push_back(leader(std::move(body)));
  };
  auto next = [&] {
    Op op;
    op.kind = OpKind::Next;
    op.cursor = at.cursor;
    add(into, op);
  };
  if (verb == "acq") {
    add(into, barrier(OpKind::Wait, false, 1));
    if (pipe.producer == 'T')
      byLeader(barrier(OpKind::ArriveExpect, true, PipeBytes));
  } else if (verb == "put" && pipe.producer == 'T') {
    Op load = access(OpKind::Load, true);
    load.bar = {pipe.full, at, {}};
    load.n = PipeBytes;
    byLeader(load);
  } else if (verb == "put" && pipe.producer == 'U') {
    byLeader(access(OpKind::Mma, true));
  } else if (verb == "put") {
    add(into, access(OpKind::Access, true));
  } else if (verb == "com") {
    if (pipe.producer == 'U')
      byLeader(barrier(OpKind::TensorCommit, true, 1));
    if (pipe.producer == 'A') {
      if (pipe.consumer == 'U' && program.cells[pipe.cell].space == Space::Shared) {
        Op fence;
        fence.kind = OpKind::ProxyFence;
        add(into, fence);
      }
      add(into, barrier(OpKind::Arrive, true, 1));
    }
    next();
  } else if (verb == "wait") {
    add(into, barrier(OpKind::Wait, true, 1));
  } else if (verb == "get" && pipe.consumer == 'U') {
    byLeader(access(OpKind::Mma, false));
  } else if (verb == "get") {
    add(into, access(OpKind::Access, false));
  } else if (verb == "rel") {
    if (pipe.consumer == 'U')
      byLeader(barrier(OpKind::TensorCommit, false, 1));
    else
      add(into, barrier(OpKind::Arrive, false, 1));
    next();
  } else {
    next();
  }
  return true;
}

// Who arrives on a barrier of a pipeline: every warp of every task that has the statement.
static unsigned arrivingWarps(const Program &program, int barrier) {
  unsigned warps = 0;
  for (const Task &task : program.tasks) {
    auto arrives = [&](const Region &region, auto &&self) -> bool {
      for (const Node &node : region)
        if ((node.kind == NodeKind::Op && node.op.kind == OpKind::Arrive &&
             node.op.bar.array == barrier) ||
            self(node.body, self) || self(node.elseBody, self))
          return true;
      return false;
    };
    if (arrives(task.body, arrives))
      warps += task.warps;
  }
  return warps;
}

void ReaderImpl::finishPipes() {
  for (auto &[name, pipe] : pipes) {
    if (pipe.producer == 'A')
      program.barriers[pipe.full].arrivals = std::max(1u, arrivingWarps(program, pipe.full));
    if (pipe.consumer == 'A')
      program.barriers[pipe.empty].arrivals = std::max(1u, arrivingWarps(program, pipe.empty));
  }
}

} // namespace tsk::protocol
