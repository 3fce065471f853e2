// The texts of reports: who, where, and what each thread of a stuck CTA waits for.
#include "machine.h"
#include "text.h"

namespace tsk::sim {

namespace {

constexpr size_t most_lines = 24;
constexpr size_t most_ctas = 2;

std::string coordinates(index3 index) {
  return cat("(", index.x, ", ", index.y, ", ", index.z, ")");
}

const task_name *task_of(const machine &m, unsigned warp_index) {
  for (size_t i = 0; i < m.names.task_count; ++i) {
    const task_name &task = m.names.tasks[i];
    if (warp_index >= task.first_warp && warp_index < task.first_warp + task.warps)
      return &task;
  }
  return nullptr;
}

// Threads of one task that wait for the same thing at the same place.
struct waiting_group {
  const thread *first = nullptr;
  const task_name *task = nullptr;
  unsigned threads = 0;
  unsigned first_warp = 0, last_warp = 0;
};

bool same_wait(const waiting &a, const waiting &b) {
  return a.what == b.what && a.barrier == b.barrier && a.parity == b.parity &&
         a.number == b.number && a.name == b.name && a.mask == b.mask && a.at.line == b.at.line;
}

std::vector<waiting_group> group_threads(const machine &m, const cta &block) {
  std::vector<waiting_group> groups;
  for (const thread &t : block.threads) {
    if (t.done)
      continue;
    const task_name *task = task_of(m, t.warp);
    waiting_group *mine = nullptr;
    for (waiting_group &g : groups)
      if (g.task == task && same_wait(g.first->wait, t.wait) &&
          (task != nullptr || g.first_warp == t.warp) && g.first->last.line == t.last.line)
        mine = &g;
    if (mine == nullptr) {
      groups.push_back({&t, task, 0, t.warp, t.warp});
      mine = &groups.back();
    }
    ++mine->threads;
    mine->last_warp = t.warp;
  }
  return groups;
}

std::string missing(const mbarrier_state &barrier) {
  std::string text = barrier.pending == 0 ? std::string("all arrivals of its phase are there")
                                          : cat("its phase misses ", barrier.pending, " of ",
                                                count(barrier.expected, "arrival"));
  if (barrier.bytes > 0)
    text += cat(" and ", barrier.bytes, " transaction bytes");
  if (barrier.bytes < 0)
    text += cat("; ", -barrier.bytes, " transaction bytes came that nobody expected");
  return text;
}

std::string what_for(const cta &block, const thread &t) {
  const waiting &wait = t.wait;
  switch (wait.what) {
  case waiting::kind::none:
    return "running";
  case waiting::kind::mbarrier:
    return cat("waiting for ", barrier_label(block, wait.barrier->offset), " (parity ", wait.parity,
               "): ", missing(*wait.barrier));
  case waiting::kind::cluster_barrier:
    return cat("waiting in cluster_sync: ", block.peers->at_barrier.size(), " of ",
               count(block.peers->live, "thread"), " are there");
  case waiting::kind::cta_barrier:
    return cat("waiting in cta_sync: ", block.at_cta_barrier.size(), " of ",
               count(block.wanted_at_cta_barrier(), "thread"), " are there");
  case waiting::kind::named_barrier: {
    const named_barrier &barrier = block.named[wait.number];
    return cat("waiting for ", barrier_label(block, wait.number, true), ": ", barrier.arrived,
               " of ", count(barrier.threads, "thread"), " are there");
  }
  case waiting::kind::collective:
    return cat("waiting in ", wait.name, " for the other lanes of the warp");
  case waiting::kind::bulk:
    return cat("waiting for ", wait.name, ", all but the newest ", wait.number);
  case waiting::kind::registers:
    return cat("waiting in setmaxnreg for ", wait.number, " registers a thread; ",
               block.free_registers, " are free in the CTA");
  }
  return "waiting";
}

std::string describe_group(const machine &m, const cta &block, const waiting_group &g) {
  const std::string warps = g.first_warp == g.last_warp
                                ? cat("warp ", g.first_warp)
                                : cat("warps ", g.first_warp, " .. ", g.last_warp + 1);
  const std::string who = g.task != nullptr ? cat("task ", g.task->name, " (", warps, ")") : warps;
  const place at = source_place(m.names, g.first->last);
  return cat("\n    ", who, ": ", count(g.threads, "thread"), " ", what_for(block, *g.first),
             at.line != 0 ? cat(", at ", at.file, ":", at.line) : std::string());
}

std::string describe_waiting(const machine &m, const std::vector<const cta *> &blocks) {
  std::string out;
  for (size_t i = 0; i < blocks.size() && i < most_ctas; ++i) {
    out += cat("\n  ", describe(*blocks[i]), ":");
    const std::vector<waiting_group> groups = group_threads(m, *blocks[i]);
    for (size_t g = 0; g < groups.size() && g < most_lines; ++g)
      out += describe_group(m, *blocks[i], groups[g]);
    if (groups.size() > most_lines)
      out += cat("\n    and ", groups.size() - most_lines, " more groups of threads");
  }
  if (blocks.size() > most_ctas)
    out += cat("\n  and ", count(blocks.size() - most_ctas, "more CTA"));
  return out;
}

} // namespace

// A statement may take several lines of the generated source: the last mark up to the line counts.
place source_place(const kernel_names &names, place at) {
  if (std::string_view(at.file) != names.generated_file)
    return at;
  const line_name *found = nullptr;
  for (size_t i = 0; i < names.line_count && names.lines[i].generated <= at.line; ++i)
    found = &names.lines[i];
  return found == nullptr || at.line - found->generated > 3 ? at : place{found->file, found->line};
}

std::string describe(const machine &m, place at) {
  at = source_place(m.names, at);
  return at.line == 0 ? std::string() : cat("\n  at ", at.file, ":", at.line);
}

std::string describe(const cta &block) {
  const kernel_names &names = block.owner->names;
  return cat("CTA ", coordinates(block.index), *names.kernel != 0 ? " of " : "", names.kernel);
}

std::string describe_warp(const cta &block, unsigned warp) {
  const task_name *task = task_of(*block.owner, warp);
  return cat("warp ", warp, task != nullptr ? cat(" (task ", task->name, ")") : std::string());
}

std::string describe(const thread &t) {
  const machine &m = *t.block->owner;
  const auto number = static_cast<unsigned>(&t - t.block->threads.data());
  const task_name *task = task_of(m, t.warp);
  if (task == nullptr)
    return cat("thread ", number, " (warp ", t.warp, ", lane ", t.lane, ") of ",
               describe(*t.block));
  return cat("thread ", number - task->first_warp * 32, " of task ", task->name, " (warp ", t.warp,
             ", lane ", t.lane, ") of ", describe(*t.block));
}

std::string barrier_label(const cta &block, unsigned where, bool is_named) {
  const kernel_names &names = block.owner->names;
  for (size_t i = 0; i < names.barrier_count; ++i) {
    const barrier_name &b = names.barriers[i];
    if (b.is_named != is_named)
      continue;
    if (is_named && where == b.offset)
      return b.name;
    if (!is_named && where >= b.offset && where < b.offset + 8 * b.stages)
      return b.stages == 1 ? std::string(b.name) : cat(b.name, "[", (where - b.offset) / 8, "]");
  }
  return is_named ? cat("named barrier ", where)
                  : cat("the mbarrier at offset ", where, " of shared memory");
}

std::string deadlock_report(const machine &m) {
  std::vector<const cta *> blocks;
  for (const auto &block : m.resident)
    blocks.push_back(block.get());
  return cat("deadlock: no thread can run and no copy is in flight", describe_waiting(m, blocks));
}

std::string livelock_report(const machine &m) {
  std::vector<const cta *> blocks;
  for (const auto &block : m.resident)
    blocks.push_back(block.get());
  return cat("livelock: threads run and nothing changes", describe_waiting(m, blocks));
}

} // namespace tsk::sim
