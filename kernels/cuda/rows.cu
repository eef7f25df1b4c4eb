// rows.cu: rows of matrices by lists of row numbers. A group of lanes works on a
// row.
#include "columns.h"
#include "loads.h"
#include "occurrences.h"
#include "tables.h"

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

// A warp works on a row. The last of several rows with one index is written: the
// others find it and do nothing.
KERNEL(scatter_rows)(int rows, int cols, int dst_rows, float* dst, const float* src, const int* index, int* fault) {
  const Group g = warp_group();
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  if (next(g, index, g.row + 1, rows, to) < rows) return;
  const auto number = [=](int j) { return src[g.row * cols + j]; };
  pipelined(g.lane, cols, g.width, number, [=](int j, float v) { dst[(long long)to * cols + j] = v; });
}

// The first of several rows with one index adds them all, in order: a warp 32
// of their columns.
KERNEL(scatter_add_rows)(int rows, int cols, int dst_rows, float* dst, const float* src, const int* index,
    int* fault) {
  const Group g = warp_group();
  const int j = blockIdx.y * g.width + g.lane;
  if (g.row >= rows) return;
  const int to = within(index[g.row], dst_rows, fault);
  if (next(g, index, 0, g.row, to) < g.row) return;
  float total = j < cols ? dst[(long long)to * cols + j] : 0.f;
  for (int begin = g.row; begin < rows;) {
    const int places = next_few(g, index, begin, rows, to);
    float v[few];
    for (int k = 0; k < few; k++) {
      const int i = __shfl_sync(all_lanes, places, k);
      v[k] = i < rows && j < cols ? src[(long long)i * cols + j] : 0.f;
    }
    for (int k = 0; k < few; k++) total += v[k];
  }
  if (j < cols) dst[(long long)to * cols + j] = total;
}

// A row of blocks works on one buffer of each group; y may be missing. Row numbers
// that are out of range set the flag once, at the end.
KERNEL(contract_rows)(int rows, int cols, const Entry* sums, const float* w, int src_rows, const Entry* sources,
    const int* index, const Entry* factors, int* fault) {
  DYNAMIC_SHARED(float, room);
  const float* src = sources[blockIdx.y].numbers;
  const Column c = column(rows, cols);
  bool bad = false;
  const auto total = sum_column<1>(room, c, [&](int i) {
    const long long row = within(index[i], src_rows, bad);
    return Sums<1>{w[(long long)i * cols + c.j] * src[row * cols + c.j]};
  });
  if (bad) atomicOr(fault, 1);
  const float* y = factors ? factors[blockIdx.y].numbers : nullptr;
  if (c.writes) sums[blockIdx.y].numbers[c.j] = y ? total.v[0] * (y[c.j] * (1.f - y[c.j])) : total.v[0];
}

KERNEL(copy_rows)(int width, int rows, int cols, float* dst, long long dst_stride, const float* src,
    long long src_stride) {
  const Group g = group(width);
  if (g.row < rows) copy_row(g, cols, dst + g.row * dst_stride, src + g.row * src_stride);
}

KERNEL(move_rows)(int width, int rows, int cols, int dst_rows, float* dst, const int* to, int src_rows,
    const float* src, const int* from, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  const long long into = within(to[g.row], dst_rows, fault), of = within(from[g.row], src_rows, fault);
  copy_row(g, cols, dst + into * cols, src + of * cols);
}
