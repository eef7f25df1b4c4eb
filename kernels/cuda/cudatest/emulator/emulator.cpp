#include "emulator.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <vector>

#include "fiber.h"

namespace emu {

Thread* current;

namespace {

constexpr int warp_size = 32, most_threads = 1024;
constexpr size_t page = 4096, most_shared = 227 << 10;

// Meeting is where threads wait for each other: a barrier of a block, or a
// shuffle of a warp. Values of two generations are kept, because a thread may
// reach the next meeting before the last one has read those of this one.
struct Meeting {
  unsigned expected = 0, arrived = 0, generation = 0;
  int line = 0;
  uint64_t values[2][warp_size];
};

struct Block {
  char* shared = nullptr;
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
Call kernel;
void** kernel_parameters;
char message[512];
sigjmp_buf escape;

Worker* self() { return static_cast<Worker*>(current); }

// fail ends the launch; the thread never goes on.
[[noreturn]] void fail(const char* what, int line) {
  const Thread& t = *current;
  if (!message[0])
    snprintf(message, sizeof message, "%s (line %d, block %u,%u, thread %u)", what, line, t.block.x, t.block.y, t.index.x);
  for (;;) suspend(&self()->fiber);
}

// meet waits until everybody has arrived, and says which values count.
int meet(Meeting* m, uint64_t value, int line) {
  if (m->arrived == 0) m->line = line;
  if (m->line != line) fail("threads that should meet wait at different lines", line);
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

void body() {
  kernel(kernel_parameters);
  Worker* w = self();
  w->done = true;
  w->home->left++;
  w->warp->expected--;
  if (w->home->barrier.arrived) fail("a thread returns while others wait at __syncthreads", w->home->barrier.line);
  if (w->warp->arrived) fail("a thread returns while its warp waits at a shuffle", w->warp->line);
  for (;;) suspend(&w->fiber);
}

// Shared memory ends at a page that is not there, and is full of NaN.
class SharedMemory {
 public:
  explicit SharedMemory(size_t bytes) : bytes_((bytes + 15) / 16 * 16), body_((bytes + page - 1) / page * page) {
    map_ = static_cast<char*>(mmap(nullptr, body_ + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(map_ + body_, page, PROT_NONE);
  }
  ~SharedMemory() { munmap(map_, body_ + page); }
  char* fresh() const {
    char* p = map_ + body_ - bytes_;
    memset(p, 0xff, bytes_);
    return p;
  }

 private:
  size_t bytes_, body_;
  char* map_;
};

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

// prepare makes the threads of a block ready to start.
void prepare(Block* b, unsigned id, char* shared, const Launch& l) {
  *b = Block();
  b->shared = shared;
  b->barrier.expected = l.threads;
  for (unsigned t = 0; t < l.threads; t++) {
    Worker* w = workers[t];
    w->index = {t, 0, 0};
    w->block = {id % l.blocks_x, id / l.blocks_x, 0};
    w->threads = {l.threads, 1, 1};
    w->blocks = {l.blocks_x, l.blocks_y, 1};
    w->lane = t % warp_size;
    w->home = b;
    w->warp = &b->warps[t / warp_size];
    w->warp->expected++;
    w->waits = nullptr;
    w->done = false;
    start(&w->fiber, body);
  }
}

bool blocked(const Worker* w) { return w->done || (w->waits && w->waits->generation == w->generation); }

// run_warp runs threads lo to hi-1 as far as they can come by themselves. It
// reports whether any of them ran.
bool run_warp(int lo, int hi, Order order) {
  bool any = false;
  for (bool again = true; again && !message[0];) {
    again = false;
    for (int i = lo; i < hi && !message[0]; i++) {
      Worker* w = workers[order == backward ? lo + hi - 1 - i : i];
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
  while (b.left < l.threads && !message[0]) {
    bool any = false;
    for (int i : order) any |= run_warp(i * warp_size, std::min((i + 1) * warp_size, threads), l.order);
    if (any || message[0]) continue;
    while (workers[current->index.x]->done) current = workers[(current->index.x + 1) % threads];
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
  while (workers.size() < l.threads) workers.push_back(new Worker());
  static Block block;  // large, and of no use on a stack
  const SharedMemory memory(l.shared);
  for (int id : turns(l.blocks_x * l.blocks_y, l.order)) {
    prepare(&block, id, memory.fresh(), l);
    run_block(block, l);
    if (message[0]) return;
  }
}

}  // namespace

void* shared() { return self()->home->shared; }

void sync_threads(int line) {
  Block* b = self()->home;
  if (b->left) fail("__syncthreads after a thread of the block has returned", line);
  meet(&b->barrier, 0, line);
}

void sync_warp(int line) { meet(self()->warp, 0, line); }

uint64_t shuffle(uint64_t bits, int from_lane, int line) {
  Meeting* m = self()->warp;
  const int lanes = m->expected;
  const int at = meet(m, bits, line);
  if (from_lane < 0 || from_lane >= lanes) fail("a shuffle reads a lane that is not there", line);
  return m->values[at][from_lane];
}

const char* run(Call call, void** parameters, const Launch& l) {
  message[0] = 0;
  if (l.threads < 1 || l.threads > most_threads || l.blocks_x < 1 || l.blocks_y < 1 || l.blocks_y > 65535)
    return "a launch of no threads or of too many";
  if (l.shared > most_shared) return "too much shared memory";
  kernel = call;
  kernel_parameters = parameters;
  random_state = 1;
  Guard guard;
  if (sigsetjmp(escape, 1) == 0)
    run_all(l);
  else
    snprintf(message, sizeof message, "touches memory that is not there (block %u,%u, thread %u)", current->block.x, current->block.y, current->index.x);
  return message;
}

}  // namespace emu
