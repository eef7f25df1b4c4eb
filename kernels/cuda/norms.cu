// norms.cu: normalisations of rows, a group of lanes each, and of columns, a
// thread each that takes the rows in order.
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
  for (int j = g.lane; j < n; j += width) dx[at + j] = inverse[g.row] * (dy[at + j] * scale[j] - mean - slope * hat[at + j]);
}

// scale_grad is dscale = the sum over the rows of dy hat, dshift that of dy.
KERNEL(scale_grad)(int rows, int cols, float* dscale, float* dshift, const float* dy, const float* hat) {
  const long long j = element();
  if (j >= cols) return;
  float scale = 0.f, shift = 0.f;
  for (long long at = j; at < (long long)rows * cols; at += cols) {
    scale = fmaf(dy[at], hat[at], scale);
    shift += dy[at];
  }
  dscale[j] = scale;
  dshift[j] = shift;
}

KERNEL(batch_norm)(int rows, int cols, float eps, float* dst, float* hat, float* mean, float* variance,
    float* inverse, const float* x, const float* scale, const float* shift) {
  const long long j = element(), end = (long long)rows * cols;
  if (j >= cols) return;
  float total = 0.f, squares = 0.f;
  for (long long at = j; at < end; at += cols) total += x[at];
  const float middle = total * (1.f / rows);
  for (long long at = j; at < end; at += cols) squares = fmaf(x[at] - middle, x[at] - middle, squares);
  const float spread = squares * (1.f / rows), inv = 1.f / sqrtf(spread + eps);
  for (long long at = j; at < end; at += cols) {
    hat[at] = (x[at] - middle) * inv;
    dst[at] = hat[at] * scale[j] + shift[j];
  }
  mean[j] = middle;
  variance[j] = spread;
  inverse[j] = inv;
}

KERNEL(batch_norm_fixed)(int rows, int cols, float eps, float* dst, float* inverse, const float* x,
    const float* mean, const float* variance, const float* scale, const float* shift) {
  const long long j = element();
  if (j >= cols) return;
  const float inv = inverse[j] = 1.f / sqrtf(variance[j] + eps);
  for (long long at = j; at < (long long)rows * cols; at += cols) dst[at] = (x[at] - mean[j]) * inv * scale[j] + shift[j];
}

// What scale_grad has found is in dscale and dshift.
KERNEL(batch_norm_grad)(int rows, int cols, float* dx, const float* dscale, const float* dshift,
    const float* dy, const float* hat, const float* inverse, const float* scale) {
  const long long j = element();
  if (j >= cols) return;
  for (long long at = j; at < (long long)rows * cols; at += cols)
    dx[at] = (dy[at] - (hat[at] * dscale[j] + dshift[j]) * (1.f / rows)) * inverse[j] * scale[j];
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
  for (int j = g.lane; j < n; j += width) dx[at + j] = inverse[g.row] * (dy[at + j] - along * y[at + j]);
}
