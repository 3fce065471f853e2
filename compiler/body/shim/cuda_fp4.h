// CUDA's 4-bit float.
#pragma once

#include "cuda_fp8.h"

TSK_SHIM_NARROW(__nv_fp4_e2m1, unsigned char)
TSK_SHIM_NARROW_VECTOR(__nv_fp4x2_e2m1, unsigned char, float2)
TSK_SHIM_NARROW_VECTOR(__nv_fp4x4_e2m1, unsigned short, float4)
