// fakecuda.cpp: libcuda.so.1 for machines without a card. It runs the kernels
// that it was compiled with, and refuses PTX that does not fit them. A stream
// does its work only when somebody waits for it, so that a forgotten wait
// shows: all memory is NaN at first. Device memory ends at a page that is not
// there.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "cuda_words.h"
#include "guarded.h"

namespace {

enum Result {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  no_device = 100,
  invalid_device = 101,
  invalid_ptx = 218,
  invalid_context = 201,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  misaligned_address = 716,
  launch_failed = 719,
  capture_unsupported = 900,
};

using Work = std::function<Result()>;

struct Graph {
  std::vector<Work> work;
};
struct Stream {
  emu::Order order;
  std::vector<Work> queue;
  Graph* capture = nullptr;
};
struct Event {
  double time = -1;
  Stream* stream = nullptr;
};
struct Function {
  const emu::Kernel* kernel;
  int most_shared = 48 << 10;
};
using Memory = std::map<uintptr_t, emu::Guarded>;  // by its address

std::recursive_mutex lock;  // one caller at a time
Memory device_memory, pinned_memory;
constexpr size_t most_memory = size_t(512) << 20;
emu::Order next_order;
thread_local std::string reason;  // of this thread's last failure
thread_local void* context;
thread_local int captures;  // streams that this thread captures

constexpr int multiprocessors = 4;
constexpr int most_shared = 227 << 10;
constexpr int error_log = 5, error_log_size = 6;  // options of the compiler

Result refuse(Result r, const std::string& why) {
  reason = why;
  return r;
}

bool inside(const Memory& memory, uintptr_t at, size_t bytes) {
  auto next = memory.upper_bound(at);
  if (next == memory.begin()) return false;
  const auto& piece = *--next;
  return at + bytes <= piece.first + piece.second.bytes;
}

Result on_device(uintptr_t at, size_t bytes) {
  return inside(device_memory, at, bytes) ? success : refuse(illegal_address, "a copy outside device memory");
}

Result pinned(const void* p, size_t bytes) {
  return inside(pinned_memory, uintptr_t(p), bytes) ? success : refuse(invalid_value, "a copy from or to host memory that is not pinned");
}

double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// safe refuses what a thread that captures a stream must not do: the real
// driver gives up the capture.
Result safe(const char* what) {
  return captures ? refuse(capture_unsupported, std::string(what) + " while this thread captures a stream") : success;
}

// put adds work to a stream; copies what it needs, as the real one does.
Result put(void* stream, Work work) {
  if (!context) return refuse(invalid_context, "no context on this thread");
  Stream* s = static_cast<Stream*>(stream);
  if (!s) return refuse(invalid_value, "the default stream is not used here");
  (s->capture ? s->capture->work : s->queue).push_back(std::move(work));
  return success;
}

// finish does the work of a stream.
Result finish(Stream* s) {
  std::vector<Work> queue;
  queue.swap(s->queue);
  for (Work& work : queue)
    if (Result r = work()) return r;
  return success;
}

size_t taken(const Memory& memory) {
  size_t bytes = 0;
  for (const auto& piece : memory) bytes += piece.second.bytes;
  return bytes;
}

Result take(Memory& memory, size_t bytes, uintptr_t* out) {
  if (!context) return refuse(invalid_context, "no context on this thread");
  if (Result r = safe("an allocation")) return r;
  if (bytes == 0) return refuse(invalid_value, "an allocation of nothing");
  if (taken(memory) + bytes > most_memory) return refuse(out_of_memory, "the emulated card is full");
  constexpr size_t word = 4;  // all that kernels may expect
  const emu::Guarded piece = emu::take_guarded(bytes, word);
  *out = uintptr_t(piece.at);
  memory[*out] = piece;
  return success;
}

Result give_back(Memory& memory, uintptr_t at) {
  if (Result r = safe("giving memory back")) return r;
  auto found = memory.find(at);
  if (found == memory.end()) return refuse(invalid_value, "this memory was not taken");
  emu::give_back(found->second);
  memory.erase(found);
  return success;
}

// parameter_bytes is the size of a kernel's parameter in PTX, 0 if there is
// no such parameter.
size_t parameter_bytes(const std::string& ptx, const std::string& kernel, size_t i) {
  const size_t entry = ptx.find(".entry " + kernel + "("), end = ptx.find(')', entry);
  if (entry == std::string::npos) return 0;
  const std::string name = kernel + "_param_" + std::to_string(i);
  size_t at = ptx.find(name, entry);
  while (at != std::string::npos && at < end && isdigit(ptx[at + name.size()])) at = ptx.find(name, at + 1);
  if (at == std::string::npos || at > end) return 0;
  const std::string type = ptx.substr(ptx.rfind(".param", at), 12);
  if (type.find("64") != std::string::npos) return 8;
  return type.find("32") != std::string::npos ? 4 : 0;
}

// check_ptx compares the kernels of a module with those compiled in.
Result check_ptx(const std::string& ptx) {
  for (const emu::Kernel& k : emu::kernels()) {
    if (ptx.find(".entry " + std::string(k.name) + "(") == std::string::npos) continue;  // of another module
    for (size_t i = 0; i <= k.sizes.size(); i++) {
      const size_t want = i < k.sizes.size() ? k.sizes[i] : 0;
      if (parameter_bytes(ptx, k.name, i) != want)
        return refuse(invalid_ptx, "the PTX is not that of the source: parameter " + std::to_string(i) + " of " + k.name);
    }
  }
  return success;
}

// note writes a launch to the file that FAKECUDA_LAUNCHES names, if any.
void note(const char* kernel, const emu::Launch& l) {
  static const char* const path = getenv("FAKECUDA_LAUNCHES");
  static FILE* const file = path ? fopen(path, "a") : nullptr;
  if (!file) return;
  fprintf(file, "%s %u %u %u %zu\n", kernel, l.blocks_x, l.blocks_y, l.threads, l.shared);
  fflush(file);
}

// misaligned is the number of the first parameter that points to where no
// number of its type may be, or -1: the real card gives up there.
int misaligned(const emu::Kernel& k, void** parameters) {
  for (size_t i = 0; i < k.sizes.size(); i++) {
    uintptr_t at = 0;
    if (k.alignments[i] > 1) memcpy(&at, parameters[i], sizeof at);
    if (at % k.alignments[i] != 0) return static_cast<int>(i);
  }
  return -1;
}

struct Size {
  unsigned x, y, z;
};

Result launch(void* function, Size blocks, Size threads, unsigned shared, void* stream, void** parameters) {
  Function* f = static_cast<Function*>(function);
  if (blocks.z != 1 || threads.y != 1 || threads.z != 1) return refuse(invalid_value, "only x and y of blocks and x of threads are emulated");
  if (static_cast<int>(shared) > f->most_shared) return refuse(invalid_value, "more shared memory than the function was given");
  std::vector<std::vector<char>> copies;
  for (size_t i = 0; i < f->kernel->sizes.size(); i++) {
    const char* p = static_cast<const char*>(parameters[i]);
    if (!p) return refuse(invalid_value, std::string(f->kernel->name) + " lacks a parameter");
    copies.emplace_back(p, p + f->kernel->sizes[i]);
  }
  if (!stream) return refuse(invalid_value, "the default stream is not used here");
  const emu::Launch size = {blocks.x, blocks.y, threads.x, shared, static_cast<Stream*>(stream)->order};
  return put(stream, [=]() mutable -> Result {
    std::vector<void*> pointers;
    for (auto& c : copies) pointers.push_back(c.data());
    note(f->kernel->name, size);
    if (const int i = misaligned(*f->kernel, pointers.data()); i >= 0)
      return refuse(misaligned_address, std::string(f->kernel->name) + ": parameter " + std::to_string(i) + " is misaligned");
    const std::string wrong = emu::run(f->kernel->call, pointers.data(), size);
    return wrong.empty() ? success : refuse(launch_failed, std::string(f->kernel->name) + ": " + wrong);
  });
}

}  // namespace

