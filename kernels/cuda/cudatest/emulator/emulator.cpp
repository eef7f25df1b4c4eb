#include "emulator.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "fiber.h"
#include "guarded.h"
#include "sanitizer.h"

namespace emu {

Thread* current;

namespace {

constexpr int warp_size = 32, most_threads = 1024;

// Meeting is where threads wait for each other: a barrier of a block, or a
// shuffle of a warp. Values of two generations are kept, because a thread may
// reach the next meeting before the last one has read those of this one.
struct Meeting {
  unsigned expected = 0, arrived = 0, generation = 0;
  unsigned lanes = 0;  // of a warp, that have not returned: a bit each
  int line = 0;
  uint64_t values[2][warp_size];
};

// Block is a new one for each block, so that for the thread sanitizer no block
// has to do with memory or meetings of another one.
struct Block {
  explicit Block(size_t shared_bytes) : shared(take_guarded(shared_bytes, 16)) {}
  ~Block() { give_back(shared); }
  const Guarded shared;
  unsigned left = 0;  // threads that have returned
  Meeting barrier;
  Meeting warps[most_threads / warp_size];
};

struct Worker : Thread {  // first, so that current is one
  Fiber fiber;
  Block* home;
  Meeting* warp;
  Meeting* waits;  // for the generation after this one
  unsigned generation;
  bool done;
};

std::vector<Worker*> workers;
unsigned first;  // of the workers of the block that runs
char begin, end;  // of a launch: what is done before and after it
Call kernel;
void** kernel_parameters;
Fault fault;  // of the launch
char message[512];
sigjmp_buf escape;

Worker* self() { return static_cast<Worker*>(current); }

// meet waits until everybody has arrived, and says which values count.
int meet(Meeting* m, uint64_t value, int line) {
  if (m->arrived == 0) m->line = line;
  if (m->line != line) fail(others, "threads that should meet wait at different lines", line);
  const int at = m->generation & 1;
  m->values[at][current->lane] = value;
  if (++m->arrived == m->expected) {
    m->arrived = 0;
    m->generation++;
    return at;
  }
  Worker* w = self();
  w->waits = m;
  w->generation = m->generation;
  suspend(&w->fiber);
  w->waits = nullptr;
  return at;
}

// barrier is a meeting after which all see what all have written before. A
// shuffle is none.
void barrier(Meeting* m, int line) {
  release(&m->values[m->generation & 1]);
  acquire(&m->values[meet(m, 0, line)]);
}

void body() {
  acquire(&begin);
  kernel(kernel_parameters);
  release(&end);
  Worker* w = self();
  w->done = true;
  w->home->left++;
  w->warp->expected--;
  w->warp->lanes &= ~(1u << w->lane);
  if (w->home->barrier.arrived) fail(others, "a thread returns while others wait at __syncthreads", w->home->barrier.line);
  if (w->warp->arrived) fail(others, "a thread returns while its warp waits at a shuffle", w->warp->line);
  for (;;) suspend(&w->fiber);
}

uint64_t random_state;
unsigned random_below(unsigned n) {
  random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<unsigned>(random_state >> 33) % n;
}

std::vector<int> turns(int n, Order order) {
  std::vector<int> out(n);
  for (int i = 0; i < n; i++) out[i] = order == backward ? n - 1 - i : i;
  for (int i = n - 1; order == shuffled && i > 0; i--) std::swap(out[i], out[random_below(i + 1)]);
  return out;
}

// most_distinct is how many threads the thread sanitizer tells apart: of a
// launch of more, it does not compare the first with the last.
constexpr unsigned most_distinct = 1024;

// next_workers finds workers for a block. They are others than the last
// block's where a sanitizer compares them.
void next_workers(unsigned threads) {
  first = finds_races() ? first + threads : 0;
  if (first + threads > most_distinct) first = 0;
  while (workers.size() < first + threads) workers.push_back(new Worker());
}

// prepare makes the threads of a block ready to start.
void prepare(Block* b, unsigned id, const Launch& l) {
  next_workers(l.threads);
  b->barrier.expected = l.threads;
  for (unsigned t = 0; t < l.threads; t++) {
    Worker* w = workers[first + t];
    w->index = {t, 0, 0};
    w->block = {id % l.blocks_x, id / l.blocks_x, 0};
    w->threads = {l.threads, 1, 1};
    w->blocks = {l.blocks_x, l.blocks_y, 1};
    w->lane = t % warp_size;
    w->home = b;
    w->warp = &b->warps[t / warp_size];
    w->warp->expected++;
    w->warp->lanes |= 1u << w->lane;
    w->waits = nullptr;
    w->done = false;
    start(&w->fiber, body);
  }
  release(&begin);
}

bool blocked(const Worker* w) { return w->done || (w->waits && w->waits->generation == w->generation); }

// run_warp runs threads lo to hi-1 as far as they can come by themselves. It
// reports whether any of them ran.
bool run_warp(int lo, int hi, Order order) {
  bool any = false;
  for (bool again = true; again && !fault;) {
    again = false;
    for (int i = lo; i < hi && !fault; i++) {
      Worker* w = workers[first + (order == backward ? lo + hi - 1 - i : i)];
      if (blocked(w)) continue;
      current = w;
      resume(&w->fiber);
      again = any = true;
    }
  }
  return any;
}

// run_block runs a prepared block to its end. A warp runs as far as it can
// before the next one gets its turn.
void run_block(const Block& b, const Launch& l) {
  const int threads = l.threads, warps = (threads + warp_size - 1) / warp_size;
  const std::vector<int> order = turns(warps, l.order);
  while (b.left < l.threads && !fault) {
    bool any = false;
    for (int i : order) any |= run_warp(i * warp_size, std::min((i + 1) * warp_size, threads), l.order);
    if (any || fault) continue;
    while (workers[first + current->index.x]->done) current = workers[first + (current->index.x + 1) % threads];
    fault = others;
    snprintf(message, sizeof message, "deadlock: block %u,%u, thread %u waits for ever", current->block.x, current->block.y, current->index.x);
  }
}

thread_local bool emulating;

// Guard turns the access of a page that is not there into an error. Faults of
// other threads go where they went before.
class Guard {
 public:
  Guard() {
    struct sigaction act = {};
    act.sa_handler = no_such_memory;
    act.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &act, &before);
    emulating = true;
  }
  ~Guard() {
    emulating = false;
    sigaction(SIGSEGV, &before, nullptr);
  }

