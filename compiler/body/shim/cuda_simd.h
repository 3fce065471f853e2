// CUDA's functions on the bytes and halves of a register, and on numbers bound from below or above.
#pragma once

// Each for two and for four parts.
#define TSK_SHIM_PARTS(Name)                                                                       \
  __device__ unsigned Name##2(unsigned, unsigned);                                                 \
  __device__ unsigned Name##4(unsigned, unsigned);
TSK_SHIM_PARTS(__vadd)
TSK_SHIM_PARTS(__vaddss)
TSK_SHIM_PARTS(__vaddus)
TSK_SHIM_PARTS(__vsub)
TSK_SHIM_PARTS(__vsubss)
TSK_SHIM_PARTS(__vsubus)
TSK_SHIM_PARTS(__vavgs)
TSK_SHIM_PARTS(__vavgu)
TSK_SHIM_PARTS(__vhaddu)
TSK_SHIM_PARTS(__vmaxs)
TSK_SHIM_PARTS(__vmaxu)
TSK_SHIM_PARTS(__vmins)
TSK_SHIM_PARTS(__vminu)
TSK_SHIM_PARTS(__vabsdiffs)
TSK_SHIM_PARTS(__vabsdiffu)
TSK_SHIM_PARTS(__vsads)
TSK_SHIM_PARTS(__vsadu)
TSK_SHIM_PARTS(__vcmpeq)
TSK_SHIM_PARTS(__vcmpne)
TSK_SHIM_PARTS(__vseteq)
TSK_SHIM_PARTS(__vsetne)
TSK_SHIM_PARTS(__vcmpges)
TSK_SHIM_PARTS(__vcmpgeu)
TSK_SHIM_PARTS(__vcmpgts)
TSK_SHIM_PARTS(__vcmpgtu)
TSK_SHIM_PARTS(__vcmples)
TSK_SHIM_PARTS(__vcmpleu)
TSK_SHIM_PARTS(__vcmplts)
TSK_SHIM_PARTS(__vcmpltu)
TSK_SHIM_PARTS(__vsetges)
TSK_SHIM_PARTS(__vsetgeu)
TSK_SHIM_PARTS(__vsetgts)
TSK_SHIM_PARTS(__vsetgtu)
TSK_SHIM_PARTS(__vsetles)
TSK_SHIM_PARTS(__vsetleu)
TSK_SHIM_PARTS(__vsetlts)
TSK_SHIM_PARTS(__vsetltu)
#undef TSK_SHIM_PARTS
__device__ unsigned __vabs2(unsigned);
__device__ unsigned __vabs4(unsigned);
__device__ unsigned __vabsss2(unsigned);
__device__ unsigned __vabsss4(unsigned);
__device__ unsigned __vneg2(unsigned);
__device__ unsigned __vneg4(unsigned);
__device__ unsigned __vnegss2(unsigned);
__device__ unsigned __vnegss4(unsigned);

// The lesser or greater of two or three, of a sum and a third, or at least zero.
#define TSK_SHIM_BOUND(Name, S32, U32)                                                             \
  __device__ int Name##_s32(TSK_SHIM_##S32);                                                       \
  __device__ unsigned Name##_u32(TSK_SHIM_##U32);                                                  \
  __device__ unsigned Name##_s16x2(TSK_SHIM_##U32);                                                \
  __device__ unsigned Name##_u16x2(TSK_SHIM_##U32);
#define TSK_SHIM_BOUND_RELU(Name, S32, U32)                                                        \
  __device__ int Name##_s32_relu(TSK_SHIM_##S32);                                                  \
  __device__ unsigned Name##_s16x2_relu(TSK_SHIM_##U32);
#define TSK_SHIM_I2 int, int
#define TSK_SHIM_U2 unsigned, unsigned
#define TSK_SHIM_I3 int, int, int
#define TSK_SHIM_U3 unsigned, unsigned, unsigned
TSK_SHIM_BOUND(__vimin3, I3, U3)
TSK_SHIM_BOUND_RELU(__vimin3, I3, U3)
TSK_SHIM_BOUND(__vimax3, I3, U3)
TSK_SHIM_BOUND_RELU(__vimax3, I3, U3)
TSK_SHIM_BOUND(__viaddmin, I3, U3)
TSK_SHIM_BOUND_RELU(__viaddmin, I3, U3)
TSK_SHIM_BOUND(__viaddmax, I3, U3)
TSK_SHIM_BOUND_RELU(__viaddmax, I3, U3)
TSK_SHIM_BOUND_RELU(__vimin, I2, U2)
TSK_SHIM_BOUND_RELU(__vimax, I2, U2)
#undef TSK_SHIM_BOUND
#undef TSK_SHIM_BOUND_RELU
#undef TSK_SHIM_I2
#undef TSK_SHIM_U2
#undef TSK_SHIM_I3
#undef TSK_SHIM_U3
__device__ int __vibmin_s32(int, int, bool *);
__device__ unsigned __vibmin_u32(unsigned, unsigned, bool *);
__device__ unsigned __vibmin_s16x2(unsigned, unsigned, bool *, bool *);
__device__ unsigned __vibmin_u16x2(unsigned, unsigned, bool *, bool *);
__device__ int __vibmax_s32(int, int, bool *);
__device__ unsigned __vibmax_u32(unsigned, unsigned, bool *);
__device__ unsigned __vibmax_s16x2(unsigned, unsigned, bool *, bool *);
__device__ unsigned __vibmax_u16x2(unsigned, unsigned, bool *, bool *);
