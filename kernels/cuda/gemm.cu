// gemm.cu: matrix products. A block of 256 threads has a tile of the results.
// Where there are many tiles they are large, and a thread has 4 x 4 results;
// where there are few, each of four groups of threads has a quarter of k of a
// small one, 2 x 2 results a thread. Either way a result is the sum of four
// segments of k, each of them in order: its bits do not depend on the tile.
//
// With turn_a, k are rows of a batch, which may have padding: rows of zeros, so
// that its bits must not depend on how many k there are. The tile is always
// that of the same parameter. There a large tile has one segment, and a small
// one's groups take turns, slice by slice.
#include "scalars.h"
#include "tiles.h"

// segment_of is how many k a segment has: whole slices.
__device__ __forceinline__ int segment_of(int k) {
  constexpr int segments = 4, slice = 32;
  return (k + segments * slice - 1) / (segments * slice) * slice;
}

// Range is some of the k of an operand: slices, so far from one to the next.
struct Range {
  int first, end, step;
};

// Part is what one of some threads brings of the slices of an operand: so many
// rows high and depth of k. Neighbouring threads take what lies side by side.
template <int rows, int depth, int threads>
struct Part {
  static constexpr int count = rows * depth / threads, pad = rows < 32 ? 2 : rows / 16, size = depth * (rows + pad);
  int row, at, row_step, step;  // the first number's row and place in the slice, and how far the next one is
  int end;
  long long slice_step;  // from slice to slice
  const float* from[count];
  float v[count];

  // The operand has rows of k numbers or, along, k rows of numbers. The last
  // row stands for those beyond it.
  __device__ __forceinline__ Part(const float* operand, bool along, int thread, int first, int last, int k, Range of_k)
      : end(of_k.end) {
    row = along ? thread % rows : thread / depth;
    at = along ? thread / rows : thread % depth;
    row_step = along ? 0 : threads / depth;
    step = along ? threads / rows : 0;
    slice_step = along ? (long long)of_k.step * (last + 1) : of_k.step;
    for (int i = 0; i < count; i++) {
      const long long r = min(first + row + i * row_step, last), p = of_k.first + at + i * step;
      from[i] = operand + (along ? p * (last + 1) + r : r * k + p);
    }
  }

  // fetch loads the slice that begins at k0, the one after the last. What is
  // beyond the end is 0.
  __device__ __forceinline__ void fetch(int k0) {
    for (int i = 0; i < count; i++) {
      v[i] = k0 + at + i * step < end ? *from[i] : 0.f;
      from[i] += slice_step;
    }
  }

  __device__ __forceinline__ void put(float* slice) const {
    for (int i = 0; i < count; i++) slice[(at + i * step) * (rows + pad) + row + i * row_step] = v[i];
  }
};

// Results are those of one thread.
template <int side>
struct Results {
  float v[side][side] = {};

  __device__ __forceinline__ void add(const Results& other) {
    for (int i = 0; i < side; i++)
      for (int j = 0; j < side; j++) v[i][j] += other.v[i][j];
  }
};

// c (m x n) = op(a) op(b), plus bias if there is one. A is stored k x m with
// turn_a, b n x k with turn_b.
template <int side, int depth, int groups>
__device__ __forceinline__ void product(int m, int n, int k, const float* a, int turn_a, const float* b,
    int turn_b, float* c, const float* bias, int rectify, float* shared) {
  constexpr int threads = 256 / groups, across = groups == 1 ? 16 : 8, tile = across * side;
  using Side = Part<tile, depth, threads>;
  const int thread = threadIdx.x % threads, group = threadIdx.x / threads;
  const int segment = groups == 1 && turn_a ? k : segment_of(k), length = groups == 1 ? k : segment;
  const int first_row = blockIdx.x * tile, first_col = blockIdx.y * tile;
  const int first_k = group * (turn_a ? depth : segment);
  const Range of_k = {first_k, turn_a ? k : min(first_k + length, k), turn_a ? groups * depth : depth};
  const Position me = position<across>(thread);
  Side of_a(a, turn_a, thread, first_row, m - 1, k, of_k), of_b(b, !turn_b, thread, first_col, n - 1, k, of_k);
  Results<side> sums, all;
  of_a.fetch(first_k);
  of_b.fetch(first_k);
  int rest = segment, next = first_k;
  for (int done = 0, half = 0; done < length; done += depth, half = 1 - half) {
    float *slice_a = shared + 2 * (2 * group + half) * Side::size, *slice_b = slice_a + Side::size;
    of_a.put(slice_a);
    of_b.put(slice_b);
    next += of_k.step;
    of_a.fetch(next);  // before the barrier, so that no compiler delays it
    of_b.fetch(next);
    __syncthreads();
    for (int p = 0; p < depth; p++) {
      float left[side], right[side];
      fragment<side, tile>(left, slice_a + p * (tile + Side::pad), me.down);
      fragment<side, tile>(right, slice_b + p * (tile + Side::pad), me.across);
      for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) sums.v[i][j] = fmaf(left[i], right[j], sums.v[i][j]);
    }
    rest -= depth;
    if (groups == 1 && (rest == 0 || done + depth >= length)) {
      all.add(sums);
      sums = {};
      rest = segment;
    }
  }
  if (groups > 1) {
    Results<side>* of_threads = reinterpret_cast<Results<side>*>(shared);
    __syncthreads();
    of_threads[threadIdx.x] = sums;
    __syncthreads();
    if (group > 0) return;
    for (int g = 0; g < groups; g++) all.add(of_threads[g * threads + thread]);
  }
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      const int row = first_row + me.down * side + i, col = first_col + me.across * side + j;
      if (row >= m || col >= n) continue;
      const float v = bias ? all.v[i][j] + bias[col] : all.v[i][j];
      c[(long long)row * n + col] = rectify ? relu(v) : v;
    }
}

KERNEL(gemm)(int m, int n, int k, const float* a, int turn_a, const float* b, int turn_b, float* c,
    const float* bias, int rectify) {
  DYNAMIC_SHARED(float, shared);
  product<4, 16, 1>(m, n, k, a, turn_a, b, turn_b, c, bias, rectify, shared);
}

KERNEL(gemm_small)(int m, int n, int k, const float* a, int turn_a, const float* b, int turn_b, float* c,
    const float* bias, int rectify) {
  DYNAMIC_SHARED(float, shared);
  product<2, 32, 4>(m, n, k, a, turn_a, b, turn_b, c, bias, rectify, shared);
}