 private:
  static struct sigaction before;

  static void no_such_memory(int) {
    if (emulating) siglongjmp(escape, 1);
    sigaction(SIGSEGV, &before, nullptr);  // the access is tried again
  }
};
struct sigaction Guard::before;

void run_all(const Launch& l) {
  for (int id : turns(l.blocks_x * l.blocks_y, l.order)) {
    const auto block = std::make_unique<Block>(l.shared);
    prepare(block.get(), id, l);
    run_block(*block, l);
    if (fault) return;
  }
  acquire(&end);
}

}  // namespace

void fail(Fault what, const char* text, int line) {
  const Thread& t = *current;
  if (!fault) {
    fault = what;
    snprintf(message, sizeof message, "%s (line %d, block %u,%u, thread %u)", text, line, t.block.x, t.block.y, t.index.x);
  }
  for (;;) suspend(&self()->fiber);
}

void* shared() { return self()->home->shared.at; }

void sync_threads(int line) {
  Block* b = self()->home;
  if (b->left) fail(others, "__syncthreads after a thread of the block has returned", line);
  barrier(&b->barrier, line);
}

void sync_warp(int line) { barrier(self()->warp, line); }

uint64_t shuffle(uint64_t bits, int from_lane, int line) {
  Meeting* m = self()->warp;
  const unsigned lanes = m->lanes;
  const int at = meet(m, bits, line);
  if (from_lane < 0 || from_lane >= warp_size || !(lanes >> from_lane & 1)) fail(others, "a shuffle reads a lane that is not there", line);
  return m->values[at][from_lane];
}

Outcome run(Call call, void** parameters, const Launch& l) {
  fault = none;
  kernel = call;
  kernel_parameters = parameters;
  random_state = 1;
  Guard guard;
  if (sigsetjmp(escape, 1) == 0) {
    run_all(l);
  } else {
    fault = no_memory;
    snprintf(message, sizeof message, "touches memory that is not there (block %u,%u, thread %u)", current->block.x, current->block.y, current->index.x);
  }
  return {fault, message};
}

}  // namespace emu
