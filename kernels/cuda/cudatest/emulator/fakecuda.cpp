// fakecuda.cpp: libcuda.so.1 for machines without a card: what a program
// calls. It runs the kernels that it was compiled with. What a real driver or
// card would refuse it refuses, too, with the same number.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "fake_memory.h"
#include "fake_modules.h"
#include "fake_streams.h"

using namespace fake;

namespace {

std::recursive_mutex lock;  // one caller at a time
emu::Order next_order;
bool started, eager;

constexpr int multiprocessors = 4;
constexpr int error_log = 5, error_log_size = 6;  // options of the compiler

Result initialized() { return started ? success : refuse(not_initialized, "cuInit was not called"); }

// created is a new handle of a thread that has a context.
template <class T>
Result created(Handles<T>& all, T thing, void** handle) {
  if (Result r = ready()) return r;
  *handle = all.add(std::move(thing));
  return success;
}

template <class T>
Result dropped(Handles<T>& all, void* handle) {
  if (Result r = ready()) return r;
  return all.drop(handle) ? success : refuse(invalid_handle, "this was given back before, or never made");
}

// moved puts a copy on a stream, of memory that must be there now and in its
// turn.
template <class There, class Do>
Result moved(void* stream, size_t bytes, There there, Do copy) {
  if (Result r = ready()) return r;
  if (bytes == 0) return capture_only(stream, "a copy of nothing");
  if (!there()) return refuse(invalid_value, "a copy beyond memory that was taken, of the card or pinned");
  return put(stream, [=]() -> Result {
    if (!there()) return refuse(illegal_address, "memory was given back before it was copied");
    copy();
    return success;
  });
}

void* of(uintptr_t at) { return reinterpret_cast<void*>(at); }

}  // namespace

#define API extern "C" __attribute__((visibility("default"))) int
#define LOCKED std::lock_guard<std::recursive_mutex> locked(lock)

// fakecuda_order sets the order of threads for streams made from now on.
API fakecuda_order(int order) {
  LOCKED;
  next_order = static_cast<emu::Order>(order);
  return success;
}

// fakecuda_renew gives back a context that a failure has taken.
API fakecuda_renew() {
  LOCKED;
  renew();
  return success;
}

// fakecuda_graphs is how many graphs have not been given back.
API fakecuda_graphs() {
  LOCKED;
  return static_cast<int>(graphs.size() + instances.size());
}

// fakecuda_eager reports whether kernels were to be loaded at once.
API fakecuda_eager() { return eager; }

API cuInit(unsigned flags) {
  started = true;
  const char* loading = getenv("CUDA_MODULE_LOADING");
  eager = loading && !strcmp(loading, "EAGER");
  return flags ? refuse(invalid_value, "flags that are not 0") : success;
}
API cuDriverGetVersion(int* version) {
  *version = 11080;
  return success;
}
API cuGetErrorName(int result, const char** name) {
  *name = name_of(result);
  return *name ? success : invalid_value;
}
API cuGetErrorString(int, const char** text) {
  *text = reason();
  return success;
}

API cuDeviceGetCount(int* n) {
  *n = 1;
  return initialized();
}
API cuDeviceGet(int* device, int n) {
  if (Result r = initialized()) return r;
  *device = n;
  return n == 0 ? success : refuse(invalid_device, "there is one card");
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
  return initialized();
}
API cuCtxSetCurrent(void* c) {
  enter(c);
  return success;
}

API cuModuleLoadDataEx(void** module, const void* image, unsigned n, int* options, void** values) {
  LOCKED;
  const Result r = load(module, static_cast<const char*>(image));
  if (r && n == 2 && options[0] == error_log && options[1] == error_log_size)
    snprintf(static_cast<char*>(values[0]), size_t(values[1]), "fake compiler: %s", reason());
  return r;
}
API cuModuleGetFunction(void** function, void* module, const char* name) {
  LOCKED;
  return find(function, module, name);
}
API cuFuncSetAttribute(void* function, int attribute, int value) {
  LOCKED;
  constexpr int dynamic_shared = 8;
  if (attribute != dynamic_shared) return refuse(invalid_value, "an attribute that is not emulated");
  return allow_shared(function, value);
}
API cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
    unsigned shared, void* s, void** p, void**) {
  LOCKED;
  return launch(f, {gx, gy, gz}, {bx, by, bz}, shared, s, p);
}

