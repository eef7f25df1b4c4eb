// histogram.cu: states that are histograms of features. A group of lanes has
// a row.
#include "groups.h"

// An edge or a value that is NaN counts for nothing.
KERNEL(bucketize)(int width, int rows, int cols, int edge_rows, int* dst, const float* x, const float* edges,
    const int* first) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += width) {
    int bucket = first[j];
    for (int i = 0; i < edge_rows; i++) bucket += edges[(long long)i * cols + j] <= x[g.row * cols + j];
    dst[g.row * cols + j] = bucket;
  }
}

KERNEL(sum_rows)(int width, int rows, int cols, int terms, float* dst, int table_rows, const float* table,
    const int* index, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += width) {
    float total = 0.f;
    for (int i = 0; i < terms; i++) {
      const long long row = within(index[g.row * terms + i], table_rows, fault);
      total += table[row * cols + j];
    }
    dst[g.row * cols + j] = total;
  }
}

// folded is keep self + mix other, of number j of row i.
__device__ __forceinline__ float folded(long long i, int j, int cols, int nodes, const float* table,
    const int* self, const int* other, const float* keep, const float* mix, int* fault) {
  const long long a = within(self[i], nodes, fault), b = within(other[i], nodes, fault);
  return fmaf(keep[i], table[a * cols + j], mix[i] * table[b * cols + j]);
}

// add_at adds v to row[at[i]] as many times as a number occurs among at: the
// lane of its first occurrence does so.
__device__ __forceinline__ void add_at(float* row, float v, const int* at, int n, int i, int cols,
    int* fault) {
  for (int earlier = 0; earlier < i; earlier++)
    if (at[earlier] == at[i]) return;
  for (int k = i; k < n; k++)
    if (at[k] == at[i]) row[within(at[i], cols, fault)] += v;
}

KERNEL(fold_buckets)(int width, int rows, int cols, float* dst, int nodes, const float* table,
    const int* self, const int* other, int events, const int* event, const float* keep, const float* mix,
    const float* hit, const int* buckets, int features, int* fault) {
  const Group g = group(width);
  const bool on = g.row < rows;
  float* row = dst + g.row * cols;
  for (int j = g.lane; on && j < cols; j += width)
    row[j] = folded(g.row, j, cols, nodes, table, self, other, keep, mix, fault);
  __syncwarp();
  for (int i = g.lane; on && i < features; i += width) {
    const long long brought = within(event[g.row], events, fault);
    add_at(row, hit[g.row], buckets + brought * features, features, i, cols, fault);
  }
}

KERNEL(fold_rows)(int width, int rows, int cols, float* dst, int nodes, const float* table, const int* self,
    const int* other, int events, const int* event, const float* keep, const float* mix, const float* hit,
    const float* added, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  const long long brought = within(event[g.row], events, fault);
  for (int j = g.lane; j < cols; j += width) {
    const float old = folded(g.row, j, cols, nodes, table, self, other, keep, mix, fault);
    dst[g.row * cols + j] = fmaf(hit[g.row], added[brought * cols + j], old);
  }
}
