// emulator.h: runs kernels on the processor. Every thread of a block is a
// fiber; barriers and shuffles are real, and check that all threads that meet
// come from the same line.
#pragma once
#include <cstddef>
#include <cstdint>

struct uint3 {
  unsigned x, y, z;
};

namespace emu {

// Thread is what a kernel may ask about itself.
struct Thread {
  uint3 index, block, threads, blocks;
  int lane;
};
extern Thread* current;

// Fault is what can go wrong with a launch.
enum Fault { none, no_memory, misaligned, others };

// fail ends the launch; the thread never goes on.
[[noreturn]] void fail(Fault fault, const char* what, int line);

void* shared();
void sync_threads(int line);
void sync_warp(int line);
// shuffle gives the bits that another lane of the warp brought along.
uint64_t shuffle(uint64_t bits, int from_lane, int line);

// Call runs a kernel as one thread, from pointers to its parameters.
using Call = void (*)(void** parameters);

// Order is the order in which blocks and warps get their turn.
enum Order { forward, backward, shuffled };

struct Launch {
  unsigned blocks_x, blocks_y, threads;
  size_t shared;
  Order order;
};

// Outcome is what went wrong, if anything did.
struct Outcome {
  Fault fault;
  const char* message;
};

// run is a whole launch, of a size that a card would take.
Outcome run(Call call, void** parameters, const Launch& launch);

}  // namespace emu
