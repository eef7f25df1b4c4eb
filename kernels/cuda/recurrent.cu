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

KERNEL(time_encode_grad)(int rows, int cols, float* dw, float* db, const float* g, const float* dt,
    const float* w, const float* b) {
  DYNAMIC_SHARED(float, room);
  const Column c = column(rows, cols);
  const float slope = w[c.j], phase = b[c.j];
  const auto read = [=](int i) { return Sums<2>{g[(long long)i * cols + c.j], dt[i]}; };
  const auto total = sum_column<2>(room, c, read, [=](const Sums<2>& v) {
    const float d = -sinf(slope * v.v[1] + phase) * v.v[0];
    return Sums<2>{d * v.v[1], d};
  });
  if (!c.writes) return;
  dw[c.j] = total.v[0];
  db[c.j] = total.v[1];
}

KERNEL(time_project)(int width, int rows, int cols, float* dst, const float* m, const float* dt,
    const float* w, const float* b) {
  projected_row(group(width), rows, cols, dst, m, dt, w, b);
}

KERNEL(time_project_grad)(int rows, int cols, float* dm, float* dw, float* db, const float* g,
    const float* m, const float* dt, const float* w, const float* b) {
  DYNAMIC_SHARED(float, room);
  const Column c = column(rows, cols);
  const auto total = sum_column<2>(room, c, [=](int i) {
    const float d = g[(long long)i * cols + c.j] * m[(long long)i * cols + c.j];
    return Sums<2>{d * dt[i], d};
  });
  const float slope = w[c.j], shift = b[c.j];
  const auto number = [=](int i) { return g[(long long)i * cols + c.j] * growth(dt[i], slope, shift); };
  each_row(c, number, [=](int i, float v) { dm[(long long)i * cols + c.j] = v; });
  if (!c.writes) return;
  dw[c.j] = total.v[0];
  db[c.j] = total.v[1];
}
