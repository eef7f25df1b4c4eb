// ranking.cu: scores of pairs of an event and a candidate, w . relu(u + p).
// Every score is one sum in order, so that equal rows have equal scores,
// whichever kernel computes them.
#include "scalars.h"

// add_term adds one dimension's term. Candidates move by moved times slope.
__device__ __forceinline__ float add_term(float sum, float w, float u, float p) { return fmaf(w, relu(u + p),
    sum); }
__device__ __forceinline__ float add_term(float sum, float w, float u, float p, float moved, float slope) {
  return fmaf(w, relu(fmaf(moved, slope, u + p)), sum);
}

// pair_scores scores single pairs. It marks events that have a score that is
// not finite.
KERNEL(pair_scores)(int n, int dim, const float* u, const float* p, const float* w, const float* slope,
    const float* event_time, const float* node_time, const int* events, const int* nodes, float* scores,
    int* bad) {
  const long long i = element();
  if (i >= n) return;
  const int e = events[i];
  const long long v = nodes[i];
  const float moved = slope ? event_time[e] + node_time[v] : 0.f;
  float sum = 0.f;
  for (int j = 0; j < dim; j++) {
    const float left = u[(long long)e * dim + j], right = p[v * dim + j];
    sum = slope ? add_term(sum, w[j], left, right, moved, slope[v * dim + j]) : add_term(sum, w[j], left, right);
  }
  scores[i] = sum;
  if (!finite(sum)) atomicOr(bad + e, 1);
}

constexpr int tile = 32, threads_a_side = 16, padded = tile + 1;

// load copies rows of a matrix, so many numbers from column j0 on. rows says
// which; null are those from first on.
__device__ __forceinline__ void load(float* to, const float* from, const int* rows, int first, int end,
    int j0, int dim) {
  for (int at = threadIdx.x; at < tile * tile; at += blockDim.x) {
    const int i = at / tile, j = at % tile;
    if (first + i >= end || j0 + j >= dim) continue;
    const long long row = rows ? rows[first + i] : first + i;
    to[i * padded + j] = from[row * dim + j0 + j];
  }
}

// all_scores scores all candidates, 32 events and 32 candidates a block. It
// writes the scores where they are asked for; else it counts those above and
// level with the event's true destination, whose score is truth.
KERNEL(all_scores)(int events, int candidates, int dim, const float* u, const float* p, const float* w,
    const float* slope, const float* event_time, const float* node_time, const int* nodes,
    const float* truth, float* scores, int* greater, int* equal, int* bad) {
  DYNAMIC_SHARED(float, of_u);
  float *of_p = of_u + tile * padded, *of_slope = of_p + tile * padded;
  const int event = blockIdx.y * tile, candidate = blockIdx.x * tile;
  const int y = threadIdx.x / threads_a_side, x = threadIdx.x % threads_a_side;
  float sums[2][2] = {}, moved[2][2] = {};
  for (int i = 0; slope && i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const int e = event + y + i * threads_a_side, c = candidate + x + k * threads_a_side;
      if (e < events && c < candidates) moved[i][k] = event_time[e] + node_time[nodes ? nodes[c] : c];
    }
  for (int j0 = 0; j0 < dim; j0 += tile) {
    load(of_u, u, nullptr, event, events, j0, dim);
    load(of_p, p, nodes, candidate, candidates, j0, dim);
    if (slope) load(of_slope, slope, nodes, candidate, candidates, j0, dim);
    __syncthreads();
    for (int j = 0; j < min(tile, dim - j0); j++)
      for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
          const float left = of_u[(y + i * threads_a_side) * padded + j];
          const int right = (x + k * threads_a_side) * padded + j;
          sums[i][k] = slope ? add_term(sums[i][k], w[j0 + j], left, of_p[right], moved[i][k], of_slope[right])
                             : add_term(sums[i][k], w[j0 + j], left, of_p[right]);
        }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 2; k++) {
      const int e = event + y + i * threads_a_side, c = candidate + x + k * threads_a_side;
      if (e >= events || c >= candidates) continue;
      const float score = sums[i][k];
      if (scores) {
        scores[(long long)e * candidates + c] = score;
        continue;
      }
      if (score > truth[e]) atomicAdd(greater + e, 1);
      if (score == truth[e]) atomicAdd(equal + e, 1);
      if (!finite(score)) atomicOr(bad + e, 1);
    }
}

// leave_out takes pairs that are no negatives back out of the counts.
KERNEL(leave_out)(int n, const int* events, const float* scores, const float* truth, int* greater,
    int* equal) {
  const long long i = element();
  if (i >= n) return;
  const int e = events[i];
  if (scores[i] > truth[e]) atomicAdd(greater + e, -1);
  if (scores[i] == truth[e]) atomicAdd(equal + e, -1);
}
