// Which CTAs of its cluster a CTA works with; the same for a GPU and for the simulator. Included by
// device.cuh, which says who this CTA is. Ranks count x first.
#pragma once

#include <tsk/macros.h>

namespace tsk {

template <int CtasX, int CtasY, int CtasZ> struct cluster {
  static constexpr int size = CtasX * CtasY * CtasZ;

  // This CTA's place along an axis.
  template <int Axis> TSK_DEVICE static int place() {
    return Axis == 0 ? cta_rank_x() : Axis == 1 ? cta_rank_y() : cta_rank_z();
  }

  // This CTA and those that differ from it in one of the axes alone (bits: x 1, y 2, z 4), as a set
  // of ranks.
  template <int Axes> TSK_DEVICE static unsigned peers() {
    unsigned set = 0;
    if ((Axes & 1) != 0)
      set |= line(CtasX, 1, cta_rank() - cta_rank_x());
    if ((Axes & 2) != 0)
      set |= line(CtasY, CtasX, cta_rank() - cta_rank_y() * CtasX);
    if ((Axes & 4) != 0)
      set |= line(CtasZ, CtasX * CtasY, cta_rank() - cta_rank_z() * CtasX * CtasY);
    return set;
  }

private:
  // Ranks a step apart; a constant where they are all that there are.
  TSK_DEVICE static unsigned line(int count, int step, int first) {
    unsigned set = 0;
    for (int i = 0; i < count; ++i)
      set |= 1u << (i * step);
    return count == size ? set : set << first;
  }
};

// A stage that TMA fills from a tensor, one of `Slices` equal parts of its rows by each CTA of a
// line of the cluster into all of them: its view and the extents of a box.
template <typename Tile, int Slices, int... Box> struct tma_multicast;

} // namespace tsk
