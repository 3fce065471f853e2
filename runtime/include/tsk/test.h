// What test programs made from `test` blocks are written with: tensors on the host, fills that give
// the same numbers everywhere, comparisons, a reference library, and a runner. C++17; the same text
// serves a GPU and the simulator.
#pragma once

#include <tsk/test/expect.h>
#include <tsk/test/launch.h>
#include <tsk/test/reference.h>
#include <tsk/test/runner.h>
#include <tsk/test/tensor.h>
