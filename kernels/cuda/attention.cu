// attention.cu: attention over ragged lists of edges, grouped by centre.
#include "loads.h"
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

// each_product calls use(i, first, x . (u + e)) for the edges i of a head, x
// being a row of centres, u of nodes. Eight lanes have an edge; one of them is
// the first.
template <class Use>
__device__ __forceinline__ void each_product(const Group& g, const Head& a, int channels, int nodes,
    const int* index, const float* x, const float* u, const float* e, bool& bad, Use use) {
  const Group eight = {g.row, g.lane % 8, 8};
  for (int first = a.lo; first < a.hi; first += g.width / eight.width) {
    const int i = first + g.lane / eight.width, at = min(i, a.hi - 1);
    const long long node = within(index[at], nodes, bad) * a.stride + a.first, edge = at * a.stride + a.first;
    const float product = dot_sum(eight, channels, x + a.centre * a.stride + a.first, u + node, e + edge);
    if (i < a.hi) use(i, eight.lane == 0, product);
  }
}

// Term is of a sum over edges of factor value; kept is the edge's weight.
struct Term {
  float factor, value, kept;
};

// all is the number of heads of all centres.
KERNEL(attend)(int all, int nodes, int heads, int channels, const int* offsets, const int* index,
    const float* q, const float* k, const float* v, const float* e, const float* drop, float* weights,
    float* out, int* fault) {
  const Group g = warp_group();
  if (g.row >= all) return;
  const Head a = head_of(g.row, heads, channels, offsets);
  const float root = 1.f / sqrtf(channels);
  float top = -INFINITY, total = 0.f;
  bool bad = false;
  each_product(g, a, channels, nodes, index, q, k, e, bad, [&](int i, bool first, float product) {
    const float score = root * product;
    if (first) weights[i * heads + a.head] = score;
    top = fmaxf(top, score);
  });
  top = largest(g, top);
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
    const auto term = [&](int i) {
      const float kept = weights[i * heads + a.head] * (drop ? drop[i * heads + a.head] : 1.f);
      return Term{kept, v[within(index[i], nodes, bad) * a.stride + c] + e[i * a.stride + c], kept};
    };
    pipelined(a.lo, a.hi, 1, term, [&](int, const Term& t) { mixed = fmaf(t.factor, t.value, mixed); });
    out[a.centre * a.stride + c] = mixed;
  }
  if (bad) atomicOr(fault, 1);
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
  bool bad = false;
  each_product(g, a, channels, nodes, index, dout, v, e, bad, [&](int i, bool first, float product) {
    const int at = i * heads + a.head;
    const float d = (drop ? drop[at] : 1.f) * product;
    if (!first) return;
    scores[at] = d;
    mean = fmaf(weights[at], d, mean);
  });
  mean = sum(g, mean);
  __syncwarp();
  for (int i = a.lo + g.lane; i < a.hi; i += g.width) {
    const int at = i * heads + a.head;
    scores[at] = weights[at] * (scores[at] - mean) * root;
  }
  __syncwarp();
  for (int c = a.first + g.lane; c < a.first + channels; c += g.width) {
    const float own = q[a.centre * a.stride + c], given = dout[a.centre * a.stride + c];
    float total = 0.f;
    const auto term = [&](int i) {
      const int at = i * heads + a.head;
      const float kept = weights[at] * (drop ? drop[at] : 1.f);
      return Term{scores[at], k[within(index[i], nodes, bad) * a.stride + c] + e[i * a.stride + c], kept};
    };
    pipelined(a.lo, a.hi, 1, term, [&](int i, const Term& t) {
      total = fmaf(t.factor, t.value, total);
      de[i * a.stride + c] = fmaf(t.kept, given, t.factor * own);
    });
    dq[a.centre * a.stride + c] = total;
  }
  if (bad) atomicOr(fault, 1);
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
// the first one adds them all, in order, a warp 32 of their channels. Lanes
// look for the centres of a few edges at a time. Edges that are nobody's get
// de = 0.
KERNEL(attend_grad_nodes)(int edges, int nodes, int centres, int heads, int channels, const int* offsets,
    const int* index, const float* q, const float* drop, const float* weights, const float* dout,
    const float* scores, float* dk, float* dv, float* de, int* fault) {
  const Group g = warp_group();
  const int stride = heads * channels, c = blockIdx.y * g.width + g.lane, end = offsets[centres];
  if (g.row >= end) {
    if (g.row < edges && c < stride) de[g.row * stride + c] = 0.f;
    return;
  }
  const int own = within(index[g.row], nodes, fault);
  if (next(g, index, 0, g.row, own) < g.row) return;
  float of_k = 0.f, of_v = 0.f;
  for (int begin = g.row; begin < end;) {
    const int places = next_few(g, index, begin, end, own);
    const int from = places < end ? centre_of(places, centres, offsets) : 0;
    float score[few], kept[few], asked[few], given[few];
    for (int k = 0; k < few; k++) {
      const int i = __shfl_sync(all_lanes, places, k), at = i * heads + c / channels;
      const long long of = (long long)__shfl_sync(all_lanes, from, k) * stride + c;
      const bool is = i < end && c < stride;
      score[k] = is ? scores[at] : 0.f;
      kept[k] = is ? weights[at] : 0.f;
      if (drop) kept[k] *= is ? drop[at] : 0.f;
      asked[k] = is ? q[of] : 0.f;
      given[k] = is ? dout[of] : 0.f;
    }
    for (int k = 0; k < few; k++) {
      of_k = fmaf(score[k], asked[k], of_k);
      of_v = fmaf(kept[k], given[k], of_v);
    }
  }
  if (c >= stride) return;
  dk[(long long)own * stride + c] = of_k;
  dv[(long long)own * stride + c] = of_v;
}