namespace emu {
std::vector<Kernel>& kernels() {
  static std::vector<Kernel> all;
  return all;
}
}  // namespace emu

using Locked = std::lock_guard<std::recursive_mutex>;
#define API extern "C" __attribute__((visibility("default"))) int

// fakecuda_order sets the order of threads for streams made from now on.
API fakecuda_order(int order) {
  Locked locked(lock);
  next_order = static_cast<emu::Order>(order);
  return success;
}

API cuInit(unsigned) { return success; }
API cuDriverGetVersion(int* version) {
  *version = 11080;
  return success;
}
API cuGetErrorName(int, const char** name) {
  *name = "of the fake driver";
  return success;
}
API cuGetErrorString(int, const char** text) {
  Locked locked(lock);
  *text = reason.c_str();
  return success;
}

API cuDeviceGetCount(int* n) {
  *n = 1;
  return success;
}
API cuDeviceGet(int* device, int n) {
  *device = n;
  return n == 0 ? success : invalid_device;
}
API cuDeviceGetName(char* name, int size, int) {
  snprintf(name, size, "emulated");
  return success;
}
API cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> known = {{16, multiprocessors}, {75, 7}, {76, 0}, {97, most_shared}};
  const auto found = known.find(attribute);
  if (found == known.end()) return refuse(invalid_value, "an attribute that is not emulated");
  *value = found->second;
  return success;
}
API cuDevicePrimaryCtxRetain(void** c, int) {
  static char primary;
  *c = &primary;
  return success;
}
API cuCtxSetCurrent(void* c) {
  context = c;
  return success;
}

