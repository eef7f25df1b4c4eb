// occurrences.h: where a number stands in a list. A warp looks at 128 places
// at a time.
#pragma once
#include "groups.h"

// next is the first place from begin on where x stands in the list, or end.
// All lanes of a warp ask for the same.
__device__ __forceinline__ int next(const Group& g, const int* list, int begin, int end, int x) {
  constexpr int loads = 4, lanes = 32;
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
