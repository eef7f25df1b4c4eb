#include "fiber.h"

#include <sys/mman.h>

#include "sanitizer.h"

namespace emu {
namespace {

void* resuming;  // thread of whoever resumed the running fiber

void give_stack(Fiber* f) {
  if (f->stack) {
    allow(f->stack, f->stack + stack_bytes);  // it may have been left in the middle
    return;
  }
  void* p = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  f->stack = static_cast<char*>(p);
  f->thread = new_thread();
}

}  // namespace

#ifdef __x86_64__

// emu_switch keeps the registers that a called function must keep, leaves the
// stack's top in *from and goes on with another stack: twelve instructions
// instead of the system calls of swapcontext.
extern "C" void emu_switch(void** from, void* to);
asm(R"(
.text
.type emu_switch,@function
emu_switch:
  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp
  ret
.size emu_switch, .-emu_switch
)");

static void* resumer;  // stack of whoever resumed the running fiber

void start(Fiber* f, void (*body)()) {
  give_stack(f);
  void** top = reinterpret_cast<void**>(f->stack + stack_bytes) - 1;
  *top = nullptr;  // no caller: a function starts 8 below a multiple of 16
  *--top = reinterpret_cast<void*>(body);
  for (int i = 0; i < 6; i++) *--top = nullptr;
  f->top = top;
}

static inline void switch_to(Fiber* f) { emu_switch(&resumer, f->top); }
static inline void switch_back(Fiber* f) { emu_switch(&f->top, resumer); }

#else

static ucontext_t resumer;

void start(Fiber* f, void (*body)()) {
  give_stack(f);
  getcontext(&f->context);
  f->context.uc_stack.ss_sp = f->stack;
  f->context.uc_stack.ss_size = stack_bytes;
  f->context.uc_link = nullptr;
  makecontext(&f->context, body, 0);
}

static inline void switch_to(Fiber* f) { swapcontext(&resumer, &f->context); }
static inline void switch_back(Fiber* f) { swapcontext(&f->context, &resumer); }

#endif

void resume(Fiber* f) {
  if (f->thread) {
    resuming = this_thread();
    become(f->thread);
  }
  switch_to(f);
}

void suspend(Fiber* f) {
  if (f->thread) become(resuming);
  switch_back(f);
}

}  // namespace emu
