// tables.h: groups of buffers. A table has two words for each: its address,
// and where it ends among the numbers of all.
#pragma once
#include "compat.h"

// Member is a buffer of a group, and a number of it.
struct Member {
  int buffer;
  long long at;
};

// member is that of number i of all.
__device__ __forceinline__ Member member(const long long* table, int buffers, long long i) {
  int lo = 0, hi = buffers - 1;
  while (lo < hi) {
    const int middle = (lo + hi) / 2;
    if (table[2 * middle + 1] > i)
      hi = middle;
    else
      lo = middle + 1;
  }
  return {lo, i - (lo ? table[2 * lo - 1] : 0)};
}

// number is one of a group with a table of its own.
__device__ __forceinline__ float& number(const long long* table, Member m) {
  return reinterpret_cast<float*>(table[2 * m.buffer])[m.at];
}
