// columns.h: sums over the rows of a matrix. A block has eight columns, its
// threads side by side every 32nd row: each adds its own in order, then a
// tree.
#pragma once
#include "compat.h"

constexpr int column_tile = 8;

// sum_columns writes finish(j, sum of term(i, j) over the rows i); sums has
// room for a number of each thread, in shared memory.
template <class Term, class Finish>
__device__ __forceinline__ void sum_columns(float* sums, int rows, int cols, float* dst, Term term,
    Finish finish) {
  constexpr int loads = 4;
  const int group = threadIdx.x / column_tile, groups = blockDim.x / column_tile;
  const int j = blockIdx.x * column_tile + threadIdx.x % column_tile;
  float own = 0.f;
  for (int i = group; i < rows && j < cols; i += loads * groups) {
    float v[loads];
    for (int k = 0; k < loads; k++) v[k] = i + k * groups < rows ? term(i + k * groups, j) : 0.f;
    for (int k = 0; k < loads; k++) own += v[k];
  }
  sums[threadIdx.x] = own;
  for (int step = groups / 2; step > 0; step /= 2) {
    __syncthreads();
    if (group < step) sums[threadIdx.x] += sums[threadIdx.x + step * column_tile];
  }
  if (group == 0 && j < cols) dst[j] = finish(j, sums[threadIdx.x]);
}
