// Another door to the same declarations.
#pragma once

#include "cuda_runtime.h"
