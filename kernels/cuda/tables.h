// tables.h: groups of buffers. A block of threads works on numbers of one
// buffer. A table has an entry for each buffer, then a part for each block, so
// that no thread searches for the buffer of its number.
#pragma once
#include "compat.h"

struct Entry {
  float* numbers;
  long long n;
};

// Part is a block's part: of a buffer the numbers from first on, one a thread.
struct Part {
  int buffer, first;
};

// Member is a thread's number, if there is one.
struct Member {
  int buffer, at;
  bool is;
};

__device__ __forceinline__ Member member(const Entry* table, int buffers) {
  const Part p = reinterpret_cast<const Part*>(table + buffers)[blockIdx.x];
  const int at = p.first + static_cast<int>(threadIdx.x);
  return {p.buffer, at, at < table[p.buffer].n};
}

// number is one of a group with a table of its own.
__device__ __forceinline__ float& number(const Entry* table, const Member& m) { return table[m.buffer].numbers[m.at]; }
