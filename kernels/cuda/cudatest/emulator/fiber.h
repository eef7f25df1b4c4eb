// fiber.h: functions with stacks of their own, which give the processor up by
// themselves. One of them runs at a time.
#pragma once
#include <cstddef>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emu {

constexpr size_t stack_bytes = 512 << 10;  // only what is used takes memory; the report of a sanitizer uses much

struct Fiber {
  char* stack = nullptr;
  void* thread = nullptr;  // that the thread sanitizer takes it for, if there is one
#ifdef __x86_64__
  void* top = nullptr;  // of the stack, while it waits
#else
  ucontext_t context;
#endif
};

// start prepares a fiber to run body, which must not return.
void start(Fiber* f, void (*body)());
// resume runs it until it suspends itself.
void resume(Fiber* f);
// suspend goes back to where the fiber was resumed.
void suspend(Fiber* f);

}  // namespace emu
