// mistakes.cu: kernels that sanitizers have nothing to say about, unless they are
// to do something wrong. There are two blocks of 64 threads, 61 numbers of
// shared memory, n numbers in the buffer, and a flag that is 0.
#include "compat.h"

constexpr int shared_numbers = 61;

KERNEL(missing_barrier)(int wrong, int n, float* x, int* flag) {
  DYNAMIC_SHARED(float, shared);
  const int t = threadIdx.x;
  if (t < shared_numbers) shared[t] = t;
  if (!wrong) __syncthreads();
  if (t < shared_numbers) x[element()] = shared[(t + 1) % shared_numbers];
}

// Shuffles do not order what threads do in memory.
KERNEL(missing_warp_barrier)(int wrong, int n, float* x, int* flag) {
  x[element()] = 1.f;
  if (!wrong) __syncwarp();
  const float next = __shfl_xor_sync(all_lanes, x[element() ^ 1], 1);
  if (next != 1.f) atomicOr(flag, 1);
}

KERNEL(past_buffer)(int wrong, int n, float* x, int* flag) { x[element()] = x[wrong ? n : n - 1]; }

KERNEL(before_buffer)(int wrong, int n, float* x, int* flag) { x[element()] = x[wrong ? -1 : n - 1]; }

KERNEL(past_shared)(int wrong, int n, float* x, int* flag) {
  DYNAMIC_SHARED(float, shared);
  const int t = threadIdx.x;
  if (t >= shared_numbers + wrong) return;
  shared[t] = t;
  x[element()] = shared[t];
}

KERNEL(same_word)(int wrong, int n, float* x, int* flag) {
  if (threadIdx.x == 0) x[wrong ? 0 : blockIdx.x] = 1.f;
}

// The block that comes last adds what both have left, which it only sees after
// it has acquired the flag that they released.
KERNEL(flag_without_acquire)(int wrong, int n, float* x, int* flag) {
  if (threadIdx.x > 0) return;
  x[blockIdx.x] = 1.f;
  const int before = wrong ? atomicAdd(flag, 1) : __atomic_fetch_add(flag, 1, __ATOMIC_ACQ_REL);
  if (before == 1) x[2] = x[0] + x[1];
}

// Numbers are four neighbours, read at once.
struct alignas(16) Numbers {
  float v[4];
};

KERNEL(between_fours)(int wrong, int n, float* x, int* flag) {
  float* from = x + 8;
  from -= reinterpret_cast<long long>(from) % 16 / 4;  // memory of the emulated card begins anywhere
  if (element() == 0) *flag = static_cast<int>(reinterpret_cast<const Numbers*>(from + wrong)->v[0]);
}
