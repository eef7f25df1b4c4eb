// ranking.cu: scores of pairs of an event and a candidate. Every score is one
// sum in order, so that equal rows have equal scores, whichever kernel
// computes them.
#include "score_tiles.h"

// true_scores scores the events' true destinations, and resets the counts.
KERNEL(true_scores)(int events, int dim, const float* u, const float* p, const float* w, const float* slope,
    const float* event_time, const float* node_time, const int* nodes, float* truth, int* greater,
    int* equal, int* bad) {
  const long long e = element();
  if (e >= events) return;
  truth[e] = pair_score({dim, u, p, w, slope, event_time, node_time}, e, nodes[e]);
  greater[e] = equal[e] = 0;
  bad[e] = !finite(truth[e]);
}

// exclude subtracts pairs that are no negatives from the counts.
KERNEL(exclude)(int n, int dim, const float* u, const float* p, const float* w, const float* slope,
    const float* event_time, const float* node_time, const int* events, const int* nodes,
    const float* truth, int* greater, int* equal) {
  const long long i = element();
  if (i >= n) return;
  const int e = events[i];
  const float score = pair_score({dim, u, p, w, slope, event_time, node_time}, e, nodes[i]);
  if (score > truth[e]) atomicAdd(greater + e, -1);
  if (score == truth[e]) atomicAdd(equal + e, -1);
}

// all_scores scores 128 events and 128 candidates in a block of 256 threads.
KERNEL(all_scores)(int events, int candidates, int dim, const float* u, const float* p, const float* w,
    const float*, const float*, const float*, const int* nodes, const float* truth, float* scores,
    int* greater, int* equal, int* bad) {
  DYNAMIC_SHARED(float, shared);
  block_scores<false, 8, 8, 16, 16>({events, candidates, {dim, u, p, w}, nodes, truth, scores, greater, equal,
      bad}, shared);
}

// few_scores scores 32 and 128 in a block of 128 threads: more blocks where there
// are few pairs.
KERNEL(few_scores)(int events, int candidates, int dim, const float* u, const float* p, const float* w,
    const float*, const float*, const float*, const int* nodes, const float* truth, float* scores,
    int* greater, int* equal, int* bad) {
  DYNAMIC_SHARED(float, shared);
  block_scores<false, 4, 8, 8, 16>({events, candidates, {dim, u, p, w}, nodes, truth, scores, greater, equal,
      bad}, shared);
}

// moving_scores scores 32 and 64 in a block of 128 threads, for candidates that
// move.
KERNEL(moving_scores)(int events, int candidates, int dim, const float* u, const float* p, const float* w,
    const float* slope, const float* event_time, const float* node_time, const int* nodes,
    const float* truth, float* scores, int* greater, int* equal, int* bad) {
  DYNAMIC_SHARED(float, shared);
  const Terms terms = {dim, u, p, w, slope, event_time, node_time};
  block_scores<true, 4, 4, 8, 16>({events, candidates, terms, nodes, truth, scores, greater, equal, bad}, shared);
}
