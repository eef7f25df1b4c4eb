// mixing.h: states that forget and mix with those of other nodes.
#pragma once
#include "groups.h"

// Parts are what one element of a mixture reads.
struct Parts {
  float self, other, e, alpha, beta;
  // inner is what of the other state and of e comes in.
  __device__ __forceinline__ float inner() const { return fmaf(alpha, other, (1.f - alpha) * e); }
};

// Without lists (null) every row reads its own.
__device__ __forceinline__ Parts parts(long long i, int j, int cols, const float* self, const float* other,
    const float* e, const float* alpha, const float* beta, int per_row, const int* from_self,
    const int* from_other, const int* from_e) {
  const long long of_self = (from_self ? from_self[i] : i) * cols + j, of_other = (from_other ? from_other[i] : i) * cols + j;
  const long long of_e = (from_e ? from_e[i] : i) * cols + j, factor = per_row ? of_e : j;
  return {self[of_self], other[of_other], e ? e[of_e] : 0.f, alpha[factor], beta[factor]};
}

__device__ __forceinline__ void mix_row(const Group& g, int rows, int cols, const float* self, const float* other,
    const float* e, const float* alpha, const float* beta, int per_row, const int* from_self,
    const int* from_other, const int* from_e, float* dst) {
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += g.width) {
    const Parts p = parts(g.row, j, cols, self, other, e, alpha, beta, per_row, from_self, from_other, from_e);
    dst[g.row * cols + j] = fmaf(p.beta, p.self, (1.f - p.beta) * p.inner());
  }
}
