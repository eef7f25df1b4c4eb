// score_tiles.h: a block scores some events with some candidates. Slices of a few
// dimensions of their rows are in shared memory, as in tiles.h.
#pragma once
#include "scores.h"
#include "tiles.h"

// ScoreSlice is a thread's part of a slice of some rows of a matrix.
template <int rows, int threads>
struct ScoreSlice {
  static constexpr int depth = 16, pad = 4, count = rows * depth / threads, down = threads / depth;
  static constexpr int size = depth * (rows + pad);
  float v[count];

  // fetch loads dimensions j0 on of these rows; 0 stands for those beyond the
  // last.
  __device__ __forceinline__ void fetch(const float* const* from, int j0, int dim) {
    const int j = j0 + threadIdx.x % depth;
    from += threadIdx.x / depth;
    for (int i = 0; i < count; i++) v[i] = j < dim ? from[i * down][j] : 0.f;
  }

  __device__ __forceinline__ void put(float* slice, bool bound) const {
    float* to = slice + threadIdx.x % depth * (rows + pad) + threadIdx.x / depth;
    for (int i = 0; i < count; i++) to[i * down] = bound ? bounded(v[i]) : v[i];
  }
};

// Ranking is the parameters of all kernels of tiles.
struct Ranking {
  int events, candidates;
  Terms terms;
  const int* nodes;  // the candidates; null stands for all nodes
  const float* truth;
  float* scores;  // null to count instead
  int *greater, *equal, *bad;
};

// ScoreTile is a block's part of all scores; a thread has tall x wide of them.
// Rows beyond the last one are the last one again.
template <bool moving, int tall, int wide, int down, int across>
struct ScoreTile {
  static constexpr int events = tall * down, candidates = wide * across, threads = down * across;
  using OfU = ScoreSlice<events, threads>;
  using OfP = ScoreSlice<candidates, threads>;
  static constexpr int depth = OfU::depth;

  Ranking q;
  int first_event, first;
  Position me;
  // In shared memory: two slices of either operand and of w, the rows that
  // they come from, and counts.
  float *of_u, *of_p, *of_slope, *of_w;
  const float **rows_of_u, **rows_of_p, **rows_of_slope;
  int* counts;
  float sums[tall][wide] = {};
  float event_time[tall], node_time[wide];

  __device__ __forceinline__ ScoreTile(const Ranking& q, float* shared)
      : q(q), first_event(blockIdx.y * events), first(blockIdx.x * candidates), me(position<across>(threadIdx.x)) {
    of_u = shared;
    of_p = of_u + 2 * OfU::size;
    of_slope = of_p + 2 * OfP::size;
    of_w = moving ? of_slope + 2 * OfP::size : of_slope;
    rows_of_u = reinterpret_cast<const float**>(of_w + 2 * depth);
    rows_of_p = rows_of_u + events;
    rows_of_slope = rows_of_p + candidates;
    counts = reinterpret_cast<int*>(moving ? rows_of_slope + candidates : rows_of_slope);
  }

  __device__ __forceinline__ int event(int row) const { return min(first_event + row, q.events - 1); }
  __device__ __forceinline__ int node(int row) const {
    const int c = min(first + row, q.candidates - 1);
    return q.nodes ? q.nodes[c] : c;
  }
  // row is that of a thread's event i, column that of its candidate k.
  __device__ __forceinline__ int row(int i) const { return spot<tall, events>(me.down, i); }
  __device__ __forceinline__ int column(int k) const { return spot<wide, candidates>(me.across, k); }

  __device__ __forceinline__ void begin() {
    const Terms& t = q.terms;
    for (int i = threadIdx.x; i < events; i += threads) {
      rows_of_u[i] = t.u + (long long)event(i) * t.dim;
      counts[i] = 0;
    }
    for (int i = threadIdx.x; i < candidates; i += threads) {
      const long long place = (long long)node(i) * t.dim;
      rows_of_p[i] = t.p + place;
      if (moving) rows_of_slope[i] = t.slope + place;
    }
    if (moving) {
      for (int i = 0; i < tall; i++) event_time[i] = t.event_time[event(row(i))];
      for (int k = 0; k < wide; k++) node_time[k] = t.node_time[node(column(k))];
    }
    __syncthreads();
  }

