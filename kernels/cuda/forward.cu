// forward.cu: derivatives that are carried forward with the states that they
// are of.
#include "blocks.h"
#include "loads.h"
#include "mixing.h"
#include "occurrences.h"
#include "tables.h"

// carried is the tangent of a mixture of those of its states; step is what it
// has of its own.
__device__ __forceinline__ float carried(const Parts& p, float self, float other, float step) {
  return fmaf(p.beta, self, (1.f - p.beta) * (p.alpha * other)) + step;
}

// All loads come before the first store, which they would wait for.
KERNEL(mix_forward)(int width, int rows, int cols, const float* self, const float* other, const float* e,
    const float* alpha, const float* beta, int per_row, const int* from_self, const int* from_other,
    const int* from_e, float* dst, float* dself, float* dother, float* de, float* dalpha, float* dbeta,
    int logits, const float* alpha_table, float* alpha_dst, const float* beta_table, float* beta_dst) {
  const Group own = group(width);
  if (own.row >= rows) return;
  const long long of_self = (from_self ? from_self[own.row] : own.row) * cols;
  const long long of_other = (from_other ? from_other[own.row] : own.row) * cols;
  for (int j = own.lane; j < cols; j += width) {
    const Parts p = parts(own.row, j, cols, self, other, e, alpha, beta, per_row, from_self, from_other, from_e);
    const float alpha_self = alpha_table[of_self + j], alpha_other = alpha_table[of_other + j];
    const float beta_self = beta_table[of_self + j], beta_other = beta_table[of_other + j];
    const long long at = own.row * cols + j;
    const float rest = 1.f - p.beta;
    float step_alpha = rest * (p.other - p.e), step_beta = p.self - p.inner();
    if (logits) {
      step_alpha *= p.alpha * (1.f - p.alpha);
      step_beta *= p.beta * (1.f - p.beta);
    }
    dst[at] = fmaf(p.beta, p.self, rest * p.inner());
    dself[at] = p.beta;
    dother[at] = rest * p.alpha;
    if (e) de[at] = rest * (1.f - p.alpha);
    dalpha[at] = step_alpha;
    dbeta[at] = step_beta;
    alpha_dst[at] = carried(p, alpha_self, alpha_other, step_alpha);
    beta_dst[at] = carried(p, beta_self, beta_other, step_beta);
  }
}

// A warp works on a row of one of the tables. The last of several rows with one
// index is written: the others find it and do nothing.
KERNEL(commit_rows)(int rows, int cols, int dst_rows, const Entry* tables, const Entry* sources,
    const int* index, const int* bad, int* fault) {
  const Group g = warp_group();
  if (g.row >= rows || *bad) return;
  const int to = within(index[g.row], dst_rows, fault);
  if (next(g, index, g.row + 1, rows, to) < rows) return;
  float* dst = tables[blockIdx.y].numbers + (long long)to * cols;
  const float* src = sources[blockIdx.y].numbers + g.row * cols;
  pipelined(g.lane, cols, g.width, [=](int j) { return src[j]; }, [=](int j, float v) { dst[j] = v; });
}

// Picked is number r of a block of h, which alone has a gradient, p; y is what
// the block was rescaled to, z what it was.
struct Picked {
  const float *y, *z;
  int h, r;
  float p;
  __device__ __forceinline__ float gradient(int q) const { return q == r ? p : 0.f; }
};

// block_derivatives has a group of lanes for each number of each block: they
// sum term(block, q) over its numbers, and write derivative(block, sum, q) of
// the first ones.
template <class Term, class Derivative>
__device__ __forceinline__ void block_derivatives(const Group& g, int numbers, int h, int blocks, int kept, float* dst,
    long long stride, const float* p, int y_rows, const float* y, const float* z, const int* index, int* fault,
    Term term, Derivative derivative) {
  const long long row = g.row / (h * blocks);
  const int r = g.row / blocks % h, b = g.row % blocks;
  const bool in = g.row < numbers;
  const long long at = in ? ((long long)within(index[row], y_rows, fault) * blocks + b) * h : 0;
  const Picked block = {y + at, z + at, h, r, in ? p[(row * blocks + b) * h + r] : 0.f};
  decltype(term(block, 0)) total = 0;
  for (int q = g.lane; q < h && in; q += g.width) total += term(block, q);
  total = sum(g, total);
  float* to = dst + row * stride + ((long long)r * blocks + b) * kept;
  for (int q = g.lane; q < kept && in; q += g.width) to[q] = derivative(block, total, q);
}

KERNEL(softmax_derivatives)(int width, int numbers, int h, int blocks, int kept, float* dst, long long stride,
    const float* p, int y_rows, const float* y, const float* z, const int* index, float scale, float eps,
    float floor, int* fault) {
  const auto none = [](const Picked&, int) { return 0.f; };
  const auto derivative = [=](const Picked& b, float, int q) {
    return (b.gradient(q) - b.y[b.r] * b.p) * b.y[q] * scale;
  };
  block_derivatives(group(width), numbers, h, blocks, kept, dst, stride, p, y_rows, y, z, index, fault, none, derivative);
}

KERNEL(divide_sum_derivatives)(int width, int numbers, int h, int blocks, int kept, float* dst, long long stride,
    const float* p, int y_rows, const float* y, const float* z, const int* index, float scale, float eps,
    float floor, int* fault) {
  const auto number = [](const Picked& b, int q) { return b.z[q]; };
  const auto derivative = [=](const Picked& b, float total, int q) {
    const float mean = fabsf(total) < floor ? 0.f : b.y[b.r] * b.p;  // the floor is a constant
    return (b.gradient(q) - mean) / (raised(total, floor) + eps);
  };
  block_derivatives(group(width), numbers, h, blocks, kept, dst, stride, p, y_rows, y, z, index, fault, number, derivative);
}

KERNEL(sparsemax_derivatives)(int width, int numbers, int h, int blocks, int kept, float* dst, long long stride,
    const float* p, int y_rows, const float* y, const float* z, const int* index, float scale, float eps,
    float floor, int* fault) {
  const auto supported = [](const Picked& b, int q) { return b.y[q] > 0.f ? 1 : 0; };
  const auto derivative = [=](const Picked& b, int support, int q) {
    const double mean = b.y[b.r] > 0.f ? static_cast<double>(b.p) / support : 0.;
    return b.y[q] > 0.f ? static_cast<float>(scale * (b.gradient(q) - mean)) : 0.f;
  };
  block_derivatives(group(width), numbers, h, blocks, kept, dst, stride, p, y_rows, y, z, index, fault, supported, derivative);
}

KERNEL(entmax_derivatives)(int width, int numbers, int h, int blocks, int kept, float* dst, long long stride,
    const float* p, int y_rows, const float* y, const float* z, const int* index, float scale, float eps,
    float floor, int* fault) {
  const auto root = [](const Picked& b, int q) { return sqrt(static_cast<double>(b.y[q])); };
  const auto derivative = [=](const Picked& b, double total, int q) {
    return static_cast<float>(scale * root(b, q) * (b.gradient(q) - root(b, b.r) * b.p / total));
  };
  block_derivatives(group(width), numbers, h, blocks, kept, dst, stride, p, y_rows, y, z, index, fault, root, derivative);
}
