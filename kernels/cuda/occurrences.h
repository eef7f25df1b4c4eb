// occurrences.h: positions of a number in a list. A warp searches 256 positions
// at a time.
#pragma once
#include "groups.h"

// next is the first position of x in the list from begin on, or end. All lanes of
// a warp search for the same.
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

// few is the number of positions that are found together.
constexpr int few = 8;

// next_few is the next few positions of x in the list from begin on, one in each
// of the first lanes, in order; all other lanes have end. begin becomes where the
// next search starts.
__device__ __forceinline__ int next_few(const Group& g, const int* list, int& begin, int end, int x) {
  int own = end;
  for (int k = 0; k < few && begin < end; k++) {
    const int at = next(g, list, begin, end, x);
    if (g.lane == k) own = at;
    begin = at + 1;
  }
  return own;
}
