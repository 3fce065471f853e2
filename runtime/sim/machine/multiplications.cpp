// wgmma: what a thread has begun and not yet awaited. Each multiplication takes place at a time
// that the seed decides, at once at the earliest and at the wait for it at the latest (in order
// zero always then), so that an operand that is given back too early shows as wrong data.
#include "machine.h"
#include "text.h"

#include <algorithm>
#include <utility>

namespace tsk::sim {

static void run(multiplication_group &group) {
  for (multiplication &each : std::exchange(group, {}))
    each.compute();
}

static void run_all(thread &t) {
  for (multiplication_group &group : t.multiplications)
    run(group);
  run(t.open_multiplications);
}

bool wgmma_is_pending(const void *target) {
  const auto writes = [&](const multiplication_group &group) {
    return std::any_of(group.begin(), group.end(),
                       [&](const multiplication &each) { return each.target == target; });
  };
  const thread &t = self();
  return writes(t.open_multiplications) ||
         std::any_of(t.multiplications.begin(), t.multiplications.end(), writes);
}

void wgmma_begin(std::function<void()> compute, const std::function<void()> &spoil,
                 uint64_t operations, const void *target, place at) {
  warp_sync(full_mask, at); // all lanes of the warp come together
  thread &t = self();
  machine &m = *t.block->owner;
  count_event("wgmma", at, operations);
  if (m.order.seed == 0 || m.random.one_in(2)) {
    spoil();
    t.open_multiplications.push_back({std::move(compute), at, target});
    return;
  }
  run_all(t);
  compute();
  t.open_multiplications.push_back({[] {}, at, nullptr});
  m.progress();
}

void wgmma_commit(place) {
  thread &t = self();
  t.multiplications.push_back(std::exchange(t.open_multiplications, {}));
}

// An instruction of the whole warp: no lane goes on before the parts of all are done.
void wgmma_wait(unsigned pending) {
  thread &t = self();
  while (t.multiplications.size() > pending) {
    run(t.multiplications.front());
    t.multiplications.pop_front();
  }
  meet_in_warp("wgmma_wait", t.last);
}

// A CTA's shared memory goes away with it, whoever still reads it.
void check_multiplications_at_end(thread &t) {
  for (multiplication_group &group : t.multiplications)
    if (!group.empty())
      t.open_multiplications.push_back(group.front());
  if (!t.open_multiplications.empty())
    t.block->owner->stop(cat("a multiplication was still in flight when its thread ended\n  in ",
                             describe(t), describe(*t.block->owner, t.open_multiplications[0].at)));
}

} // namespace tsk::sim