API cuModuleLoadDataEx(void** module, const void* image, unsigned n, int* options, void** values) {
  Locked locked(lock);
  if (!context) return refuse(invalid_context, "no context on this thread");
  static char any;
  *module = &any;
  const Result r = check_ptx(static_cast<const char*>(image));
  if (r && n == 2 && options[0] == error_log && options[1] == error_log_size)
    snprintf(static_cast<char*>(values[0]), size_t(values[1]), "fake compiler: %s", reason.c_str());
  return r;
}
API cuModuleGetFunction(void** function, void*, const char* name) {
  Locked locked(lock);
  for (const emu::Kernel& k : emu::kernels())
    if (!strcmp(k.name, name)) {
      *function = new Function{&k};
      return success;
    }
  return refuse(not_found, std::string("there is no kernel ") + name);
}
API cuFuncSetAttribute(void* function, int attribute, int value) {
  if (attribute != 8 || value > most_shared) return refuse(invalid_value, "an attribute that is not emulated");
  static_cast<Function*>(function)->most_shared = value;
  return success;
}
API cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void* s, void** p, void**) {
  Locked locked(lock);
  return launch(f, {gx, gy, gz}, {bx, by, bz}, shared, s, p);
}

API cuMemAlloc_v2(uintptr_t* p, size_t bytes) {
  Locked locked(lock);
  return take(device_memory, bytes, p);
}
API cuMemFree_v2(uintptr_t p) {
  Locked locked(lock);
  return give_back(device_memory, p);
}
API cuMemGetInfo_v2(size_t* free, size_t* total) {
  Locked locked(lock);
  if (!context) return refuse(invalid_context, "no context on this thread");
  *total = most_memory;
  *free = most_memory - taken(device_memory);
  return success;
}
API cuMemHostAlloc(void** p, size_t bytes, unsigned) {
  Locked locked(lock);
  return take(pinned_memory, bytes, reinterpret_cast<uintptr_t*>(p));
}
API cuMemFreeHost(void* p) {
  Locked locked(lock);
  return give_back(pinned_memory, uintptr_t(p));
}
API cuMemcpyHtoDAsync_v2(uintptr_t to, const void* from, size_t bytes, void* s) {
  Locked locked(lock);
  if (Result r = pinned(from, bytes)) return r;
  return put(s, [=] {
    if (Result r = on_device(to, bytes)) return r;
    memcpy(reinterpret_cast<void*>(to), from, bytes);
    return success;
  });
}
API cuMemcpyDtoHAsync_v2(void* to, uintptr_t from, size_t bytes, void* s) {
  Locked locked(lock);
  if (Result r = pinned(to, bytes)) return r;
  return put(s, [=] {
    if (Result r = on_device(from, bytes)) return r;
    memcpy(to, reinterpret_cast<void*>(from), bytes);
    return success;
  });
}
API cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, void* s) {
  Locked locked(lock);
  return put(s, [=] {
    if (Result r = on_device(to, bytes)) return r;
    if (Result r = on_device(from, bytes)) return r;
    memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes);
    return success;
  });
}
API cuMemsetD8Async(uintptr_t to, unsigned char value, size_t bytes, void* s) {
  Locked locked(lock);
  return put(s, [=] {
    if (Result r = on_device(to, bytes)) return r;
    memset(reinterpret_cast<void*>(to), value, bytes);
    return success;
  });
}

