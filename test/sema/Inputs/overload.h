// An overload that is not pure, beside one of a kernel's file that is.
#pragma once
__device__ int count;
__device__ inline int f(float) { return count++; }
