// fake_streams.h: streams of the fake card, which do their work only when
// somebody waits for it, events, and graphs.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "emulator.h"
#include "fake_result.h"

namespace fake {

// Work is what a stream does in its turn. A failure loses the context.
using Work = std::function<Result()>;

struct Graph {
  std::vector<Work> work;
};

// Capture is a graph that is being made.
struct Capture {
  std::thread::id by;
  Graph graph;
  bool invalid = false;  // something was asked for that must not be, meanwhile
};

struct Stream {
  emu::Order order;
  std::vector<Work> queue;
  std::unique_ptr<Capture> capture;
};

struct Event {
  double time = -1;  // milliseconds, once it has happened
  bool captured = false;
  std::weak_ptr<Stream> stream;
  bool recorded = false;
};

// Instance is a graph that can be launched.
struct Instance {
  Graph graph;
};

// Handles are the things of a kind that have not been given back.
template <class T>
class Handles {
 public:
  void* add(T thing) {
    auto kept = std::make_shared<T>(std::move(thing));
    alive[kept.get()] = kept;
    return kept.get();
  }
  std::shared_ptr<T> find(void* handle) const {
    const auto found = alive.find(handle);
    return found == alive.end() ? nullptr : found->second;
  }
  bool drop(void* handle) { return alive.erase(handle); }
  auto begin() const { return alive.begin(); }
  auto end() const { return alive.end(); }
  size_t size() const { return alive.size(); }

 private:
  std::map<void*, std::shared_ptr<T>> alive;
};

extern Handles<Stream> streams;
extern Handles<Event> events;
extern Handles<Graph> graphs;
extern Handles<Instance> instances;

// safe refuses what a thread that captures a stream must not do, and gives the
// capture up.
Result safe(const char* what);

// put adds work to a stream, or to what is captured of it.
Result put(void* stream, Work work);
// finish does what a stream has to do.
Result finish(Stream& s);
Result wait_for(void* stream);

// capture_only refuses what only a graph cannot hold.
Result capture_only(void* stream, const char* what);

Result record(void* event, void* stream);
Result wait_for_event(void* event);
Result elapsed(float* ms, void* from, void* to);

Result begin_capture(void* stream, int mode);
Result end_capture(void* stream, void** graph);
Result replay(void* instance, void* stream);

}  // namespace fake