API cuStreamCreate(void** s, unsigned) {
  Locked locked(lock);
  *s = new Stream{next_order, {}, nullptr};
  return success;
}
API cuStreamDestroy_v2(void* s) {
  Locked locked(lock);
  const Result r = finish(static_cast<Stream*>(s));
  delete static_cast<Stream*>(s);
  return r;
}
API cuStreamSynchronize(void* s) {
  Locked locked(lock);
  if (static_cast<Stream*>(s)->capture) return refuse(invalid_value, "waiting for a stream that is captured");
  return finish(static_cast<Stream*>(s));
}

API cuEventCreate(void** e, unsigned) {
  *e = new Event;
  return success;
}
API cuEventDestroy_v2(void* e) {
  delete static_cast<Event*>(e);
  return success;
}
API cuEventRecord(void* event, void* s) {
  Locked locked(lock);
  Event* e = static_cast<Event*>(event);
  e->time = -1;
  e->stream = static_cast<Stream*>(s);
  return put(s, [=] {
    e->time = now();
    return success;
  });
}
API cuEventSynchronize(void* event) {
  Locked locked(lock);
  if (Result r = safe("waiting for an event")) return r;
  Event* e = static_cast<Event*>(event);
  return e->time < 0 && e->stream ? finish(e->stream) : success;
}
API cuEventElapsedTime(float* ms, void* from, void* to) {
  Locked locked(lock);
  const Event *a = static_cast<Event*>(from), *b = static_cast<Event*>(to);
  if (a->time < 0 || b->time < 0) return refuse(not_ready, "an event that has not happened");
  *ms = static_cast<float>(b->time - a->time);
  return success;
}

API cuStreamBeginCapture_v2(void* s, int) {
  Locked locked(lock);
  static_cast<Stream*>(s)->capture = new Graph;
  captures++;
  return success;
}
API cuStreamEndCapture(void* s, void** graph) {
  Locked locked(lock);
  Stream* stream = static_cast<Stream*>(s);
  *graph = stream->capture;
  stream->capture = nullptr;
  if (!*graph) return refuse(invalid_value, "the stream was not captured");
  captures--;
  return success;
}
API cuGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long) {
  Locked locked(lock);
  *instance = new Graph(*static_cast<Graph*>(graph));
  return success;
}
API cuGraphLaunch(void* instance, void* s) {
  Locked locked(lock);
  for (const Work& work : static_cast<Graph*>(instance)->work)
    if (Result r = put(s, work)) return r;
  return success;
}
API cuGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return success;
}
API cuGraphExecDestroy(void* instance) {
  delete static_cast<Graph*>(instance);
  return success;
}
