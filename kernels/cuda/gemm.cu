// gemm.cu: matrix products. A block of 256 threads has a tile of the results,
// a thread 4 x 4 of them or, where there are few, 2 x 2; each is one sum over
// k in order.
#include "scalars.h"
#include "tiles.h"

// Part is what a thread brings of the slices of an operand: so many rows high
// and depth of k. Neighbouring threads take what lies side by side.
template <int rows, int depth>
struct Part {
  static constexpr int threads = 256, count = rows * depth / threads, pad = rows / 16, size = depth * (rows + pad);
  int row, at, row_step, step;  // the first number's row and k, and how far the next one is
  int k;
  long long slice_step;  // from slice to slice
  const float* from[count];
  float v[count];

  // The operand has rows of k numbers or, along, k rows of numbers. The last
  // row stands for those beyond it.
  __device__ __forceinline__ Part(const float* operand, bool along, int first, int end, int k) : k(k) {
    const int t = threadIdx.x;
    row = along ? t % rows : t / depth;
    at = along ? t / rows : t % depth;
    row_step = along ? 0 : threads / depth;
    step = along ? threads / rows : 0;
    slice_step = along ? (long long)depth * end : depth;
    for (int i = 0; i < count; i++) {
      const long long r = min(first + row + i * row_step, end - 1), p = at + i * step;
      from[i] = operand + (along ? p * end + r : r * k + p);
    }
  }

  // fetch loads the slice that begins at k0, the one after the last. What is
  // beyond the end is 0.
  __device__ __forceinline__ void fetch(int k0) {
    for (int i = 0; i < count; i++) {
      v[i] = k0 + at + i * step < k ? *from[i] : 0.f;
      from[i] += slice_step;
    }
  }

  __device__ __forceinline__ void put(float* slice) const {
    for (int i = 0; i < count; i++) slice[(at + i * step) * (rows + pad) + row + i * row_step] = v[i];
  }
};

// c (m x n) = op(a) op(b), plus bias if there is one. A is stored k x m with
// turn_a, b n x k with turn_b.
template <int side, int depth>
__device__ __forceinline__ void product(int m, int n, int k, const float* a, int turn_a, const float* b,
    int turn_b, float* c, const float* bias, int rectify, float* shared) {
  using Side = Part<16 * side, depth>;
  const int first_row = blockIdx.x * 16 * side, first_col = blockIdx.y * 16 * side;
  const Position me = position<16>();
  Side of_a(a, turn_a, first_row, m, k), of_b(b, !turn_b, first_col, n, k);
  float sums[side][side] = {};
  of_a.fetch(0);
  of_b.fetch(0);
  for (int k0 = 0, half = 0; k0 < k; k0 += depth, half = 1 - half) {
    float *slice_a = shared + 2 * half * Side::size, *slice_b = slice_a + Side::size;
    of_a.put(slice_a);
    of_b.put(slice_b);
    of_a.fetch(k0 + depth);  // before the barrier, so that no compiler puts it off
    of_b.fetch(k0 + depth);
    __syncthreads();
    for (int p = 0; p < depth; p++) {
      float left[side], right[side];
      fragment<side, 16 * side>(left, slice_a + p * (16 * side + Side::pad), me.down);
      fragment<side, 16 * side>(right, slice_b + p * (16 * side + Side::pad), me.across);
      for (int i = 0; i < side; i++)
        for (int j = 0; j < side; j++) sums[i][j] = fmaf(left[i], right[j], sums[i][j]);
    }
  }
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      const int row = first_row + me.down * side + i, col = first_col + me.across * side + j;
      if (row >= m || col >= n) continue;
      const float v = bias ? sums[i][j] + bias[col] : sums[i][j];
      c[(long long)row * n + col] = rectify ? relu(v) : v;
    }
}

KERNEL(gemm)(int m, int n, int k, const float* a, int turn_a, const float* b, int turn_b, float* c,
    const float* bias, int rectify) {
  DYNAMIC_SHARED(float, shared);
  product<4, 16>(m, n, k, a, turn_a, b, turn_b, c, bias, rectify, shared);
}

KERNEL(gemm_small)(int m, int n, int k, const float* a, int turn_a, const float* b, int turn_b, float* c,
    const float* bias, int rectify) {
  DYNAMIC_SHARED(float, shared);
  product<2, 32>(m, n, k, a, turn_a, b, turn_b, c, bias, rectify, shared);
}
