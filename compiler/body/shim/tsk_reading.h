// What stands before the bodies that are read: CUDA, the runtime, and what only the reader needs.
#pragma once

#include "cuda_runtime.h"

#include <tsk/device.cuh>
#include <tsk/fragment.h>

namespace tsk::reading {

// A stage of a field that TMA knows: which of the two a work needs is what the reader finds out.
template <typename T, int... Dims> struct field : smem_tile<T, Dims...>, tma_tile<T, Dims...> {};

// Writes down what the reader knows of the value here: for the reader's tests.
template <typename T> __device__ void claim(long long number, T value);

} // namespace tsk::reading

// Known by name (Primitives.def): what they do is not read.
namespace tsk {
template <int N, typename A, typename B>
__device__ void wgmma(fragment<f32, 64, N> &c, A a, B b, bool accumulates);
template <typename... Arguments> __device__ void tma_store(Arguments &&...);

// As stores by the threads, which it is.
template <typename Tile, typename T, int Columns>
__device__ void stmatrix(tile_rows<Tile> to, const fragment<T, 64, Columns> &from) {
  for (int i = 0; i < from.size(); ++i)
    to.tile(to.first + from.row(i), from.column(i)) = from[i];
}
template <typename Tile, typename T, int Columns>
__device__ void stmatrix(Tile to, const fragment<T, 64, Columns> &from) {
  stmatrix(to.rows(0, 64), from);
}
template <typename Tile, typename T, int Columns>
__device__ void stmatrix_transposed(tile_rows<Tile> to, const fragment<T, 64, Columns> &from) {
  for (int i = 0; i < from.size(); ++i)
    to.tile(to.first + from.column(i), from.row(i)) = from[i];
}
template <typename Tile, typename T, int Columns>
__device__ void stmatrix_transposed(Tile to, const fragment<T, 64, Columns> &from) {
  stmatrix_transposed(to.rows(0, Columns), from);
}
} // namespace tsk

// The primitives that the runtime does not have yet: a body that uses one is read all the same.
namespace tsk {

template <typename... Arguments> __device__ void tma_reduce(Arguments &&...);
template <typename... Arguments> __device__ void cp_async(Arguments &&...);
template <typename... Arguments> __device__ void umma(Arguments &&...);
template <typename... Arguments> __device__ void umma_pair(Arguments &&...);
template <typename... Arguments> __device__ void tmem_load(Arguments &&...);
template <typename... Arguments> __device__ void tmem_store(Arguments &&...);
template <typename... Arguments> __device__ void task_sync(Arguments &&...);

} // namespace tsk
