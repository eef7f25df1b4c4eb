// mixing.cu: states that forget and mix with those of other nodes.
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

KERNEL(mix)(int width, int rows, int cols, const float* self, const float* other, const float* e,
    const float* alpha, const float* beta, int per_row, const int* from_self, const int* from_other,
    const int* from_e, float* dst) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += width) {
    const Parts p = parts(g.row, j, cols, self, other, e, alpha, beta, per_row, from_self, from_other, from_e);
    dst[g.row * cols + j] = fmaf(p.beta, p.self, (1.f - p.beta) * p.inner());
  }
}

KERNEL(mix_grad)(int width, int rows, int cols, const float* self, const float* other, const float* e,
    const float* alpha, const float* beta, int per_row, const int* from_self, const int* from_other,
    const int* from_e, const float* g, float* dself, float* dother, float* de, float* dalpha, float* dbeta) {
  const Group own = group(width);
  if (own.row >= rows) return;
  for (int j = own.lane; j < cols; j += width) {
    const Parts p = parts(own.row, j, cols, self, other, e, alpha, beta, per_row, from_self, from_other, from_e);
    const long long at = own.row * cols + j;
    const float into = g[at] * (1.f - p.beta);
    dself[at] = g[at] * p.beta;
    dbeta[at] = g[at] * (p.self - p.inner());
    dother[at] = into * p.alpha;
    dalpha[at] = into * (p.other - p.e);
    if (e) de[at] = into * (1.f - p.alpha);
  }
}
