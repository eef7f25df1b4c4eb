// occurrences.h: where a number stands in a list. A warp looks at 256 places
// at a time.
#pragma once
#include "groups.h"

// next is the first place from begin on where x stands in the list, or end.
// All lanes of a warp ask for the same.
__device__ __forceinline__ int next(const Group& g, const int* list, int begin, int end, int x) {
  constexpr int loads = 8, lanes = 32;
  for (int at = begin; at < end; at += loads * lanes) {
    bool here[loads];
    for (int k = 0; k < loads; k++) {
      const int i = at + k * lanes + g.lane;
      here[k] = i < end && list[i] == x;
    }
    for (int k = 0; k < loads; k++) {
      const unsigned found = __ballot_sync(all_lanes, here[k]);
      if (found) return at + k * lanes + __ffs(found) - 1;
    }
  }
  return end;
}

// few is how many places are looked for together.
constexpr int few = 8;

// next_few is the next few places from begin on where x stands in the list, in
// as many lanes, in order; those that there are none for, and all others, have
// the end. begin becomes where to go on.
__device__ __forceinline__ int next_few(const Group& g, const int* list, int& begin, int end, int x) {
  int own = end;
  for (int k = 0; k < few && begin < end; k++) {
    const int at = next(g, list, begin, end, x);
    if (g.lane == k) own = at;
    begin = at + 1;
  }
  return own;
}
