// rows.cu: rows of matrices by lists of row numbers. A group of lanes has a
// row.
#include "columns.h"
#include "occurrences.h"

__device__ __forceinline__ void copy_row(const Group& g, int cols, float* dst, const float* src) {
  for (int j = g.lane; j < cols; j += g.width) dst[j] = src[j];
}

KERNEL(gather_rows)(int width, int rows, int cols, float* dst, int src_rows, const float* src,
    const int* index, int* fault) {
  const Group g = group(width);
  if (g.row < rows) copy_row(g, cols, dst + g.row * cols, src + (long long)within(index[g.row], src_rows, fault) * cols);
}

KERNEL(put_rows)(int width, int rows, int cols, int dst_rows, float* dst, const float* src, const int* index, int* fault) {
  const Group g = group(width);
  if (g.row >= rows || index[g.row] < 0) return;
  copy_row(g, cols, dst + (long long)within(index[g.row], dst_rows, fault) * cols, src + g.row * cols);
}

// A warp has a row. The last of several rows with one index is kept: the
// others find it and do nothing.
KERNEL(scatter_rows)(int rows, int cols, int dst_rows, float* dst, const float* src, const int* index, int* fault) {
  const Group g = warp_group();
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  if (next(g, index, g.row + 1, rows, to) < rows) return;
  copy_row(g, cols, dst + (long long)to * cols, src + g.row * cols);
}

KERNEL(scatter_sums)(int rows, int cols, int dst_rows, float* dst, const float* a, const float* b,
    const int* index, int* fault) {
  const Group g = warp_group();
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  if (next(g, index, g.row + 1, rows, to) < rows) return;
  for (int j = g.lane; j < cols; j += g.width) dst[(long long)to * cols + j] = a[g.row * cols + j] + b[g.row * cols + j];
}

// The first of several rows with one index adds them all, in order.
KERNEL(scatter_add_rows)(int rows, int cols, int dst_rows, float* dst, const float* src, const int* index,
    int* fault) {
  const Group g = warp_group();
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  if (next(g, index, 0, g.row, to) < g.row) return;
  for (int i = g.row; i < rows; i = next(g, index, i + 1, rows, to))
    for (int j = g.lane; j < cols; j += g.width) dst[(long long)to * cols + j] += src[(long long)i * cols + j];
}

// Row numbers that are out of range are noted once, at the end. y may be
// missing.
KERNEL(contract_rows)(int rows, int cols, float* dst, const float* w, int src_rows, const float* src,
    const int* index, const float* y, int* fault) {
  DYNAMIC_SHARED(float, sums);
  bool bad = false;
  const auto term = [&](int i, int j) {
    const bool in = static_cast<unsigned>(index[i]) < static_cast<unsigned>(src_rows);
    bad |= !in;
    return w[(long long)i * cols + j] * src[(in ? index[i] : 0ll) * cols + j];
  };
  const auto finish = [=](int j, float sum) { return y ? sum * (y[j] * (1.f - y[j])) : sum; };
  sum_columns(sums, rows, cols, dst, term, finish);
  if (bad) atomicOr(fault, 1);
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
