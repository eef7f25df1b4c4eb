// groups.h: a group of neighbouring lanes works on a row of a matrix. A group has
// 1, 2, 4 ... 32 lanes, so that narrow rows share a warp; where its lanes exchange
// nothing, up to 256. Sums over a group have one order: each lane
// adds its own elements, then a tree.
#pragma once
#include "compat.h"

struct Group {
  long long row;
  int lane, width;
};

__device__ __forceinline__ Group group(int width) {
  return {element() >> (__ffs(width) - 1), static_cast<int>(threadIdx.x & (width - 1)), width};
}

// All lanes of a warp must call sum, those beyond the last row too.
template <class T>
__device__ __forceinline__ T sum(const Group& g, T v) {
  for (int step = g.width / 2; step > 0; step /= 2) v += __shfl_xor_sync(all_lanes, v, step);
  return v;
}

// warp_group has the whole warp for row number warp.
__device__ __forceinline__ Group warp_group() { return group(32); }

__device__ __forceinline__ float largest(const Group& g, float v) {
  for (int step = g.width / 2; step > 0; step /= 2) v = fmaxf(v, __shfl_xor_sync(all_lanes, v, step));
  return v;
}