API cuMemAlloc_v2(uintptr_t* p, size_t bytes) {
  LOCKED;
  return take(of_card, bytes, p);
}
API cuMemFree_v2(uintptr_t p) {
  LOCKED;
  return give_back(of_card, p);
}
API cuMemGetInfo_v2(size_t* free, size_t* total) {
  LOCKED;
  *total = most_memory;
  *free = most_memory - taken(of_card);
  return ready();
}
API cuMemHostAlloc(void** p, size_t bytes, unsigned flags) {
  LOCKED;
  constexpr unsigned portable_and_mapped = 1 | 2;
  if (flags != portable_and_mapped) return refuse(invalid_value, "pinned memory that the card may not reach");
  return take(pinned, bytes, reinterpret_cast<uintptr_t*>(p));
}
API cuMemFreeHost(void* p) {
  LOCKED;
  return give_back(pinned, uintptr_t(p));
}
API cuMemcpyHtoDAsync_v2(uintptr_t to, const void* from, size_t bytes, void* s) {
  LOCKED;
  const auto there = [=] { return has(of_card, to, bytes) && has(pinned, uintptr_t(from), bytes); };
  return moved(s, bytes, there, [=] { memcpy(of(to), from, bytes); });
}
API cuMemcpyDtoHAsync_v2(void* to, uintptr_t from, size_t bytes, void* s) {
  LOCKED;
  const auto there = [=] { return has(pinned, uintptr_t(to), bytes) && has(of_card, from, bytes); };
  return moved(s, bytes, there, [=] { memcpy(to, of(from), bytes); });
}
API cuMemcpyDtoDAsync_v2(uintptr_t to, uintptr_t from, size_t bytes, void* s) {
  LOCKED;
  const auto there = [=] { return has(of_card, to, bytes) && has(of_card, from, bytes); };
  return moved(s, bytes, there, [=] { memmove(of(to), of(from), bytes); });
}
API cuMemsetD8Async(uintptr_t to, unsigned char value, size_t bytes, void* s) {
  LOCKED;
  const auto there = [=] { return has(of_card, to, bytes); };
  return moved(s, bytes, there, [=] { memset(of(to), value, bytes); });
}

API cuStreamCreate(void** s, unsigned) {
  LOCKED;
  return created(streams, Stream{next_order, {}, nullptr}, s);
}
API cuStreamDestroy_v2(void* stream) {
  LOCKED;
  const auto s = streams.find(stream);
  const Result r = dropped(streams, stream);
  return r ? r : finish(*s);
}
API cuStreamSynchronize(void* s) {
  LOCKED;
  return wait_for(s);
}

API cuEventCreate(void** e, unsigned) {
  LOCKED;
  return created(events, Event{}, e);
}
API cuEventDestroy_v2(void* e) {
  LOCKED;
  return dropped(events, e);
}
API cuEventRecord(void* e, void* s) {
  LOCKED;
  return record(e, s);
}
API cuEventSynchronize(void* e) {
  LOCKED;
  return wait_for_event(e);
}
API cuEventElapsedTime(float* ms, void* from, void* to) {
  LOCKED;
  return elapsed(ms, from, to);
}

API cuStreamBeginCapture_v2(void* s, int mode) {
  LOCKED;
  return begin_capture(s, mode);
}
API cuStreamEndCapture(void* s, void** graph) {
  LOCKED;
  return end_capture(s, graph);
}
API cuGraphInstantiateWithFlags(void** instance, void* graph, unsigned long long) {
  LOCKED;
  const auto g = graphs.find(graph);
  if (!g) return refuse(invalid_value, "there is no such graph");
  return created(instances, Instance{*g}, instance);
}
API cuGraphLaunch(void* instance, void* s) {
  LOCKED;
  return replay(instance, s);
}
API cuGraphDestroy(void* graph) {
  LOCKED;
  return dropped(graphs, graph);
}
API cuGraphExecDestroy(void* instance) {
  LOCKED;
  return dropped(instances, instance);
}
