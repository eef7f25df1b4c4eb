// chain.cu: calls that compute rows apart from each other, in one launch. A
// block takes its rows through all of them. What nobody else reads stays in
// shared memory.
#include "blocks.h"
#include "mixing.h"
#include "norms.h"
#include "recurrent.h"
#include "simplex.h"

// Code says what a call does. chain_calls.go has the same names and order.
enum Code {
  copy, gather, put, product, product_of_fours, sums, relus, affines, sigmoids, scales, softmax, division, sparsemax,
  entmax, layer_norm, batch_norm, unit, mixture, gru, encoding, projection,
};

// Call is one call. Its operands, results first, are addresses of row 0, or
// have a mark in the last two bits: 1 stands for one of the block's own
// numbers, 2 for a byte of the list of calls, where what the host wrote
// follows. 0 is none.
struct alignas(16) Call {
  int code;
  int meet;    // do threads wait for each other before it?
  int rows;    // of all blocks; -1: the operands have none
  int cols, inner, choice;
  int lanes, slices;  // of a product
  float x, y;
  long long at[7];
};

// Part is a block's part of a call.
struct Part {
  const Call& call;
  int first, rows;  // of the call
  int most;         // rows that there is room for
  float* own;       // the block's memory
  const Call* list;

  __device__ __forceinline__ float* place(long long at) const {
    if (at & 2) return reinterpret_cast<float*>(reinterpret_cast<long long>(list) + (at >> 2));
    return reinterpret_cast<float*>(at);
  }

  // numbers are those of the block in an operand of so many columns.
  template <class T = float>
  __device__ __forceinline__ T* numbers(int operand, long long cols) const {
    const long long at = call.at[operand];
    if (at & 1) return reinterpret_cast<T*>(own + (at >> 2));
    return at ? reinterpret_cast<T*>(place(at)) + first * cols : nullptr;
  }
  // whole is an operand without rows.
  __device__ __forceinline__ float* whole(int operand) const {
    const long long at = call.at[operand];
    return at & 1 ? own + (at >> 2) : place(at);
  }
};

// each calls f for each of n elements.
template <class F>
__device__ __forceinline__ void each(int n, F f) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}

// each_group calls f with a group of lanes for each of n. All threads come to
// f equally often.
template <class F>
__device__ __forceinline__ void each_group(int n, int size, F f) {
  int width = 1;
  while (width < min(size, 32)) width *= 2;
  const int groups = blockDim.x / width;
  for (int first = 0; first < n; first += groups)
    f(Group{first + static_cast<int>(threadIdx.x) / width, static_cast<int>(threadIdx.x) % width, width});
}

// Numbers are neighbours, read at once.
template <int V>
struct alignas(4 * V) Numbers {
  float v[V];
};

// multiply is a slice of the rows' products with V columns of w.
template <int R, int V>
__device__ __forceinline__ void multiply(const float* const (&x)[R], const float* w, int cols, int from, int end,
    float (&sums)[R][V]) {
  constexpr int deep = 8;  // rows of w that are on their way at a time
  int p = from;
  for (; p + deep <= end; p += deep) {
    Numbers<V> rows[deep];
#pragma unroll
    for (int i = 0; i < deep; i++) rows[i] = *reinterpret_cast<const Numbers<V>*>(w + (long long)(p + i) * cols);
#pragma unroll
    for (int i = 0; i < deep; i++)
      for (int r = 0; r < R; r++)
        for (int v = 0; v < V; v++) sums[r][v] = fmaf(x[r][p + i], rows[i].v[v], sums[r][v]);
  }
  for (; p < end; p++) {
    const Numbers<V> row = *reinterpret_cast<const Numbers<V>*>(w + (long long)p * cols);
    for (int r = 0; r < R; r++)
      for (int v = 0; v < V; v++) sums[r][v] = fmaf(x[r][p], row.v[v], sums[r][v]);
  }
}

// finish adds the bias, and rectifies where that is asked for.
__device__ __forceinline__ float finish(const Call& c, float sum, const float* bias, int col) {
  if (bias) sum += bias[col];
  return c.choice ? relu(sum) : sum;
}

