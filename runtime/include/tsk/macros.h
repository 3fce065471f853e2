// Function attributes for code that both compilers read: nvcc, and the host compiler that builds
// launchers, callers and the simulator.
#pragma once

#if defined(__CUDACC__)
#define TSK_HOST_DEVICE __host__ __device__ __forceinline__
#define TSK_DEVICE __device__ __forceinline__
#elif defined(TSK_SIM_COUNTED) // an access must be seen where it is written
#define TSK_HOST_DEVICE inline __attribute__((always_inline))
#define TSK_DEVICE inline __attribute__((always_inline))
#else
#define TSK_HOST_DEVICE inline
#define TSK_DEVICE inline
#endif
