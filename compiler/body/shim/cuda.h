// Of the driver's interface, what the runtime's device headers name.
#pragma once

#include "cuda_runtime.h"

struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
