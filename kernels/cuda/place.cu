// place.cu: what the host has written, to the buffers that it is for.
#include "compat.h"

// Piece is one: so many words, from word number first on of what was
// copied.
struct Piece {
  int* to;
  long long first, words;
};

// place has a column of blocks for every piece.
KERNEL(place)(const Piece* places, const int* words) {
  const Piece p = places[blockIdx.y];
  const long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = element(); i < p.words; i += step) p.to[i] = words[p.first + i];
}
