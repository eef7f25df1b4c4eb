// histogram.cu: states that are histograms of features. A group of lanes works on
// a row.
#include "groups.h"
#include "loads.h"

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
    bool bad = false;
    const auto term = [&](int i) { return table[(long long)within(index[g.row * terms + i], table_rows, bad) * cols + j]; };
    pipelined(0, terms, 1, term, [&](int, float v) { total += v; });
    dst[g.row * cols + j] = total;
    if (bad) atomicOr(fault, 1);
  }
}

// Folded is keep self + mix other, of a row.
struct Folded {
  float keep, mix;
  const float *self, *other;
  __device__ __forceinline__ float operator[](int j) const { return fmaf(keep, self[j], mix * other[j]); }
};

__device__ __forceinline__ Folded folded(long long i, int cols, int nodes, const float* table, const int* self,
    const int* other, const float* keep, const float* mix, int* fault) {
  const long long a = within(self[i], nodes, fault), b = within(other[i], nodes, fault);
  return {keep[i], mix[i], table + a * cols, table + b * cols};
}

// add_at adds v to row[at[i]] as many times as a number occurs among at: the
// lane of its first occurrence does so.
__device__ __forceinline__ void add_at(float* row, float v, const int* at, int n, int i, int cols,
    int* fault) {
  const int own = at[i];
  int earlier = 0, times = 0;
  for (int k = 0; k < n; k++) {
    earlier += k < i && at[k] == own;
    times += at[k] == own;
  }
  if (earlier > 0) return;
  float& to = row[within(own, cols, fault)];
  float total = to;
  for (; times > 0; times--) total += v;
  to = total;
}

KERNEL(fold_buckets)(int width, int rows, int cols, float* dst, int nodes, const float* table,
    const int* self, const int* other, int events, const int* event, const float* keep, const float* mix,
    const float* hit, const int* buckets, int features, int* fault) {
  const Group g = group(width);
  const bool on = g.row < rows;
  float* row = dst + g.row * cols;
  if (on) {
    const Folded old = folded(g.row, cols, nodes, table, self, other, keep, mix, fault);
    pipelined(g.lane, cols, width, [=](int j) { return old[j]; }, [=](int j, float v) { row[j] = v; });
  }
  __syncthreads();
  if (!on) return;
  const int* brought = buckets + (long long)within(event[g.row], events, fault) * features;
  for (int i = g.lane; i < features; i += width) add_at(row, hit[g.row], brought, features, i, cols, fault);
}

KERNEL(fold_rows)(int width, int rows, int cols, float* dst, int nodes, const float* table, const int* self,
    const int* other, int events, const int* event, const float* keep, const float* mix, const float* hit,
    const float* added, int* fault) {
  const Group g = group(width);
  if (g.row >= rows) return;
  const Folded old = folded(g.row, cols, nodes, table, self, other, keep, mix, fault);
  const float *brought = added + (long long)within(event[g.row], events, fault) * cols, share = hit[g.row];
  for (int j = g.lane; j < cols; j += width) dst[g.row * cols + j] = fmaf(share, brought[j], old[j]);
}
