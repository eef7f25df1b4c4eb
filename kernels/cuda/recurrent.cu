// recurrent.cu: the GRU cell and what depends on time.
#include "columns.h"
#include "recurrent.h"

KERNEL(gru_cell)(int width, int rows, int units, float* h, float* gates, const float* gi, const float* gh,
    const float* q) {
  gru_row(group(width), rows, units, h, gates, gi, gh, q);
}

KERNEL(gru_cell_grad)(int width, int rows, int units, float* dgi, float* dgh, float* dq, const float* dh,
    const float* gates, const float* gh, const float* q) {
  const Group g = group(width);
  if (g.row >= rows) return;
  for (int j = g.lane; j < units; j += width) {
    const long long at = g.row * units + j, r = 3 * g.row * units + j, z = r + units, n = z + units;
    const float d = dh[at], reset = gates[r], update = gates[z], fresh = gates[n];
    const float dz = d * (q[at] - fresh) * (update * (1.f - update));
    const float dn = d * (1.f - update) * fmaf(-fresh, fresh, 1.f);
    const float dr = dn * gh[n] * (reset * (1.f - reset));
    dq[at] = d * update;
    dgi[r] = dgh[r] = dr;
    dgi[z] = dgh[z] = dz;
    dgi[n] = dn;
    dgh[n] = dn * reset;
  }
}

KERNEL(time_encode)(int width, int rows, int cols, float* dst, const float* dt, const float* w,
    const float* b) {
  time_row(group(width), rows, cols, dst, dt, w, b);
}

// A block has some columns, as the edges of a batch are many.
KERNEL(time_encode_grad)(int rows, int cols, float* dw, float* db, const float* g, const float* dt,
    const float* w, const float* b) {
  DYNAMIC_SHARED(float, sums);
  const auto of_b = [=](int i, int j) { return -sinf(w[j] * dt[i] + b[j]) * g[(long long)i * cols + j]; };
  const auto of_w = [=](int i, int j) { return of_b(i, j) * dt[i]; };
  const auto as_is = [](int, float sum) { return sum; };
  sum_columns(sums, rows, cols, db, of_b, as_is);
  __syncthreads();
  sum_columns(sums, rows, cols, dw, of_w, as_is);
}

KERNEL(time_project)(int width, int rows, int cols, float* dst, const float* m, const float* dt,
    const float* w, const float* b) {
  projected_row(group(width), rows, cols, dst, m, dt, w, b);
}

KERNEL(time_project_grad)(int rows, int cols, float* dm, float* dw, float* db, const float* g,
    const float* m, const float* dt, const float* w, const float* b) {
  const long long j = element();
  if (j >= cols) return;
  float of_w = 0.f, of_b = 0.f;
  for (int i = 0; i < rows; i++) {
    const long long at = (long long)i * cols + j;
    const float d = g[at] * m[at];
    of_b += d;
    of_w = fmaf(dt[i], d, of_w);
    dm[at] = g[at] * growth(dt[i], w[j], b[j]);
  }
  dw[j] = of_w;
  db[j] = of_b;
}