// multiply_rows is x w + bias. A thread has V columns and a slice of the sum;
// several slices meet in partial, and are added in order.
template <int R, int V>
__device__ __forceinline__ void multiply_rows(const Part& p, float* partial) {
  const Call& c = p.call;
  const int slice = threadIdx.x / c.lanes, deep = (c.inner + c.slices - 1) / c.slices, from = slice * deep;
  const float *in = p.numbers(1, c.inner), *w = p.whole(2), *bias = p.whole(3);
  float* out = p.numbers(0, c.cols);
  const float* x[R];
  for (int r = 0; r < R; r++) x[r] = in + (long long)min(r, p.rows - 1) * c.inner;
  for (int col = threadIdx.x % c.lanes * V; slice < c.slices && col < c.cols; col += c.lanes * V) {
    float sums[R][V] = {};
    multiply<R, V>(x, w + col, c.cols, from, min(from + deep, c.inner), sums);
    for (int r = 0; r < R; r++)
      for (int v = 0; v < V; v++) {
        if (c.slices > 1)
          partial[(slice * R + r) * c.cols + col + v] = sums[r][v];
        else if (r < p.rows)
          out[r * c.cols + col + v] = finish(c, sums[r][v], bias, col + v);
      }
  }
  if (c.slices == 1) return;
  __syncthreads();
  each(p.rows * c.cols, [&](int i) {
    float sum = partial[i];
    for (int s = 1; s < c.slices; s++) sum += partial[s * R * c.cols + i];
    out[i] = finish(c, sum, bias, i % c.cols);
  });
}

template <int V>
__device__ __forceinline__ void multiply_most(const Part& p, float* partial) {
  switch (p.most) {
    case 1: return multiply_rows<1, V>(p, partial);
    case 2: return multiply_rows<2, V>(p, partial);
    case 4: return multiply_rows<4, V>(p, partial);
    default: return multiply_rows<8, V>(p, partial);
  }
}

// move copies rows, of which the source's are picked by a list if there is
// one.
__device__ __forceinline__ void move(const Part& p, float* dst, int dst_cols, const float* src, int src_cols) {
  each(p.rows * p.call.cols, [&](int i) {
    const int row = i / p.call.cols, col = i % p.call.cols;
    dst[row * dst_cols + col] = src[row * src_cols + col];
  });
}

__device__ __forceinline__ void gather_rows(const Part& p, int* fault) {
  const Call& c = p.call;
  const float* src = p.whole(1);
  const int* index = p.numbers<int>(2, 1);
  float* dst = p.numbers(0, c.cols);
  each(p.rows * c.cols, [&](int i) {
    const int row = i / c.cols, from = index ? index[row] : 0;
    dst[i] = src[(long long)within(from, c.inner, fault) * c.cols + i % c.cols];
  });
}

__device__ __forceinline__ void put_rows(const Part& p, int* fault) {
  const Call& c = p.call;
  float* dst = p.whole(0);
  const float* src = p.numbers(1, c.cols);
  const int* index = p.numbers<int>(2, 1);
  each(p.rows * c.cols, [&](int i) {
    const int to = index[i / c.cols];
    if (to >= 0) dst[(long long)within(to, c.inner, fault) * c.cols + i % c.cols] = src[i];
  });
}

