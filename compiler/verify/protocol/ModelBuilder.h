// How buildModel proceeds; each step has a file of its own.
#pragma once

#include "compiler/verify/protocol/Model.h"

namespace tsk::protocol {

// Agents with flat code, cursors, parts (Flatten.cpp).
void flattenAgents(Model &model, bool fold);
// Barrier elements, cell elements and atoms, without columns (Elements.cpp).
void layOutElements(Model &model);
// Which rings can turn (Rings.cpp).
void findRings(Model &model);
// Columns of the knowledge matrix (Columns.cpp).
void assignColumns(Model &model);

} // namespace tsk::protocol
