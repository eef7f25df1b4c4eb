// blocks.cu: kernels on blocks of h numbers. A group of lanes has a block.
#include "groups.h"
#include "scalars.h"

KERNEL(softmax_blocks)(int width, int blocks, int h, float scale, float* dst, const float* x) {
  const Group g = group(width);
  const int n = g.row < blocks ? h : 0;
  const long long at = g.row * h;
  float top = -INFINITY, total = 0.f;
  for (int j = g.lane; j < n; j += width) top = fmaxf(top, x[at + j]);
  top = largest(g, top);
  for (int j = g.lane; j < n; j += width) total += dst[at + j] = expf((x[at + j] - top) * scale);
  total = sum(g, total);
  for (int j = g.lane; j < n; j += width) dst[at + j] /= total;
}

KERNEL(softmax_blocks_grad)(int width, int blocks, int h, float scale, float* dx, const float* dy,
    const float* y) {
  const Group g = group(width);
  const int n = g.row < blocks ? h : 0;
  const long long at = g.row * h;
  float mean = 0.f;
  for (int j = g.lane; j < n; j += width) mean = fmaf(y[at + j], dy[at + j], mean);
  mean = sum(g, mean);
  for (int j = g.lane; j < n; j += width) dx[at + j] = (dy[at + j] - mean) * y[at + j] * scale;
}

// block_sum is the sum of a group's block.
__device__ __forceinline__ float block_sum(const Group& g, int n, const float* z) {
  float total = 0.f;
  for (int j = g.lane; j < n; j += g.width) total += z[g.row * n + j];
  return sum(g, total);
}

// raised is a sum that is not smaller in size than floor.
__device__ __forceinline__ float raised(float sum,
    float floor) { return fabsf(sum) < floor ? copysignf(floor, sum) : sum; }

KERNEL(divide_sum_blocks)(int width, int blocks, int h, float eps, float floor, float* dst, const float* z) {
  const Group g = group(width);
  const int n = g.row < blocks ? h : 0;
  const float d = raised(block_sum(g, n, z), floor) + eps;
  for (int j = g.lane; j < n; j += width) dst[g.row * h + j] = z[g.row * h + j] / d;
}

KERNEL(divide_sum_blocks_grad)(int width, int blocks, int h, float eps, float floor, float* dz,
    const float* dy, const float* y, const float* z) {
  const Group g = group(width);
  const int n = g.row < blocks ? h : 0;
  const long long at = g.row * h;
  const float total = block_sum(g, n, z);
  float mean = 0.f;
  for (int j = g.lane; j < n; j += width) mean = fmaf(y[at + j], dy[at + j], mean);
  mean = sum(g, mean);
  if (fabsf(total) < floor) mean = 0.f;  // the floor is a constant
  const float d = raised(total, floor) + eps;
  for (int j = g.lane; j < n; j += width) dz[at + j] = (dy[at + j] - mean) / d;
}
