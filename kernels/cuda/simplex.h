// simplex.h: sparsemax and 1.5-entmax of blocks of h numbers, in float64. A
// warp works on a block.
#pragma once
#include "groups.h"
#include "scalars.h"

// Descent visits the numbers of a block from the largest down. Their values
// are scaled and less the largest, so that nothing large is summed.
struct Descent {
  const float* x;
  int h;
  double top, scale;
  float last;    // number visited
  int position;  // of it

  __device__ __forceinline__ double value(float v) const { return scale * (static_cast<double>(v) - top); }

  // next is the value of the next number; of equal ones the first comes
  // first.
  __device__ double next(const Group& g) {
    float best = 0.f;
    int at = h;
    for (int j = g.lane; j < h; j += g.width) {
      const bool comes = x[j] < last || (x[j] == last && j > position);
      if (comes && (at == h || x[j] > best)) {
        best = x[j];
        at = j;
      }
    }
    for (int step = g.width / 2; step > 0; step /= 2) {
      const float v = __shfl_xor_sync(all_lanes, best, step);
      const int j = __shfl_xor_sync(all_lanes, at, step);
      if (j < h && (at == h || v > best || (v == best && j < at))) {
        best = v;
        at = j;
      }
    }
    last = best;
    position = at;
    return value(best);
  }
};

// descent is that of a block; a NaN makes all its values NaN.
__device__ __forceinline__ Descent descent(const Group& g, const float* x, int h, double scale) {
  float top = -INFINITY, nan = 0.f;
  for (int j = g.lane; j < h; j += g.width) {
    top = fmaxf(top, x[j]);
    if (x[j] != x[j]) nan = x[j];
  }
  top = largest(g, top);
  return {x, h, static_cast<double>(top) + sum(g, nan), scale, INFINITY, -1};
}

__device__ __forceinline__ void sparsemax_block(const Group& g, int blocks, int h, float scale, float* dst,
    const float* x) {
  if (g.row >= blocks) return;
  Descent d = descent(g, x + g.row * h, h, scale);
  double sum = 0., tau = d.top == d.top ? 0. : d.top;
  for (int k = 1; k <= h && tau == tau; k++) {
    const double next = d.next(g);
    if (1. + k * next <= sum + next) break;
    sum += next;
    tau = (sum - 1.) / k;
  }
  for (int j = g.lane; j < h; j += g.width) dst[g.row * h + j] = static_cast<float>(larger(d.value(d.x[j]) - tau, 0.));
}

// The k largest are tried as support, for which tau solves the sum of
// (z - tau)^2 = 1, as long as the k-th lies above it.
__device__ __forceinline__ void entmax_block(const Group& g, int blocks, int h, float scale, float* dst,
    const float* x) {
  if (g.row >= blocks) return;
  Descent d = descent(g, x + g.row * h, h, static_cast<double>(scale / 2.f));
  double sum = 0., squares = 0., tau = 0.;
  for (int k = 1; k <= h && d.top == d.top; k++) {
    const double next = d.next(g);
    sum += next;
    squares += next * next;
    const double mean = sum / k, spread = (1. - (squares - mean * sum)) / k;
    const double wanted = mean - sqrt(larger(spread, 0.));
    if (!(wanted <= next)) break;  // nor with -inf, whose square is no use
    tau = wanted;
  }
  for (int j = g.lane; j < h; j += g.width) {
    const double root = larger(d.value(d.x[j]) - tau, 0.);
    dst[g.row * h + j] = static_cast<float>(root * root);
  }
}
