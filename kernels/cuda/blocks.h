// blocks.h: blocks of h numbers, a group of lanes each.
#pragma once
#include "groups.h"

// block_sum is the sum of a group's block.
__device__ __forceinline__ float block_sum(const Group& g, int n, const float* z) {
  float total = 0.f;
  for (int j = g.lane; j < n; j += g.width) total += z[g.row * n + j];
  return sum(g, total);
}

// raised is a sum that is not smaller in size than floor.
__device__ __forceinline__ float raised(float sum,
    float floor) { return fabsf(sum) < floor ? copysignf(floor, sum) : sum; }

__device__ __forceinline__ void softmax_block(const Group& g, int blocks, int h, float scale, float* dst,
    const float* x) {
  const int n = g.row < blocks ? h : 0;
  const long long at = g.row * h;
  float top = -INFINITY, total = 0.f;
  for (int j = g.lane; j < n; j += g.width) top = fmaxf(top, x[at + j]);
  top = largest(g, top);
  for (int j = g.lane; j < n; j += g.width) total += dst[at + j] = expf((x[at + j] - top) * scale);
  total = sum(g, total);
  for (int j = g.lane; j < n; j += g.width) dst[at + j] /= total;
}

__device__ __forceinline__ void divide_by_sum(const Group& g, int blocks, int h, float eps, float floor,
    float* dst, const float* z) {
  const int n = g.row < blocks ? h : 0;
  const float d = raised(block_sum(g, n, z), floor) + eps;
  for (int j = g.lane; j < n; j += g.width) dst[g.row * h + j] = z[g.row * h + j] / d;
}
