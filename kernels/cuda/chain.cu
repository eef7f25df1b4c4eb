// chain.cu: calls that compute rows independently of each other, in one launch.
// A block computes its rows through all calls; intermediate results stay in shared
// memory.
#include "blocks.h"
#include "loads.h"
#include "mixing.h"
#include "norms.h"
#include "recurrent.h"
#include "simplex.h"
#include "tiles.h"

// Code says what a call does. chain_calls.go has the same names and order.
enum Code {
  copy, gather, put, product, product_of_twos, product_of_fours, product_in_fours, sums, relus, affines, sigmoids, softmax,
  division, sparsemax, entmax, layer_norm, unit, mixture, gru, encoding, projection,
};

// Call is one call. Its operands, results first, are addresses of row 0, or
// have a mark in the last two bits: 1 stands for one of the block's own
// numbers, 2 for a byte of the list of calls, where what the host wrote
// follows. 0 is none.
struct alignas(16) Call {
  int code;
  int barrier;  // do threads wait for each other before it?
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
  int most;         // rows that fit
  float* own;       // the block's memory
  const Call* list;

  __device__ __forceinline__ float* address(long long at) const {
    if (at & 2) return reinterpret_cast<float*>(reinterpret_cast<long long>(list) + (at >> 2));
    return reinterpret_cast<float*>(at);
  }

