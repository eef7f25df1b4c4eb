// tiles.h: what products that sum over k in order have in common. A block has
// a tile of the results and takes its two operands in slices of some k, which
// lie in shared memory k by k, one row number after another. Of a slice, a
// thread has some rows of either operand in registers; there are two slices,
// so that one is filled while the other is used.
#pragma once
#include "compat.h"

// Numbers are neighbours, which are read and written together.
template <int n>
struct alignas(n * sizeof(float)) Numbers {
  float v[n];
};

template <int numbers>
constexpr int at_once = numbers < 4 ? numbers : 4;

// spot is the position in a tile of rows rows of a thread's number i of numbers,
// for the thread at this position among those of the block.
template <int numbers, int rows>
__device__ __forceinline__ int spot(int thread, int i) {
  constexpr int few = at_once<numbers>;
  return i / few * (rows * few / numbers) + thread * few + i % few;
}

// fragment reads a thread's numbers of one k.
template <int numbers, int rows>
__device__ __forceinline__ void fragment(float (&to)[numbers], const float* slice, int thread) {
  constexpr int few = at_once<numbers>;
  for (int i = 0; i < numbers; i += few) {
    const Numbers<few> part = *reinterpret_cast<const Numbers<few>*>(slice + spot<numbers, rows>(thread, i));
    for (int k = 0; k < few; k++) to[i + k] = part.v[k];
  }
}

// Position of a thread in a block with across threads a row: a warp has 8 across
// and 4 down, so that its lanes share what they read.
struct Position {
  int down, across;
};

template <int across>
__device__ __forceinline__ Position position(int thread) {
  const int warp = thread / 32, lane = thread % 32;
  return {warp / (across / 8) * 4 + lane / 8, warp % (across / 8) * 8 + lane % 8};
}
