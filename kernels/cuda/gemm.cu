// gemm.cu: matrix products. A block of 256 threads has a tile of 32 x 32
// results, a thread four of them; each is one sum over k in order.
#include "scalars.h"

constexpr int tile = 32, threads_a_side = 16, padded = tile + 1;

// load copies a tile of a matrix to shared memory, transposed if the matrix is
// stored the other way round. Rows and columns beyond its end are left out.
__device__ __forceinline__ void load(float* to, const float* from, int row, int col, int rows, int cols,
    bool transposed) {
  for (int at = threadIdx.x; at < tile * tile; at += blockDim.x) {
    const int slow = at / tile, fast = at % tile;
    const int i = transposed ? fast : slow, j = transposed ? slow : fast;
    if (row + i >= rows || col + j >= cols) continue;
    to[i * padded + j] = from[transposed ? (long long)(col + j) * rows + row + i : (long long)(row + i) * cols + col + j];
  }
}

// c (m x n) = op(a) op(b), plus bias if there is one. A is stored k x m with
// turn_a, b n x k with turn_b.
KERNEL(gemm)(int m, int n, int k, const float* a, int turn_a, const float* b, int turn_b, float* c,
    const float* bias, int rectify) {
  DYNAMIC_SHARED(float, of_a);
  float* of_b = of_a + tile * padded;
  const int row = blockIdx.x * tile, col = blockIdx.y * tile;
  const int y = threadIdx.x / threads_a_side, x = threadIdx.x % threads_a_side;
  float sums[2][2] = {};
  for (int k0 = 0; k0 < k; k0 += tile) {
    load(of_a, a, row, k0, m, k, turn_a);
    load(of_b, b, k0, col, k, n, turn_b);
    __syncthreads();
    for (int p = 0; p < min(tile, k - k0); p++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          sums[i][j] = fmaf(of_a[(y + i * threads_a_side) * padded + p], of_b[p * padded + x + j * threads_a_side], sums[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const int r = row + y + i * threads_a_side, q = col + x + j * threads_a_side;
      if (r >= m || q >= n) continue;
      const float v = bias ? sums[i][j] + bias[q] : sums[i][j];
      c[(long long)r * n + q] = rectify ? relu(v) : v;
    }
}
