// norms.cu: normalisations of rows, a group of lanes each, and of columns.
#include "columns.h"
#include "norms.h"

KERNEL(layer_norm)(int width, int rows, int cols, float eps, float* dst, float* hat, float* inverse,
    const float* x, const float* scale, const float* shift) {
  normalise_row(group(width), rows, cols, eps, dst, hat, inverse, x, scale, shift);
}

KERNEL(layer_norm_grad)(int width, int rows, int cols, float* dx, const float* dy, const float* hat,
    const float* inverse, const float* scale) {
  const Group g = group(width);
  const int n = g.row < rows ? cols : 0;
  const long long at = g.row * cols;
  float mean = 0.f, slope = 0.f;
  for (int j = g.lane; j < n; j += width) {
    const float t = dy[at + j] * scale[j];
    mean += t;
    slope = fmaf(t, hat[at + j], slope);
  }
  mean = sum(g, mean) / cols;
  slope = sum(g, slope) / cols;
  const auto number = [=](int j) { return inverse[g.row] * (dy[at + j] * scale[j] - mean - slope * hat[at + j]); };
  pipelined(g.lane, n, width, number, [=](int j, float v) { dx[at + j] = v; });
}

// scale_sums are the gradients of scale and shift: the sums of dy hat and dy.
__device__ __forceinline__ Sums<2> scale_sums(float* room, const Column& c, int cols, const float* dy,
    const float* hat) {
  return sum_column<2>(room, c, [=](int i) {
    const long long at = (long long)i * cols + c.j;
    return Sums<2>{dy[at] * hat[at], dy[at]};
  });
}

KERNEL(scale_grad)(int rows, int cols, float* dscale, float* dshift, const float* dy, const float* hat) {
  DYNAMIC_SHARED(float, room);
  const Column c = column(rows, cols);
  const auto total = scale_sums(room, c, cols, dy, hat);
  if (!c.writes) return;
  dscale[c.j] = total.v[0];
  dshift[c.j] = total.v[1];
}

KERNEL(unit_rows)(int width, int rows, int cols, float eps, float* dst, float* inverse, const float* x) {
  unit_row(group(width), rows, cols, eps, dst, inverse, x);
}

KERNEL(unit_rows_grad)(int width, int rows, int cols, float* dx, const float* dy, const float* y,
    const float* inverse) {
  const Group g = group(width);
  const int n = g.row < rows ? cols : 0;
  const long long at = g.row * cols;
  float along = 0.f;
  for (int j = g.lane; j < n; j += width) along = fmaf(dy[at + j], y[at + j], along);
  along = sum(g, along);
  const auto number = [=](int j) { return inverse[g.row] * (dy[at + j] - along * y[at + j]); };
  pipelined(g.lane, n, width, number, [=](int j, float v) { dx[at + j] = v; });
}
