// jacobian.cu: a step of the Jacobians of many states. A Jacobian is a row of
// lanes for each feature, and a thread has the same element of all that are
// touched: it reads each of them once and writes each new one once.
#include "scalars.h"

// Read is a touched Jacobian: its address, 0 if it is zero, and the place of
// its copy, -1 if nothing is made of it.
struct Read {
  long long address, place;
};

// Write is a new Jacobian: its address, the places of those that it is made of
// (-1 is zero), and the row of the inputs.
struct Write {
  long long address, self, other, row;
};

__device__ __forceinline__ float widen(float x) { return x; }
__device__ __forceinline__ float widen(unsigned short x) { return __uint_as_float(static_cast<unsigned>(x) << 16); }

__device__ __forceinline__ void store(float* to, float x) { *to = x; }
// The nearest bfloat16, the even one of two; NaN stays NaN.
__device__ __forceinline__ void store(unsigned short* to, float x) {
  const unsigned bits = __float_as_uint(x);
  *to = x != x ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

// Copies are in shared memory where they fit, else in the block's own part of
// spill.
template <class T>
__device__ __forceinline__ void step(int lanes, int features, int states, const int* state, int touched,
    const Read* reads, const float* weights, float* sums, int writes, const Write* tasks, const float* keep,
    const float* mix, int per_write, const float* drive, const float* x, int kept, float* spill,
    float* shared) {
  float* copies = (spill ? spill + (long long)blockIdx.x * kept * blockDim.x : shared) + threadIdx.x;
  const long long size = (long long)lanes * features;
  for (long long at = element(); at < size; at += (long long)gridDim.x * blockDim.x) {
    const int lane = at % lanes, feature = at / lanes, number = state[lane];
    float sum = 0.f;
    for (int i = 0; i < touched; i++) {
      if (!reads[i].address) continue;
      const float v = widen(reinterpret_cast<const T*>(reads[i].address)[at]);
      if (weights) sum = fmaf(weights[(long long)i * states + number], v, sum);
      if (reads[i].place >= 0) copies[reads[i].place * blockDim.x] = v;
    }
    if (weights) sums[at] = sum;
    for (int i = 0; i < writes; i++) {
      const Write& w = tasks[i];
      const float self = w.self < 0 ? 0.f : copies[w.self * blockDim.x];
      const float other = w.other < 0 ? 0.f : copies[w.other * blockDim.x];
      const long long factor = per_write ? (long long)i * states + number : number;
      const float driven = mix[factor] * other + drive[(long long)i * lanes + lane] * x[w.row * features + feature];
      store(reinterpret_cast<T*>(w.address) + at, keep[factor] * self + driven);
    }
  }
}

KERNEL(jacobian_step)(int lanes, int features, int states, const int* state, int touched, const Read* reads,
    const float* weights, float* sums, int writes, const Write* tasks, const float* keep, const float* mix,
    int per_write, const float* drive, const float* x, int kept, float* spill) {
  DYNAMIC_SHARED(float, shared);
  step<float>(lanes, features, states, state, touched, reads, weights, sums, writes, tasks, keep, mix,
      per_write, drive, x, kept, spill, shared);
}

KERNEL(jacobian_step_half)(int lanes, int features, int states, const int* state, int touched,
    const Read* reads, const float* weights, float* sums, int writes, const Write* tasks, const float* keep,
    const float* mix, int per_write, const float* drive, const float* x, int kept, float* spill) {
  DYNAMIC_SHARED(float, shared);
  step<unsigned short>(lanes, features, states, state, touched, reads, weights, sums, writes, tasks, keep, mix,
      per_write, drive, x, kept, spill, shared);
}

// A thread has a number of the gradient, and takes the lanes in order.
KERNEL(jacobian_gradient)(int lanes, int features, int columns, const int* plus, const int* minus,
    const float* sums, float* grad) {
  const long long at = element();
  if (at >= (long long)features * columns) return;
  const long long feature = at / columns, column = at % columns;
  float total = 0.f;
  for (int l = 0; l < lanes; l++) {
    const float v = sums[feature * lanes + l];
    if (plus[l] == column) total += v;
    if (minus[l] == column) total -= v;
  }
  grad[at] = total;
}
