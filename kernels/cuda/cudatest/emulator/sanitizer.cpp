#include "sanitizer.h"

// From the sanitizers' libraries; null where they are not loaded.
extern "C" {
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void __tsan_release(void* at);
[[gnu::weak]] void __tsan_acquire(void* at);
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* at, size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* at, size_t bytes);
}

namespace emu {
namespace {

size_t between(const void* from, const void* to) { return static_cast<const char*>(to) - static_cast<const char*>(from); }

}  // namespace

bool finds_races() { return __tsan_create_fiber; }
void* new_thread() { return finds_races() ? __tsan_create_fiber(0) : nullptr; }
void* this_thread() { return finds_races() ? __tsan_get_current_fiber() : nullptr; }
void become(void* thread) {
  constexpr unsigned in_no_order = 1;  // that one runs after the other is chance
  if (finds_races()) __tsan_switch_to_fiber(thread, in_no_order);
}

void release(void* at) {
  if (finds_races()) __tsan_release(at);
}
void acquire(void* at) {
  if (finds_races()) __tsan_acquire(at);
}

bool finds_overruns() { return __asan_poison_memory_region; }
void forbid(const void* from, const void* to) {
  if (finds_overruns()) __asan_poison_memory_region(from, between(from, to));
}
void allow(const void* from, const void* to) {
  if (finds_overruns()) __asan_unpoison_memory_region(from, between(from, to));
}

}  // namespace emu
