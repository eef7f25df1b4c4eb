// elementary.cu: elementwise kernels, and sums of columns.
#include "columns.h"
#include "scalars.h"
#include "tables.h"

KERNEL(add)(long long n, float* dst, const float* a, const float* b) {
  const long long i = element();
  if (i < n) dst[i] = a[i] + b[i];
}

KERNEL(mul)(long long n, float* dst, const float* a, const float* b) {
  const long long i = element();
  if (i < n) dst[i] = a[i] * b[i];
}

KERNEL(affine)(long long n, float* dst, float a, const float* x, float b) {
  const long long i = element();
  if (i < n) dst[i] = fmaf(a, x[i], b);
}

KERNEL(add_relu)(long long n, float* dst, const float* a, const float* b) {
  const long long i = element();
  if (i < n) dst[i] = relu(a[i] + b[i]);
}

KERNEL(relu_grad)(long long n, float* dst, const float* y, const float* g) {
  const long long i = element();
  if (i < n) dst[i] = y[i] > 0.f ? g[i] : 0.f;
}

KERNEL(sigmoids)(long long n, float* dst, const float* x) {
  const long long i = element();
  if (i < n) dst[i] = sigmoid(x[i]);
}

KERNEL(sigmoid_grad)(long long n, float* dx, const float* g, const float* y) {
  const long long i = element();
  if (i < n) dx[i] = g[i] * (y[i] * (1.f - y[i]));
}

KERNEL(clamp)(long long n, float* dst, float low, float high) {
  const long long i = element();
  if (i < n && dst[i] == dst[i]) dst[i] = fminf(fmaxf(dst[i], low), high);
}

KERNEL(column_sums)(int rows, int cols, float* dst, const float* x) {
  DYNAMIC_SHARED(float, room);
  const Column c = column(rows, cols);
  const auto total = sum_column<1>(room, c, [=](int i) { return Sums<1>{x[(long long)i * cols + c.j]}; });
  if (c.writes) dst[c.j] = total.v[0];
}

// own is the number of the buffer; the flag keeps the largest one that is bad.
KERNEL(check_finite)(long long n, const float* x, int own, int* bad) {
  const long long i = element();
  if (i < n && !finite(x[i])) atomicMax(bad, own);
}

// own is the number of the group's first buffer, the others count down. 1e18 is
// kernels.MaxMagnitude.
KERNEL(check_group)(int buffers, const Entry* table, int own, int* bad) {
  const Member at = member(table, buffers);
  if (at.is && !(fabsf(number(table, at)) <= 1e18f)) atomicMax(bad, own - at.buffer);
}

// One block, which sums in float64: each thread every 256th row, then a tree.
KERNEL(bce)(int rows, float* loss, const float* z, const float* y, const float* w) {
  DYNAMIC_SHARED(double, sums);
  double own = 0.;
  for (int i = threadIdx.x; i < rows; i += blockDim.x)
    own += (fmaf(-z[i], y[i], larger(z[i], 0.f)) + log1p_exp(z[i])) * w[i];
  sums[threadIdx.x] = own;
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
  }
  if (threadIdx.x == 0) *loss = static_cast<float>(sums[0]);
}

KERNEL(bce_grad)(long long rows, float* dz, const float* z, const float* y, const float* w, const float* g) {
  const long long i = element();
  if (i < rows) dz[i] = *g * w[i] * (sigmoid(z[i]) - y[i]);
}
