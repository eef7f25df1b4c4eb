// optimiser.cu: one step of PyTorch's Adam and SGD, on groups of buffers of
// equal sizes. There is none if anything was noted to be bad since a number.
#include "tables.h"

KERNEL(adam)(long long n, int buffers, const long long* params, const long long* gradients,
    const long long* means, const long long* squares, float size, float root, float beta1, float rest1,
    float beta2, float rest2, float eps, float decay, int since, const int* bad) {
  const long long i = element();
  if (i >= n || *bad >= since) return;
  const Member at = member(params, buffers, i);
  float &p = number(params, at), &mean = number(means, at), &square = number(squares, at);
  const float gradient = fmaf(decay, p, number(gradients, at));
  mean = fmaf(rest1, gradient, beta1 * mean);
  square = fmaf(rest2 * gradient, gradient, beta2 * square);
  p -= size * mean / fmaf(sqrtf(square), root, eps);
}

KERNEL(momentum)(long long n, int buffers, const long long* params, const long long* gradients,
    const long long* velocities, float rate, float momentum, float decay, int since, const int* bad) {
  const long long i = element();
  if (i >= n || *bad >= since) return;
  const Member at = member(params, buffers, i);
  float &p = number(params, at), &v = number(velocities, at);
  v = fmaf(momentum, v, fmaf(decay, p, number(gradients, at)));
  p = fmaf(-rate, v, p);
}
