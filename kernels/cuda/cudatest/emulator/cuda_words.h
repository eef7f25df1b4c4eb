// cuda_words.h: the words of CUDA C++ that the kernels here use, for an
// ordinary compiler. Anything else does not compile, on purpose.
#pragma once
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator.h"

#define __device__
#define __forceinline__ inline
#define __restrict__ __restrict

#define threadIdx (emu::current->index)
#define blockIdx (emu::current->block)
#define blockDim (emu::current->threads)
#define gridDim (emu::current->blocks)

namespace emu {
template <class T>
uint64_t to_bits(T v) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a shuffle of something large");
  uint64_t bits = 0;
  memcpy(&bits, &v, sizeof v);
  return bits;
}
template <class T>
T from_bits(uint64_t bits) {
  T v;
  memcpy(&v, &bits, sizeof v);
  return v;
}
constexpr unsigned all_lanes = 0xffffffffu;

// ballot has the bit of every lane that says yes.
inline unsigned ballot(bool yes, int line) {
  unsigned votes = yes ? 1u << current->lane : 0u;
  for (int step = 1; step < 32; step *= 2) votes |= from_bits<unsigned>(shuffle(to_bits(votes), current->lane ^ step, line));
  return votes;
}
}  // namespace emu

// Every shuffle here names the whole warp.
#define __syncthreads() emu::sync_threads(__LINE__)
#define __syncwarp() emu::sync_warp(__LINE__)
#define __shfl_xor_sync(mask, v, x) \
  (static_cast<void>(sizeof(char[(mask) == emu::all_lanes ? 1 : -1])), \
   emu::from_bits<decltype(+(v))>(emu::shuffle(emu::to_bits(+(v)), emu::current->lane ^ (x), __LINE__)))
#define __shfl_sync(mask, v, lane_) \
  (static_cast<void>(sizeof(char[(mask) == emu::all_lanes ? 1 : -1])), \
   emu::from_bits<decltype(+(v))>(emu::shuffle(emu::to_bits(+(v)), (lane_), __LINE__)))
#define __ballot_sync(mask, yes) \
  (static_cast<void>(sizeof(char[(mask) == emu::all_lanes ? 1 : -1])), emu::ballot((yes), __LINE__))
inline int __ffs(int x) { return __builtin_ffs(x); }

inline int atomicAdd(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
inline int atomicOr(int* p, int v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
inline int atomicMax(int* p, int v) {
  int old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return old;
}
inline int min(int a, int b) { return a < b ? a : b; }
inline unsigned __float_as_uint(float x) { return emu::from_bits<unsigned>(emu::to_bits(x)); }
inline float __uint_as_float(unsigned x) { return emu::from_bits<float>(x); }

namespace emu {
// inexact is y or a number up to two places beside it, as its bits have it: a
// card's functions are only that exact, the processor's nearly exact. 0 and 1
// are exact, and nothing gets past 1.
inline float inexact(float y) {
  constexpr int places = 2, choices = 2 * places + 1, one = 0x3f800000;
  if (!(std::fabs(y) > 0.f && std::fabs(y) < INFINITY)) return y;
  const int size = from_bits<int>(to_bits(std::fabs(y)));
  const unsigned drawn = static_cast<unsigned>(size) * 2654435761u >> 16;
  const int moved = size + static_cast<int>(drawn % choices) - places;
  const bool past = (size <= one && moved > one) || (size >= one && moved < one);
  return std::copysign(from_bits<float>(past || size == one ? one : moved), y);
}
}  // namespace emu

// As inexact as CUDA's documents say.
#define expf(x) emu::inexact(expf(x))
#define log1pf(x) emu::inexact(log1pf(x))
#define tanhf(x) emu::inexact(tanhf(x))
#define sinf(x) emu::inexact(sinf(x))
#define cosf(x) emu::inexact(cosf(x))

namespace emu {

// Kernel is a kernel that can be found by its name.
struct Kernel {
  const char* name;
  Call call;
  std::vector<size_t> sizes;       // of its parameters
  std::vector<size_t> alignments;  // of what they point to; 1 for numbers
};
std::vector<Kernel>& kernels();

template <class... P>
struct Signature {
  template <void (*F)(P...), size_t... I>
  static void call(void** p, std::index_sequence<I...>) {
    F(*static_cast<P*>(p[I])...);
  }
  template <void (*F)(P...)>
  static void entry(void** p) {
    call<F>(p, std::index_sequence_for<P...>{});
  }
};

template <class... P>
Signature<P...> signature(void (*)(P...));

template <class T>
constexpr size_t alignment = 1;
template <class T>
constexpr size_t alignment<T*> = alignof(T);

template <class... P>
Kernel described(const char* name, Call call, void (*)(P...)) {
  return {name, call, {sizeof(P)...}, {alignment<P>...}};
}

struct Register {
  explicit Register(Kernel k) { kernels().push_back(std::move(k)); }
};

}  // namespace emu

#define REGISTER(name) \
  static emu::Register register_##name( \
      emu::described(#name, &decltype(emu::signature(&kernel_##name))::entry<&kernel_##name>, &kernel_##name));
