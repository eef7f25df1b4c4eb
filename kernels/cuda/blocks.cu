// blocks.cu: kernels on blocks of h numbers. A group of lanes works on a block.
#include "blocks.h"
#include "scalars.h"

KERNEL(softmax_blocks)(int width, int blocks, int h, float scale, float* dst, const float* x) {
  softmax_block(group(width), blocks, h, scale, dst, x);
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

KERNEL(divide_sum_blocks)(int width, int blocks, int h, float eps, float floor, float* dst, const float* z) {
  divide_by_sum(group(width), blocks, h, eps, floor, dst, z);
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
