// scores.h: the score of an event and a candidate, w . relu(u + p).
#pragma once
#include "scalars.h"

// Terms are what scores are made of. Candidates may move: by slope times the
// time of the event and that of the node.
struct Terms {
  int dim;
  const float *u, *p, *w, *slope, *event_time, *node_time;
};

// bounded replaces NaN by infinity, and minus infinity by the least number. So
// finite scores are unchanged and others stay infinite where a maximum is used for
// the ReLU, which would drop NaN: no sum of two bounded numbers is NaN.
__device__ __forceinline__ float bounded(float x) {
  return x != x ? __uint_as_float(0x7f800000) : fmaxf(x, -0x1.fffffep127f);
}

// add_term adds one dimension's term, of bounded numbers or of those of
// candidates that move.
__device__ __forceinline__ float add_term(float sum, float w, float u, float p) {
  return fmaf(w, fmaxf(u + p, 0.f), sum);
}
__device__ __forceinline__ float add_term(float sum, float w, float u, float p, float moved, float slope) {
  return fmaf(w, relu(fmaf(moved, slope, u + p)), sum);
}

// pair_score is that of event e and node v.
__device__ __forceinline__ float pair_score(const Terms& t, long long e, long long v) {
  const float *u = t.u + e * t.dim, *p = t.p + v * t.dim, *slope = t.slope + v * t.dim;
  float sum = 0.f;
  if (t.slope) {
    const float moved = t.event_time[e] + t.node_time[v];
    for (int j = 0; j < t.dim; j++) sum = add_term(sum, t.w[j], u[j], p[j], moved, slope[j]);
  } else {
    for (int j = 0; j < t.dim; j++) sum = add_term(sum, t.w[j], bounded(u[j]), bounded(p[j]));
  }
  return sum;
}
