// The columns of the knowledge matrix: which items a plan has. Found once for all runs by walking
// its steps.
#pragma once

#include "compiler/verify/model/Model.h"

namespace tsk::verify {

// The newest access of one source to one cell.
struct AccessItem {
  unsigned column = 0;
  // Of a cooperative call's threads: the access before the newest, against which the siblings of
  // the same call are judged. -1: the source has no siblings.
  int olderColumn = -1;
  int warp = -1; // -1: loads by the copy engine
  bool isWrite = false;
};

// Of one warp at one barrier; -1 where it has no such step.
struct BarrierUser {
  unsigned warp = 0;
  // Its contribution to the open phase, the newest completed one and the one before.
  int contributed[3] = {-1, -1, -1};
  int waited = -1;   // it has passed the newest completed phase
  int expected = -1; // its expect without arrival in the open phase
};

struct BarrierItems {
  unsigned newest = 0;       // its newest completed phase
  unsigned secondNewest = 0; // the one before
  std::vector<BarrierUser> users;

  BarrierUser &user(unsigned warp);
  const BarrierUser *find(unsigned warp) const;
};

class Items {
public:
  explicit Items(const Model &model);

  unsigned columns = 0;
  std::vector<std::vector<AccessItem>> accesses; // by cell
  std::vector<BarrierItems> barriers;            // by barrier cell
  std::vector<BarrierItems> threadBarriers;

  // The index in accesses[cell]; the item exists.
  unsigned access(unsigned cell, int warp, bool isWrite) const;

private:
  void collect(plan::RegionId region, unsigned firstWarp, const plan::Task &task);
  void collectStep(const plan::Step &step, unsigned warp, bool hasSiblings);
  void collectAccess(const plan::Access &access, unsigned warp, bool hasSiblings);
  void addAccess(unsigned cell, int warp, bool isWrite, bool hasSiblings);
  void addContribution(BarrierUser &user);
  int column(int &slot);

  const Model &model;
};

} // namespace tsk::verify
