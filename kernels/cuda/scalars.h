// scalars.h: functions of single numbers.
#pragma once
#include "compat.h"

// relu lets NaN through.
__device__ __forceinline__ float relu(float x) { return x < 0.f ? 0.f : x; }

// finite is false for NaN and infinities.
__device__ __forceinline__ bool finite(float x) { return x - x == 0.f; }

// larger is NaN if any of the two is.
template <class T>
__device__ __forceinline__ T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

// sigmoid is 1 - q for x >= 0 and z - z q below, with z = e^-|x| and
// q = z/(1 + z): the errors of q count for little in either.
__device__ __forceinline__ float sigmoid(float x) {
  const float z = expf(-fabsf(x)), q = z / (z + 1.f);
  return x < 0.f ? fmaf(-z, q, z) : 1.f - q;
}

// log1p_exp is log(1 + e^-|x|).
__device__ __forceinline__ float log1p_exp(float x) { return log1pf(expf(-fabsf(x))); }
