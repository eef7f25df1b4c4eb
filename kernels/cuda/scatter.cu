// scatter.cu: copies what the host has written to its buffers.
#include "compat.h"

// Piece is one of the copies: words words, from number first on of what was
// uploaded.
struct Piece {
  int* to;
  long long first, words;
};

// scatter has a column of blocks for every piece.
KERNEL(scatter)(const Piece* pieces, const int* words) {
  const Piece p = pieces[blockIdx.y];
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = element(); i < p.words; i += step) p.to[i] = words[p.first + i];
}
