// mixing.cu: states that forget and mix with those of other nodes.
#include "mixing.h"

KERNEL(mix)(int width, int rows, int cols, const float* self, const float* other, const float* e,
    const float* alpha, const float* beta, int per_row, const int* from_self, const int* from_other,
    const int* from_e, float* dst) {
  mix_row(group(width), rows, cols, self, other, e, alpha, beta, per_row, from_self, from_other, from_e, dst);
}

KERNEL(mix_grad)(int width, int rows, int cols, const float* self, const float* other, const float* e,
    const float* alpha, const float* beta, int per_row, const int* from_self, const int* from_other,
    const int* from_e, const float* g, float* dself, float* dother, float* de, float* dalpha, float* dbeta) {
  const Group own = group(width);
  if (own.row >= rows) return;
  for (int j = own.lane; j < cols; j += width) {
    const Parts p = parts(own.row, j, cols, self, other, e, alpha, beta, per_row, from_self, from_other, from_e);
    const long long at = own.row * cols + j;
    const float given = g[at], into = given * (1.f - p.beta);
    dself[at] = given * p.beta;
    dbeta[at] = given * (p.self - p.inner());
    dother[at] = into * p.alpha;
    dalpha[at] = into * (p.other - p.e);
    if (e) de[at] = into * (1.f - p.alpha);
  }
}
