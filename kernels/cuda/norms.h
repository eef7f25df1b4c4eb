// norms.h: normalisations of rows, a group of lanes each.
#pragma once
#include "groups.h"
#include "loads.h"

__device__ __forceinline__ void normalise_row(const Group& g, int rows, int cols, float eps, float* dst,
    float* hat, float* inverse, const float* x, const float* scale, const float* shift) {
  const bool on = g.row < rows;
  const int n = on ? cols : 0;
  const long long at = g.row * cols;
  float total = 0.f, squares = 0.f;
  for (int j = g.lane; j < n; j += g.width) total += x[at + j];
  const float mean = sum(g, total) / cols;
  for (int j = g.lane; j < n; j += g.width) {
    const float d = x[at + j] - mean;
    squares = fmaf(d, d, squares);
  }
  const float inv = 1.f / sqrtf(sum(g, squares) / cols + eps);
  struct Normal {
    float hat, scale, shift;
  };
  const auto normal = [=](int j) { return Normal{(x[at + j] - mean) * inv, scale[j], shift[j]}; };
  pipelined(g.lane, n, g.width, normal, [=](int j, const Normal& v) {
    hat[at + j] = v.hat;
    dst[at + j] = v.hat * v.scale + v.shift;
  });
  if (on && g.lane == 0) inverse[g.row] = inv;
}

__device__ __forceinline__ void unit_row(const Group& g, int rows, int cols, float eps, float* dst,
    float* inverse, const float* x) {
  const bool on = g.row < rows;
  const int n = on ? cols : 0;
  const long long at = g.row * cols;
  float squares = 0.f;
  for (int j = g.lane; j < n; j += g.width) squares = fmaf(x[at + j], x[at + j], squares);
  const float length = sqrtf(sum(g, squares));
  const float inv = 1.f / (length < eps ? eps : length);
  pipelined(g.lane, n, g.width, [=](int j) { return inv * x[at + j]; }, [=](int j, float v) { dst[at + j] = v; });
  if (on && g.lane == 0) inverse[g.row] = inv;
}
