// Function attributes for code that both compilers read: nvcc, and the host compiler that builds
// launchers, callers and the simulator.
#pragma once

#if defined(__CUDACC__)
#define TSK_HOST_DEVICE __host__ __device__ __forceinline__
#define TSK_DEVICE __device__ __forceinline__
#else
#define TSK_HOST_DEVICE inline
#define TSK_DEVICE inline
#endif
