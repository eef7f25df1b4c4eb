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
}  // namespace emu

// Every shuffle here names the whole warp.
#define __syncthreads() emu::sync_threads(__LINE__)
#define __syncwarp() emu::sync_warp(__LINE__)
#define __shfl_xor_sync(mask, v, x) \
  (static_cast<void>(sizeof(char[(mask) == emu::all_lanes ? 1 : -1])), \
   emu::from_bits<decltype(+(v))>(emu::shuffle(emu::to_bits(+(v)), emu::current->lane ^ (x), __LINE__)))

inline int atomicAdd(int* p, int v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
inline int atomicOr(int* p, int v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
inline int min(int a, int b) { return a < b ? a : b; }
inline unsigned __float_as_uint(float x) { return emu::from_bits<unsigned>(emu::to_bits(x)); }
inline float __uint_as_float(unsigned x) { return emu::from_bits<float>(x); }

namespace emu {

// Kernel is a kernel that can be found by its name.
struct Kernel {
  const char* name;
  Call call;
  std::vector<size_t> sizes;  // of its parameters
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
template <class... P>
std::vector<size_t> sizes(void (*)(P...)) {
  return {sizeof(P)...};
}

struct Register {
  Register(const char* name, Call call, std::vector<size_t> sizes) { kernels().push_back({name, call, sizes}); }
};

}  // namespace emu

#define REGISTER(name) \
  static emu::Register register_##name(#name, &decltype(emu::signature(&kernel_##name))::entry<&kernel_##name>, emu::sizes(&kernel_##name));
