// recurrent.h: the GRU cell and what depends on time, a group of lanes for each
// row.
#pragma once
#include "groups.h"
#include "scalars.h"

// growth is 1 + w dt + b.
__device__ __forceinline__ float growth(float dt, float w, float b) { return fmaf(dt, w, 1.f) + b; }

// Rows of gates, gi and gh hold r, z and n, units numbers each.
__device__ __forceinline__ void gru_row(const Group& g, int rows, int units, float* h, float* gates,
    const float* gi, const float* gh, const float* q) {
  if (g.row >= rows) return;
  for (int j = g.lane; j < units; j += g.width) {
    const long long at = g.row * units + j, r = 3 * g.row * units + j, z = r + units, n = z + units;
    const float old = q[at], reset = sigmoid(gi[r] + gh[r]), update = sigmoid(gi[z] + gh[z]);
    const float fresh = tanhf(fmaf(reset, gh[n], gi[n]));
    gates[r] = reset;
    gates[z] = update;
    gates[n] = fresh;
    h[at] = fmaf(update, old - fresh, fresh);
  }
}

// The product is rounded before the sum, as PyTorch does it.
__device__ __forceinline__ void time_row(const Group& g, int rows, int cols, float* dst, const float* dt,
    const float* w, const float* b) {
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += g.width) dst[g.row * cols + j] = cosf(w[j] * dt[g.row] + b[j]);
}

__device__ __forceinline__ void projected_row(const Group& g, int rows, int cols, float* dst,
    const float* m, const float* dt, const float* w, const float* b) {
  if (g.row >= rows) return;
  for (int j = g.lane; j < cols; j += g.width) dst[g.row * cols + j] = m[g.row * cols + j] * growth(dt[g.row], w[j], b[j]);
}
