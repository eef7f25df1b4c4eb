// rows.cu: rows of matrices by lists of row numbers. A group of lanes has a
// row.
#include "groups.h"

__device__ __forceinline__ void copy_row(const Group& g, int cols, float* dst, const float* src) {
  for (int j = g.lane; j < cols; j += g.width) dst[j] = src[j];
}

KERNEL(gather_rows)(int width, int rows, int cols, float* dst, int src_rows, const float* src,
    const int* index, int* fault) {
  const Group g = group(width);
  if (g.row < rows) copy_row(g, cols, dst + g.row * cols, src + (long long)within(index[g.row], src_rows, fault) * cols);
}

// The last of several rows with one index is kept: the others find it and do
// nothing.
KERNEL(scatter_rows)(int width, int rows, int cols, int dst_rows, float* dst, const float* src,
    const int* index, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  for (int later = g.row + 1; later < rows; later++)
    if (index[later] == to) return;
  copy_row(g, cols, dst + (long long)to * cols, src + g.row * cols);
}

// The first of several rows with one index adds them all, in order.
KERNEL(scatter_add_rows)(int width, int rows, int cols, int dst_rows, float* dst, const float* src,
    const int* index, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  for (int earlier = 0; earlier < g.row; earlier++)
    if (index[earlier] == to) return;
  for (int i = g.row; i < rows; i++) {
    if (index[i] != to) continue;
    for (int j = g.lane; j < cols; j += g.width) dst[(long long)to * cols + j] += src[(long long)i * cols + j];
  }
}

KERNEL(copy_rows)(int width, int rows, int cols, float* dst, long long dst_stride, const float* src,
    long long src_stride) {
  const Group g = group(width);
  if (g.row < rows) copy_row(g, cols, dst + g.row * dst_stride, src + g.row * src_stride);
}

KERNEL(scale_rows)(int width, int rows, int cols, float* dst, const float* x, const float* by) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += g.width) dst[g.row * cols + j] = by[g.row] * x[g.row * cols + j];
}

KERNEL(move_rows)(int width, int rows, int cols, int dst_rows, float* dst, const int* to, int src_rows,
    const float* src, const int* from, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  const long long into = within(to[g.row], dst_rows, fault), of = within(from[g.row], src_rows, fault);
  copy_row(g, cols, dst + into * cols, src + of * cols);
}
