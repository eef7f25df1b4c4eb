// histogram.cu: states that are histograms of features. A group of lanes has
// a row.
#include "groups.h"

// An edge or a value that is NaN counts for nothing.
KERNEL(bucketize)(int width, int rows, int cols, int edge_rows, int* dst, const float* x, const float* edges, const int* first) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += width) {
    int bucket = first[j];
    for (int i = 0; i < edge_rows; i++) bucket += edges[(long long)i * cols + j] <= x[g.row * cols + j];
    dst[g.row * cols + j] = bucket;
  }
}

KERNEL(sum_rows)(int width, int rows, int cols, int terms, float* dst, int table_rows, const float* table, const int* index) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += width) {
    float total = 0.f;
    for (int i = 0; i < terms; i++) total += table[(long long)within(index[g.row * terms + i], table_rows) * cols + j];
    dst[g.row * cols + j] = total;
  }
}

// folded is keep self + mix other, of number j of row i.
__device__ __forceinline__ float folded(long long i, int j, int cols, int nodes, const float* table, const int* self, const int* other, const float* keep, const float* mix) {
  return fmaf(keep[i], table[(long long)within(self[i], nodes) * cols + j], mix[i] * table[(long long)within(other[i], nodes) * cols + j]);
}

// add_at adds v to row[at[i]] as many times as a number occurs among at: the
// lane of its first occurrence does so.
__device__ __forceinline__ void add_at(float* row, float v, const int* at, int n, int i, int cols) {
  for (int earlier = 0; earlier < i; earlier++)
    if (at[earlier] == at[i]) return;
  for (int k = i; k < n; k++)
    if (at[k] == at[i]) row[within(at[i], cols)] += v;
}

KERNEL(fold_buckets)(int width, int rows, int cols, float* dst, int nodes, const float* table, const int* self, const int* other, int events, const int* event, const float* keep, const float* mix, const float* hit, const int* buckets, int features) {
  const Group g = group(width);
  const bool on = g.row < rows;
  for (int j = g.lane; on && j < cols; j += width) dst[g.row * cols + j] = folded(g.row, j, cols, nodes, table, self, other, keep, mix);
  __syncwarp();
  for (int i = g.lane; on && i < features; i += width) add_at(dst + g.row * cols, hit[g.row], buckets + (long long)within(event[g.row], events) * features, features, i, cols);
}

KERNEL(fold_rows)(int width, int rows, int cols, float* dst, int nodes, const float* table, const int* self, const int* other, int events, const int* event, const float* keep, const float* mix, const float* hit, const float* added) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += width)
    dst[g.row * cols + j] = fmaf(hit[g.row], added[(long long)within(event[g.row], events) * cols + j], folded(g.row, j, cols, nodes, table, self, other, keep, mix));
}
