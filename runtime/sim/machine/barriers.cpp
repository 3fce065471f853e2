// Barriers of the CTA: all its threads, and the hardware's sixteen named ones.
#include "machine.h"
#include "text.h"

namespace tsk::sim {

void recheck_cta_barrier(cta &block) {
  // Threads that have ended count as arrived, unless somebody has said how many must come.
  if (block.at_cta_barrier.empty() || block.at_cta_barrier.size() != block.wanted_at_cta_barrier())
    return;
  machine &m = *block.owner;
  m.progress();
  if (block.live != block.threads.size())
    for (const thread &t : block.threads)
      if (t.done)
        race_arrival(t, &block.at_cta_barrier);
  race_completion(*block.at_cta_barrier.front(), &block.at_cta_barrier);
  for (thread *t : block.at_cta_barrier) {
    race_pass(*t, &block.at_cta_barrier);
    m.wake(*t);
  }
  block.at_cta_barrier.clear();
  block.all_must_come = false;
}

void recheck_cluster_barrier(cluster &peers) {
  if (peers.at_barrier.empty() || peers.at_barrier.size() != peers.live)
    return;
  machine &m = *peers.at_barrier.front()->block->owner;
  m.progress();
  for (thread *t : peers.at_barrier)
    m.wake(*t);
  peers.at_barrier.clear();
}

void cluster_sync(place at) {
  thread &t = self();
  cluster &peers = *t.block->peers;
  count_event("cluster_sync", at, 0, peers.at_barrier.size() + 1 != peers.live);
  peers.at_barrier.push_back(&t);
  waiting wait;
  wait.what = waiting::kind::cluster_barrier;
  wait.at = at;
  recheck_cluster_barrier(peers);
  t.block->owner->block(t, wait);
}

cta *find_peer(cta &block, unsigned rank, const char *operation, std::string &why) {
  const std::vector<cta *> &members = block.peers->members;
  if (rank >= members.size())
    why = cat(operation, " on the CTA of rank ", rank, " of a cluster of ", members.size());
  else if (members[rank] == nullptr)
    why = cat(operation, " on the CTA of rank ", rank,
              " of the cluster, which has ended: its shared memory may be another's by now");
  else
    return members[rank];
  return nullptr;
}

void *at_peer(void *shared, unsigned rank, place at) {
  thread &t = self();
  std::string why;
  const cta *peer = find_peer(*t.block, rank, "a store or load", why);
  if (peer == nullptr)
    t.block->owner->fault(t, why, at);
  return peer->shared + (static_cast<unsigned char *>(shared) - t.block->shared);
}

namespace {

void wait_for_cta(thread &t, place at) {
  count_event("cta_sync", at, 0,
              t.block->at_cta_barrier.size() + 1 != t.block->wanted_at_cta_barrier());
  race_arrival(t, &t.block->at_cta_barrier);
  t.block->at_cta_barrier.push_back(&t);
  waiting wait;
  wait.what = waiting::kind::cta_barrier;
  wait.at = at;
  recheck_cta_barrier(*t.block);
  t.block->owner->block(t, wait);
}

} // namespace

void cta_sync(place at) { wait_for_cta(self(), at); }

namespace {

named_barrier &join(thread &t, unsigned id, unsigned threads, place at) {
  machine &m = *t.block->owner;
  if (id == 0 || id > 15)
    m.fault(t, cat("named barrier ", id, "; ids are 1 .. 15 (0 is the CTA's, for all its threads)"),
            at);
  if (threads == 0 || threads % 32 != 0 || threads > t.block->threads.size())
    m.fault(t,
            cat("named barrier ", id, " for ", count(threads, "thread"),
                "; the count is a multiple of 32 up to the CTA's ", t.block->threads.size()),
            at);
  named_barrier &barrier = t.block->named[id];
  if (barrier.threads == 0) {
    barrier.threads = threads;
    barrier.first_at = at;
  }
  if (barrier.threads != threads)
    m.fault(t,
            cat("named barrier ", id, " used for ", threads, " threads while others expect ",
                barrier.threads, describe(m, barrier.first_at)),
            at);
  ++barrier.arrived;
  race_arrival(t, &barrier);
  m.progress();
  return barrier;
}

void settle(machine &m, named_barrier &barrier) {
  if (barrier.arrived != barrier.threads)
    return;
  for (thread *waiter : barrier.waiters) {
    race_completion(*waiter, &barrier);
    race_pass(*waiter, &barrier);
    m.wake(*waiter);
  }
  barrier = {};
}

} // namespace

void named_sync(unsigned id, unsigned threads, place at) {
  thread &t = self();
  // The CTA's own barrier, reached by tasks from different places in the code.
  if (id == 0 && threads == t.block->threads.size()) {
    t.block->all_must_come = true;
    return wait_for_cta(t, at);
  }
  count_event("named_barrier", at);
  named_barrier &barrier = join(t, id, threads, at);
  barrier.waiters.push_back(&t);
  waiting wait;
  wait.what = waiting::kind::named_barrier;
  wait.at = at;
  wait.number = id;
  settle(*t.block->owner, barrier);
  t.block->owner->block(t, wait);
}

void named_arrive(unsigned id, unsigned threads, place at) {
  thread &t = self();
  count_event("named_arrive", at);
  settle(*t.block->owner, join(t, id, threads, at));
  t.last = at;
  t.block->owner->maybe_yield(t, true);
}

} // namespace tsk::sim
