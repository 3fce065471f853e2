// Lies beside the kernel that includes it.
#pragma once
#define FACTOR 2.0f
