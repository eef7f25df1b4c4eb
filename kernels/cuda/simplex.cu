// simplex.cu: sparsemax and 1.5-entmax of blocks of h numbers, in float64. A
// warp works on a block.
#include "simplex.h"

KERNEL(sparsemax_blocks)(int blocks, int h, float scale, float* dst, const float* x) {
  sparsemax_block(warp_group(), blocks, h, scale, dst, x);
}

KERNEL(sparsemax_blocks_grad)(int blocks, int h, float scale, float* dx, const float* dy, const float* y) {
  const Group g = warp_group();
  if (g.row >= blocks) return;
  const long long at = g.row * h;
  double total = 0.;
  int support = 0;
  for (int j = g.lane; j < h; j += g.width)
    if (y[at + j] > 0.f) {
      total += dy[at + j];
      support++;
    }
  const double mean = sum(g, total) / sum(g, support);
  for (int j = g.lane; j < h; j += g.width)
    dx[at + j] = y[at + j] > 0.f ? static_cast<float>(scale * (dy[at + j] - mean)) : 0.f;
}

KERNEL(entmax_blocks)(int blocks, int h, float scale, float* dst, const float* x) {
  entmax_block(warp_group(), blocks, h, scale, dst, x);
}

KERNEL(entmax_blocks_grad)(int blocks, int h, float scale, float* dx, const float* dy, const float* y) {
  const Group g = warp_group();
  if (g.row >= blocks) return;
  const long long at = g.row * h;
  double total = 0., weighted = 0.;
  for (int j = g.lane; j < h; j += g.width) {
    const double root = sqrt(static_cast<double>(y[at + j]));
    total += root;
    weighted += root * dy[at + j];
  }
  const double mean = sum(g, weighted) / sum(g, total);
  for (int j = g.lane; j < h; j += g.width) {
    const double root = sqrt(static_cast<double>(y[at + j]));
    dx[at + j] = static_cast<float>(scale * root * (dy[at + j] - mean));
  }
}
