// Another door to the same declarations.
#pragma once

#include <cooperative_groups.h>
