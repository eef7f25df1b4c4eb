// attention.cu: attention over ragged lists of edges, grouped by centre.
#include "occurrences.h"

// Head is one head of one centre, which a warp works on. Rows of Q, K, V, E
// and Out are stride apart, the head's channels begin at first.
struct Head {
  int centre, head, lo, hi, first;
  long long stride;
};

__device__ __forceinline__ Head head_of(int warp, int heads, int channels, const int* offsets) {
  const int centre = warp / heads, head = warp % heads;
  return {centre, head, offsets[centre], offsets[centre + 1], head * channels, (long long)heads * channels};
}

// dot_sum is the sum over the channels of x (u + v).
__device__ __forceinline__ float dot_sum(const Group& g, int channels, const float* x, const float* u,
    const float* v) {
  float own = 0.f;
  for (int c = g.lane; c < channels; c += g.width) own = fmaf(x[c], u[c] + v[c], own);
  return sum(g, own);
}

// all is the number of heads of all centres.
KERNEL(attend)(int all, int nodes, int heads, int channels, const int* offsets, const int* index,
    const float* q, const float* k, const float* v, const float* e, const float* drop, float* weights,
    float* out, int* fault) {
  const Group g = warp_group();
  if (g.row >= all) return;
  const Head a = head_of(g.row, heads, channels, offsets);
  const float root = 1.f / sqrtf(channels);
  float top = -INFINITY, total = 0.f;
  for (int i = a.lo; i < a.hi; i++) {
    const long long node = within(index[i], nodes, fault) * a.stride + a.first, edge = i * a.stride + a.first;
    const float score = root * dot_sum(g, channels, q + a.centre * a.stride + a.first, k + node, e + edge);
    if (g.lane == 0) weights[i * heads + a.head] = score;
    top = fmaxf(top, score);
  }
  __syncwarp();
  for (int i = a.lo + g.lane; i < a.hi; i += g.width) {
    const float w = expf(weights[i * heads + a.head] - top);
    weights[i * heads + a.head] = w;
    total += w;
  }
  total = sum(g, total) + 1e-16f;
  for (int i = a.lo + g.lane; i < a.hi; i += g.width) weights[i * heads + a.head] /= total;
  __syncwarp();
  for (int c = a.first + g.lane; c < a.first + channels; c += g.width) {
    float mixed = 0.f;
    for (int i = a.lo; i < a.hi; i++) {
      const float kept = weights[i * heads + a.head] * (drop ? drop[i * heads + a.head] : 1.f);
      mixed = fmaf(kept, v[within(index[i], nodes, fault) * a.stride + c] + e[i * a.stride + c], mixed);
    }
    out[a.centre * a.stride + c] = mixed;
  }
}

// What centres and edges get: dq, de, and the gradients of the scores.
KERNEL(attend_grad)(int all, int nodes, int heads, int channels, const int* offsets, const int* index,
    const float* q, const float* k, const float* v, const float* e, const float* drop, const float* weights,
    const float* dout, float* scores, float* dq, float* de, int* fault) {
  const Group g = warp_group();
  if (g.row >= all) return;
  const Head a = head_of(g.row, heads, channels, offsets);
  const float root = 1.f / sqrtf(channels);
  float mean = 0.f;
  for (int i = a.lo; i < a.hi; i++) {
    const int at = i * heads + a.head;
    const long long node = within(index[i], nodes, fault) * a.stride + a.first, edge = i * a.stride + a.first;
    const float through = dot_sum(g, channels, dout + a.centre * a.stride + a.first, v + node, e + edge);
    const float d = (drop ? drop[at] : 1.f) * through;
    if (g.lane == 0) scores[at] = d;
    mean = fmaf(weights[at], d, mean);
  }
  __syncwarp();
  for (int i = a.lo + g.lane; i < a.hi; i += g.width) {
    const int at = i * heads + a.head;
    scores[at] = weights[at] * (scores[at] - mean) * root;
  }
  __syncwarp();
  for (int c = a.first + g.lane; c < a.first + channels; c += g.width) {
    const float own = q[a.centre * a.stride + c], given = dout[a.centre * a.stride + c];
    float total = 0.f;
    for (int i = a.lo; i < a.hi; i++) {
      const int at = i * heads + a.head;
      const float kept = weights[at] * (drop ? drop[at] : 1.f);
      total = fmaf(scores[at], k[within(index[i], nodes, fault) * a.stride + c] + e[i * a.stride + c], total);
      de[i * a.stride + c] = fmaf(kept, given, scores[at] * own);
    }
    dq[a.centre * a.stride + c] = total;
  }
}

// centre_of is the centre that an edge belongs to.
__device__ __forceinline__ int centre_of(int edge, int centres, const int* offsets) {
  int lo = 0, hi = centres;
  while (hi - lo > 1) {
    const int middle = (lo + hi) / 2;
    if (offsets[middle] <= edge)
      lo = middle;
    else
      hi = middle;
  }
  return lo;
}

// What nodes get, dk and dv, which are zero before: of the edges to one node
// the warp of the first one adds them all, in order.
KERNEL(attend_grad_nodes)(int edges, int nodes, int centres, int heads, int channels, const int* offsets,
    const int* index, const float* q, const float* drop, const float* weights, const float* dout,
    const float* scores, float* dk, float* dv, int* fault) {
  const Group g = warp_group();
  if (g.row >= edges) return;
  const int own = within(index[g.row], nodes, fault);
  const long long stride = (long long)heads * channels, node = own * stride;
  if (next(g, index, 0, g.row, own) < g.row) return;
  for (int i = g.row; i < edges; i = next(g, index, i + 1, edges, own)) {
    const long long centre = centre_of(i, centres, offsets) * stride;
    for (int c = g.lane; c < stride; c += g.width) {
      const int at = i * heads + c / channels;
      const float kept = weights[at] * (drop ? drop[at] : 1.f);
      dk[node + c] = fmaf(scores[at], q[centre + c], dk[node + c]);
      dv[node + c] = fmaf(kept, dout[centre + c], dv[node + c]);
    }
  }
}
