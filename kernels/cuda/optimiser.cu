// optimiser.cu: one step of PyTorch's Adam and SGD, on groups of buffers of
// equal sizes. There is no step after a bad buffer.
#include "tables.h"

KERNEL(adam)(int buffers, const Entry* params, const Entry* gradients, const Entry* means, const Entry* squares,
    float size, float root, float beta1, float rest1, float beta2, float rest2, float eps, float decay, const int* bad) {
  const bool none = *bad != 0;
  const Member at = member(params, buffers);
  if (!at.is || none) return;
  float &to = number(params, at), &of_mean = number(means, at), &of_square = number(squares, at);
  const float p = to, gradient = fmaf(decay, p, number(gradients, at));
  const float mean = fmaf(rest1, gradient, beta1 * of_mean);
  const float square = fmaf(rest2 * gradient, gradient, beta2 * of_square);
  of_mean = mean;
  of_square = square;
  to = p - size * mean / fmaf(sqrtf(square), root, eps);
}

KERNEL(momentum)(int buffers, const Entry* params, const Entry* gradients, const Entry* velocities, float rate,
    float momentum, float decay, const int* bad) {
  const bool none = *bad != 0;
  const Member at = member(params, buffers);
  if (!at.is || none) return;
  float &to = number(params, at), &velocity = number(velocities, at);
  const float p = to, v = fmaf(momentum, velocity, fmaf(decay, p, number(gradients, at)));
  velocity = v;
  to = fmaf(-rate, v, p);
}
