// The element types of the language as CUDA's own types. The simulator has its own scalars.h.
#pragma once

#include <tsk/macros.h>

#include <cuda_runtime_api.h>

#if !defined(CUDART_VERSION) || CUDART_VERSION < 12080 // the first with cuda_fp4.h
#error "tsk needs CUDA 12.8 or later (12.9 for sm_103a)"
#endif

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include <cstdint>

namespace tsk {

using f64 = double;
using f32 = float;
using f16 = __half;
using bf16 = __nv_bfloat16;
using f8e4m3 = __nv_fp8_e4m3;
using f8e5m2 = __nv_fp8_e5m2;
using f4e2m1 = __nv_fp4_e2m1;
using ue8m0 = __nv_fp8_e8m0;

// A float whose low 13 bits the tensor cores ignore.
struct tf32 {
  float value;
  TSK_HOST_DEVICE operator float() const { return value; }
};

// The unsigned reading of e4m3's bits: a block scale, never negative.
struct ue4m3 {
  __nv_fp8_e4m3 value;
  TSK_HOST_DEVICE operator float() const { return static_cast<float>(value); }
};

} // namespace tsk
