// loads.h: loops whose loads do not wait for each other. A load takes a
// thread several hundred cycles, and a compiler puts none before a store that
// might change what it reads.
#pragma once
#include "compat.h"

// under_way calls use(i, load(i)) for i = begin, begin + step ... below end,
// in this order; eight loads are made before the first is used. What is beyond
// the end is read once more from just below it: a load in a branch of its own
// would be waited for there.
template <class Load, class Use>
__device__ __forceinline__ void under_way(int begin, int end, int step, Load load, Use use) {
  constexpr int most = 8;
  for (int i = begin; i < end; i += most * step) {
    decltype(load(i)) v[most];
    for (int k = 0; k < most; k++) v[k] = load(min(i + k * step, end - 1));
    for (int k = 0; k < most; k++)
      if (i + k * step < end) use(i + k * step, v[k]);
  }
}
