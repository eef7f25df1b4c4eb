// optimiser.cu: one step of PyTorch's Adam and SGD.
#include "compat.h"

KERNEL(adam)(long long n, float* p, const float* g, float* mean, float* square, float size, float root,
    float beta1,
             float rest1, float beta2, float rest2, float eps, float decay) {
  const long long i = element();
  if (i >= n) return;
  const float gradient = fmaf(decay, p[i], g[i]);
  mean[i] = fmaf(rest1, gradient, beta1 * mean[i]);
  square[i] = fmaf(rest2 * gradient, gradient, beta2 * square[i]);
  p[i] -= size * mean[i] / fmaf(sqrtf(square[i]), root, eps);
}

KERNEL(momentum)(long long n, float* p, const float* g, float* v, float rate, float momentum, float decay) {
  const long long i = element();
  if (i >= n) return;
  v[i] = fmaf(momentum, v[i], fmaf(decay, p[i], g[i]));
  p[i] = fmaf(-rate, v[i], p[i]);
}