  // numbers are the block's rows of an operand with cols columns.
  template <class T = float>
  __device__ __forceinline__ T* numbers(int operand, long long cols) const {
    const long long at = call.at[operand];
    if (at & 1) return reinterpret_cast<T*>(own + (at >> 2));
    return at ? reinterpret_cast<T*>(address(at)) + first * cols : nullptr;
  }
  // whole is an operand without rows.
  __device__ __forceinline__ float* whole(int operand) const {
    const long long at = call.at[operand];
    return at & 1 ? own + (at >> 2) : address(at);
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

// add_terms adds deep terms to the sums, or as many as there are where that is
// not sure, X at a time. All loads of w come first.
template <int deep, bool sure, int X, int R, int V>
__device__ __forceinline__ void add_terms(const float* const (&x)[R], const float* w, int cols, int from,
    int terms, float (&sums)[R][V]) {
  Numbers<V> rows[deep];
#pragma unroll
  for (int i = 0; i < deep; i++)
    if (sure || i < terms) rows[i] = *reinterpret_cast<const Numbers<V>*>(w + (long long)i * cols);
#pragma unroll
  for (int i = 0; i < deep; i += X)
    if (sure || i < terms)
      for (int r = 0; r < R; r++) {
        const Numbers<X> some = *reinterpret_cast<const Numbers<X>*>(x[r] + from + i);
        for (int k = 0; k < X; k++)
          for (int v = 0; v < V; v++) sums[r][v] = fmaf(some.v[k], rows[i + k].v[v], sums[r][v]);
      }
}

// multiply is a slice of the rows' products with V columns of w.
template <int X, int R, int V>
__device__ __forceinline__ void multiply(const float* const (&x)[R], const float* w, int cols, int from, int end,
    float (&sums)[R][V]) {
  constexpr int deep = R < 8 ? 8 : 4;  // rows of w that are on their way at a time
  const float* row = w + (long long)from * cols;
  int p = from;
  for (; p + deep <= end; p += deep, row += (long long)deep * cols) add_terms<deep, true, X>(x, row, cols, p, deep, sums);
  if (p < end) add_terms<deep, false, X>(x, row, cols, p, end - p, sums);
}

// finish adds the bias, and rectifies where that is asked for.
__device__ __forceinline__ float finish(const Call& c, float sum, const float* bias, int col) {
  if (bias) sum += bias[col];
  return c.choice ? relu(sum) : sum;
}

// Products are those of the rows of x, and where two calls have the same
// weights, in one with those of another x.
struct Products {
  const float *x, *other_x;
  float *out, *other_out;
  int rows, most;  // of each; the others begin at number most

  __device__ __forceinline__ explicit Products(const Part& p)
      : x(p.numbers(2, p.call.inner)), other_x(p.numbers(3, p.call.inner)), out(p.numbers(0, p.call.cols)),
        other_out(p.numbers(1, p.call.cols)), rows(p.rows), most(p.most) {}

  __device__ __forceinline__ bool has(int r) const { return r < rows || (r >= most && r - most < rows); }
  // A row that is not there is read as the last one.
  __device__ __forceinline__ const float* in(int r, int inner) const {
    return r < most ? x + (long long)min(r, rows - 1) * inner : other_x + (long long)min(r - most, rows - 1) * inner;
  }
  __device__ __forceinline__ float* to(int r, int cols) const { return r < most ? out + r * cols : other_out + (r - most) * cols; }
};

// multiply_rows is x w + bias. A thread has V columns and a slice of the sum;
// several slices meet in partial. Rows of x are read X numbers at a time, of
// which a slice has whole ones.
template <int R, int V, int X>
__device__ __forceinline__ void multiply_rows(const Part& p, const Products& rows, float* partial) {
  const Call& c = p.call;
  const int slice = threadIdx.x / c.lanes, deep = (c.inner / X + c.slices - 1) / c.slices * X, from = slice * deep;
  const float *w = p.whole(4), *bias = p.whole(5);
  const float* x[R];
#pragma unroll
  for (int r = 0; r < R; r++) x[r] = rows.in(r, c.inner);
  for (int col = threadIdx.x % c.lanes * V; slice < c.slices && col < c.cols; col += c.lanes * V) {
    float sums[R][V] = {};
    multiply<X>(x, w + col, c.cols, from, min(from + deep, c.inner), sums);
#pragma unroll
    for (int r = 0; r < R; r++) {
      float* to = c.slices > 1 ? partial + (slice * R + r) * c.cols + col : rows.to(r, c.cols) + col;
#pragma unroll
      for (int v = 0; v < V; v++) {
        if (c.slices > 1)
          to[v] = sums[r][v];
        else if (rows.has(r))
          to[v] = finish(c, sums[r][v], bias, col + v);
      }
    }
  }
}

// add_slices adds the slices of count rows in order.
__device__ __forceinline__ void add_slices(const Part& p, const Products& rows, int count, const float* partial) {
  const Call& c = p.call;
  const float* bias = p.whole(5);
  __syncthreads();
  each(count * c.cols, [&](int i) {
    const int r = i / c.cols, col = i % c.cols;
    if (!rows.has(r)) return;
    float sum = partial[i];
    for (int s = 1; s < c.slices; s++) sum += partial[s * count * c.cols + i];
    rows.to(r, c.cols)[col] = finish(c, sum, bias, col);
  });
}

template <int V, int X>
__device__ __forceinline__ void multiply_all(const Part& p, float* partial) {
  const Products rows(p);
  const int count = p.call.at[1] ? 2 * p.most : p.most;
  switch (count) {
    case 1: multiply_rows<1, V, X>(p, rows, partial); break;
    case 2: multiply_rows<2, V, X>(p, rows, partial); break;
    case 4: multiply_rows<4, V, X>(p, rows, partial); break;
    default: multiply_rows<8, V, X>(p, rows, partial);
  }
  if (p.call.slices > 1) add_slices(p, rows, count, partial);
}

// transfer calls put(row, col, get(row, col)) for all of the rows. Loads do not
// wait for each other.
template <class Get, class Put>
__device__ __forceinline__ void transfer(const Part& p, Get get, Put put) {
  const int cols = p.call.cols;
  pipelined(threadIdx.x, p.rows * cols, blockDim.x, [&](int i) { return get(i / cols, i % cols); },
      [&](int i, auto v) { put(i / cols, i % cols, v); });
}

// move copies rows.
__device__ __forceinline__ void move(const Part& p, float* dst, int dst_cols, const float* src, int src_cols) {
  transfer(p, [&](int row, int col) { return src[row * src_cols + col]; },
      [&](int row, int col, float v) { dst[row * dst_cols + col] = v; });
}

// gather_rows copies rows that a list picks, or the first one.
__device__ __forceinline__ void gather_rows(const Part& p, int* fault) {
  const Call& c = p.call;
  const float* src = p.whole(1);
  const int* index = p.numbers<int>(2, 1);
  float* dst = p.numbers(0, c.cols);
  bool bad = false;
  transfer(p, [&](int row, int col) { return src[(long long)within(index ? index[row] : 0, c.inner, bad) * c.cols + col]; },
      [&](int row, int col, float v) { dst[row * c.cols + col] = v; });
  if (bad) atomicOr(fault, 1);
}

// put_rows copies rows to where a list says, unless that is below zero.
__device__ __forceinline__ void put_rows(const Part& p, int* fault) {
  const Call& c = p.call;
  float* dst = p.whole(0);
  const float* src = p.numbers(1, c.cols);
  const int* index = p.numbers<int>(2, 1);
  transfer(p, [&](int row, int) { return index[row]; },
      [&](int row, int col, int to) {
        if (to >= 0) dst[(long long)within(to, c.inner, fault) * c.cols + col] = src[row * c.cols + col];
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
    case product: return multiply_all<1, 1>(p, partial);
    case product_of_twos: return multiply_all<2, 4>(p, partial);
    case product_of_fours: return multiply_all<4, 1>(p, partial);
    case product_in_fours: return multiply_all<4, 4>(p, partial);
    case sums: return each(n, [&](int i) { dst[i] = a[i] + b[i]; });
    case relus: return each(n, [&](int i) { dst[i] = relu(b ? a[i] + b[i] : a[i]); });
    case affines: return each(n, [&](int i) { dst[i] = fmaf(c.x, a[i], c.y); });
    case sigmoids: return each(n, [&](int i) { dst[i] = sigmoid(a[i]); });
    case softmax: return each_group(n / c.inner, c.inner, [&](const Group& g) { softmax_block(g, n / c.inner, c.inner, c.x, dst, a); });
    case division:
      return each_group(n / c.inner, c.inner, [&](const Group& g) { divide_by_sum(g, n / c.inner, c.inner, c.x, c.y, dst, a); });
    case sparsemax: return each_group(n / c.inner, 32, [&](const Group& g) { sparsemax_block(g, n / c.inner, c.inner, c.x, dst, a); });
    case entmax: return each_group(n / c.inner, 32, [&](const Group& g) { entmax_block(g, n / c.inner, c.inner, c.x, dst, a); });
    case layer_norm:
      return each_group(p.rows, c.cols, [&](const Group& g) {
        normalise_row(g, p.rows, c.cols, c.x, dst, p.numbers(1, c.cols), p.numbers(2, 1), p.numbers(3, c.cols), p.whole(4), p.whole(5));
      });
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

// Run is one chain: its calls, the number of rows of a block, and where numbers
// are.
struct Run {
  int most, calls;
  const Call* list;
  int own;         // numbers of a block before its partial sums
  float* outside;  // numbers of all blocks, room each; null if they are in shared memory
  int room;
};

// make makes the calls for a block. Shared memory holds these, then the
// block's own numbers, then its partial sums.
__device__ __forceinline__ void make(const Run& r, int block, Call* shared, int* fault) {
  for (int i = threadIdx.x; i < r.calls; i += blockDim.x) shared[i] = r.list[i];
  float* numbers = r.outside ? r.outside + (long long)block * r.room : reinterpret_cast<float*>(shared + r.calls);
  __syncthreads();
  for (int i = 0; i < r.calls; i++) {
    const Call& c = shared[i];
    if (c.barrier) __syncthreads();
    const int first = c.rows < 0 ? 0 : block * r.most, here = c.rows < 0 ? 1 : min(r.most, c.rows - first);
    if (here > 0) run(Part{c, first, here, r.most, numbers, r.list}, numbers + r.own, fault);
  }
}

// chain runs one chain in the first blocks, and in the others another one that
// does not depend on it. A result of the last of them, cols columns of all rows,
// is copied to the host at once: to the second line of to. The first one says
// whether a row number was out of range.
KERNEL(chain)(int blocks, int most, int calls, const Call* list, int own, float* outside, int room,
    int other_most, int other_calls, const Call* other_list, int other_own, float* other_outside, int other_room,
    int* fault, int rows, int cols, const float* result, float* to) {
  DYNAMIC_SHARED(Call, shared);
  const bool is_other = blockIdx.x >= blocks;
  const int block = is_other ? blockIdx.x - blocks : blockIdx.x;
  Run r = {most, calls, list, own, outside, room};
  if (is_other) r = {other_most, other_calls, other_list, other_own, other_outside, other_room};
  make(r, block, shared, fault);
  if (!to || (other_calls && !is_other)) return;
  __syncthreads();
  const long long first = (long long)block * r.most * cols;
  each(min(r.most, rows - block * r.most) * cols, [&](int i) { to[4 + first + i] = result[first + i]; });
  // Other blocks may be about to set or to report it.
  if (threadIdx.x == 0 && atomicOr(fault, 0)) atomicOr(reinterpret_cast<int*>(to), 1);
}
