// columns.h: sums over the rows of a matrix. A block of 256 threads has eight
// columns, its threads side by side every 32nd row: each adds its own in
// order, then those of a warp are a tree, and warps are added in order.
#pragma once
#include "loads.h"

constexpr int column_tile = 8, column_step = 32, column_warps = 8;

// Column is a thread's part: of column j every column_step-th row from first on.
// Beyond the last column it has no rows of that one.
struct Column {
  int j, first, rows;
  bool writes;  // what is the column's, not a row's
};

__device__ __forceinline__ Column column(int rows, int cols) {
  const int j = blockIdx.x * column_tile + threadIdx.x % column_tile, first = threadIdx.x / column_tile;
  return {min(j, cols - 1), first, j < cols ? rows : 0, j < cols && first == 0};
}

// each_row calls use(i, load(i)) for the rows of a thread.
template <class Load, class Use>
__device__ __forceinline__ void each_row(const Column& c, Load load, Use use) {
  pipelined(c.first, c.rows, column_step, load, use);
}

// Sums are several of one column, or what they are made of.
template <int n>
struct Sums {
  float v[n];
};

// sums_room is the numbers of shared memory that a sum needs.
constexpr int sums_room = column_warps * column_tile;

// sum_column is the sums of term(load(i)) over all rows i, for every thread of
// a column. All threads of a block must call it. Each of the sums needs room of its
// own.
template <int n, class Load, class Term>
__device__ __forceinline__ Sums<n> sum_column(float* room, const Column& c, Load load, Term term) {
  const int lane = threadIdx.x % 32, at = threadIdx.x % column_tile;
  Sums<n> own = {}, total = {};
  each_row(c, load, [&](int, const decltype(load(0))& v) {
    const Sums<n> t = term(v);
    for (int k = 0; k < n; k++) own.v[k] += t.v[k];
  });
  for (int k = 0; k < n; k++) {
    for (int step = column_tile; step < 32; step *= 2) own.v[k] += __shfl_xor_sync(all_lanes, own.v[k], step);
    if (lane < column_tile) room[k * sums_room + threadIdx.x / 32 * column_tile + at] = own.v[k];
  }
  __syncthreads();
  for (int k = 0; k < n; k++)
    for (int warp = 0; warp < column_warps; warp++) total.v[k] += room[k * sums_room + warp * column_tile + at];
  return total;
}

// Or the sums of load(i).
template <int n, class Load>
__device__ __forceinline__ Sums<n> sum_column(float* room, const Column& c, Load load) {
  return sum_column<n>(room, c, load, [](const Sums<n>& v) { return v; });
}
