// loads.h: loops whose loads do not wait for each other. A load takes several
// hundred cycles, and a compiler moves none before a store that might change what
// it reads.
#pragma once
#include "compat.h"

// pipelined calls use(i, load(i)) for i = begin, begin + step ... below end, in
// this order; eight loads are issued before the first is used. Beyond the end the
// last element is loaded again: a load in a branch of its own would be waited for
// there.
template <class Load, class Use>
__device__ __forceinline__ void pipelined(int begin, int end, int step, Load load, Use use) {
  constexpr int most = 8;
  for (int i = begin; i < end; i += most * step) {
    decltype(load(i)) v[most];
    for (int k = 0; k < most; k++) v[k] = load(min(i + k * step, end - 1));
    for (int k = 0; k < most; k++)
      if (i + k * step < end) use(i + k * step, v[k]);
  }
}
