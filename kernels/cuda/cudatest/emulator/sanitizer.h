// sanitizer.h: what the thread and address sanitizers of g++ are told about
// fibers and memory. Where their libraries are not loaded it does nothing.
#pragma once
#include <cstddef>

namespace emu {

// For the thread sanitizer a fiber is a thread.
bool finds_races();
void* new_thread();
void* this_thread();
// become comes just before the stack of another thread is taken.
void become(void* thread);

// What a thread did before it releases has happened before what another does
// that acquires afterwards, at the same address.
void release(void* at);
void acquire(void* at);

// For the address sanitizer forbidden memory is not there. It is exact where
// from is a multiple of 8.
constexpr size_t exact = 8;
bool finds_overruns();
void forbid(const void* from, const void* to);
void allow(const void* from, const void* to);

}  // namespace emu