__device__ __forceinline__ void run(const Part& p, float* partial, int* fault) {
  const Call& c = p.call;
  const int n = p.rows * c.cols;
  float* dst = p.numbers(0, c.cols);
  const float *a = p.numbers(1, c.cols), *b = p.numbers(2, c.cols);
  switch (c.code) {
    case copy: return move(p, p.numbers(0, c.inner), c.inner, p.numbers(1, c.choice), c.choice);
    case gather: return gather_rows(p, fault);
    case put: return put_rows(p, fault);
    case product: return multiply_most<1>(p, partial);
    case product_of_fours: return multiply_most<4>(p, partial);
    case sums: return each(n, [&](int i) { dst[i] = a[i] + b[i]; });
    case relus: return each(n, [&](int i) { dst[i] = relu(b ? a[i] + b[i] : a[i]); });
    case affines: return each(n, [&](int i) { dst[i] = fmaf(c.x, a[i], c.y); });
    case sigmoids: return each(n, [&](int i) { dst[i] = sigmoid(a[i]); });
    case scales: {
      const float* by = p.numbers(2, 1);
      return each(n, [&](int i) { dst[i] = by[i / c.cols] * a[i]; });
    }
    case softmax: return each_group(n / c.inner, c.inner, [&](const Group& g) { softmax_block(g, n / c.inner, c.inner, c.x, dst, a); });
    case division:
      return each_group(n / c.inner, c.inner, [&](const Group& g) { divide_by_sum(g, n / c.inner, c.inner, c.x, c.y, dst, a); });
    case sparsemax: return each_group(n / c.inner, 32, [&](const Group& g) { sparsemax_block(g, n / c.inner, c.inner, c.x, dst, a); });
    case entmax: return each_group(n / c.inner, 32, [&](const Group& g) { entmax_block(g, n / c.inner, c.inner, c.x, dst, a); });
    case layer_norm:
      return each_group(p.rows, c.cols, [&](const Group& g) {
        normalise_row(g, p.rows, c.cols, c.x, dst, p.numbers(1, c.cols), p.numbers(2, 1), p.numbers(3, c.cols), p.whole(4), p.whole(5));
      });
    case batch_norm: {
      const float *mean = p.whole(2), *variance = p.whole(3), *scale = p.whole(4), *shift = p.whole(5);
      return each(n, [&](int i) {
        const int j = i % c.cols;
        dst[i] = (a[i] - mean[j]) * (1.f / sqrtf(variance[j] + c.x)) * scale[j] + shift[j];
      });
    }
    case unit:
      return each_group(p.rows, c.cols,
          [&](const Group& g) { unit_row(g, p.rows, c.cols, c.x, dst, p.numbers(1, 1), b); });
    case mixture: {
      const float *alpha = c.choice ? p.numbers(4, c.cols) : p.whole(4), *beta = c.choice ? p.numbers(5, c.cols) : p.whole(5);
      return each_group(p.rows, c.cols, [&](const Group& g) {
        mix_row(g, p.rows, c.cols, a, b, p.numbers(3, c.cols), alpha, beta, c.choice, nullptr, nullptr, nullptr, dst);
      });
    }
    case gru:
      return each_group(p.rows, c.cols, [&](const Group& g) {
        gru_row(g, p.rows, c.cols, dst, p.numbers(1, 3 * c.cols), p.numbers(2, 3 * c.cols), p.numbers(3, 3 * c.cols), p.numbers(4, c.cols));
      });
    case encoding:
      return each_group(p.rows, c.cols,
          [&](const Group& g) { time_row(g, p.rows, c.cols, dst, p.numbers(1, 1), p.whole(2), p.whole(3)); });
    case projection:
      return each_group(p.rows, c.cols, [&](const Group& g) {
        projected_row(g, p.rows, c.cols, dst, a, p.numbers(2, 1), p.whole(3), p.whole(4));
      });
  }
}

// chain makes calls. Shared memory holds these, then the block's own numbers,
// then its partial sums. Of a result, so many columns of all rows, the card
// copies its rows to the host at once: to the second line of to. The first one
// says whether a row number was out of range.
KERNEL(chain)(int most, int calls, const Call* list, int own, int* fault, int rows, int cols,
    const float* result, float* to) {
  DYNAMIC_SHARED(Call, shared);
  for (int i = threadIdx.x; i < calls; i += blockDim.x) shared[i] = list[i];
  float* numbers = reinterpret_cast<float*>(shared + calls);
  __syncthreads();
  for (int i = 0; i < calls; i++) {
    const Call& c = shared[i];
    if (c.meet) __syncthreads();
    const int first = c.rows < 0 ? 0 : blockIdx.x * most, here = c.rows < 0 ? 1 : min(most, c.rows - first);
    if (here > 0) run(Part{c, first, here, most, numbers, list}, numbers + own, fault);
  }
  if (!to) return;
  __syncthreads();
  const long long first = (long long)blockIdx.x * most * cols;
  each(min(most, rows - static_cast<int>(blockIdx.x) * most) * cols, [&](int i) { to[4 + first + i] = result[first + i]; });
  if (threadIdx.x == 0 && *fault) *reinterpret_cast<int*>(to) = 1;
}
