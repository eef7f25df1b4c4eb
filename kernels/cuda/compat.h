// compat.h: what every kernel file includes. nvcc sees CUDA, an ordinary
// compiler the emulator of the tests.
//
// Rules: a kernel is KERNEL(name)(parameters), its parameters are pointers,
// int, long long or float; shared memory is DYNAMIC_SHARED and nothing else;
// shuffles name all lanes; nothing that is not written as fmaf is fused; no
// atomic adds a float. Then the emulator sees every mistake that it can, and
// results have the same bits whatever the order of the threads.
#pragma once

#ifdef __CUDACC__

// At most 512 threads a block, of 128 registers each: so two blocks of 256 have
// room on a multiprocessor.
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(512) name
#define DYNAMIC_SHARED(T, name)                                 \
  extern __shared__ __align__(16) unsigned char shared_bytes[]; \
  T* name = reinterpret_cast<T*>(shared_bytes)

#else

#include "cuda_words.h"
#define KERNEL(name) static void kernel_##name
#define DYNAMIC_SHARED(T, name) T* name = static_cast<T*>(emu::shared())

#endif

// Threads of a launch over n elements: element() may be n or more.
__device__ __forceinline__ long long element() { return (long long)blockIdx.x * blockDim.x + threadIdx.x; }

// within is the row number if it is below end. Another one is an error of the
// program: it sets bad, and 0 is used instead. Loads do not wait for the error
// where the caller keeps it in bad.
__device__ __forceinline__ int within(int row, int end, bool& bad) {
  const bool in = static_cast<unsigned>(row) < static_cast<unsigned>(end);
  bad |= !in;
  return in ? row : 0;
}

__device__ __forceinline__ int within(int row, int end, int* fault) {
  bool bad = false;
  const int in = within(row, end, bad);
  if (bad) atomicOr(fault, 1);
  return in;
}

constexpr unsigned all_lanes = 0xffffffffu;