  // score sums all dimensions. A slice is loaded while the one before is
  // used: the loads come before the barrier, so that no compiler delays them.
  __device__ __forceinline__ void score() {
    const Terms& t = q.terms;
    OfU u;
    OfP p, slope;
    float w;
    const auto fetch = [&](int j0) {
      const int j = j0 + threadIdx.x % depth;
      u.fetch(rows_of_u, j0, t.dim);
      p.fetch(rows_of_p, j0, t.dim);
      if (moving) slope.fetch(rows_of_slope, j0, t.dim);
      w = j < t.dim ? t.w[j] : 0.f;
    };
    fetch(0);
    for (int j0 = 0, half = 0; j0 < t.dim; j0 += depth, half = 1 - half) {
      u.put(of_u + half * OfU::size, !moving);
      p.put(of_p + half * OfP::size, !moving);
      if (moving) slope.put(of_slope + half * OfP::size, false);
      if (threadIdx.x < depth) of_w[half * depth + threadIdx.x] = w;
      fetch(j0 + depth);
      __syncthreads();
      for (int j = 0; j < min(depth, t.dim - j0); j += 4) add_four(half, j);
    }
  }

  // add_four adds the terms of dimensions j to j+3 of a slice.
  __device__ __forceinline__ void add_four(int half, int j) {
    float w[4];
    fragment<4, 4>(w, of_w + half * depth + j, 0);
    for (int d = 0; d < 4; d++) {
      const int in_u = half * OfU::size + (j + d) * (events + OfU::pad);
      const int in_p = half * OfP::size + (j + d) * (candidates + OfP::pad);
      float u[tall], p[wide], slope[wide];
      fragment<tall, events>(u, of_u + in_u, me.down);
      fragment<wide, candidates>(p, of_p + in_p, me.across);
      if (moving) fragment<wide, candidates>(slope, of_slope + in_p, me.across);
      for (int i = 0; i < tall; i++)
        for (int k = 0; k < wide; k++)
          sums[i][k] = moving ? add_term(sums[i][k], w[d], u[i], p[k], event_time[i] + node_time[k], slope[k])
                              : add_term(sums[i][k], w[d], u[i], p[k]);
    }
  }

  __device__ __forceinline__ void write() const {
    for (int i = 0; i < tall; i++)
      for (int k = 0; k < wide; k++) {
        const int e = first_event + row(i), c = first + column(k);
        if (e < q.events && c < q.candidates) q.scores[(long long)e * q.candidates + c] = sums[i][k];
      }
  }

  // count adds up, for each event, the tile's candidates above and level with
  // its true destination, and those with a score that is not finite: first
  // over the block, three counts in one number.
  __device__ __forceinline__ void count() {
    constexpr int bits = 10, mask = (1 << bits) - 1;
    static_assert(candidates <= mask, "a count is too large for its bits");
    for (int i = 0; i < tall; i++) {
      const float truth = q.truth[event(row(i))];
      int found = 0;
      for (int k = 0; k < wide; k++) {
        if (first + column(k) >= q.candidates) continue;
        const float score = sums[i][k];
        found += (score > truth) + ((score == truth) << bits) + (!finite(score) << 2 * bits);
      }
      if (found) atomicAdd(counts + row(i), found);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < events && first_event + i < q.events; i += threads) {
      const int e = first_event + i, above = counts[i] & mask, level = counts[i] >> bits & mask;
      if (above) atomicAdd(q.greater + e, above);
      if (level) atomicAdd(q.equal + e, level);
      if (counts[i] >> 2 * bits) atomicOr(q.bad + e, 1);
    }
  }
};

// block_scores scores a tile. It writes the scores or counts.
template <bool moving, int tall, int wide, int down, int across>
__device__ __forceinline__ void block_scores(const Ranking& q, float* shared) {
  ScoreTile<moving, tall, wide, down, across> tile(q, shared);
  tile.begin();
  tile.score();
  if (q.scores)
    tile.write();
  else
    tile.count();
}
