#include "fake_streams.h"

#include <chrono>

namespace fake {

Handles<Stream> streams;
Handles<Event> events;
Handles<Graph> graphs;
Handles<Instance> instances;

namespace {

double now() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

// give_up ends a capture: nobody gets its graph.
Result give_up(Stream& s, const std::string& why) {
  s.capture->invalid = true;
  return refuse(capture_unsupported, why);
}

Result no_stream() { return refuse(invalid_handle, "there is no such stream; the default one is not used here"); }
Result no_event() { return refuse(invalid_handle, "there is no such event"); }

}  // namespace

Result safe(const char* what) {
  Result r = success;
  for (const auto& s : streams)
    if (s.second->capture && s.second->capture->by == std::this_thread::get_id())
      r = give_up(*s.second, std::string(what) + " while this thread captures a stream");
  return r;
}

Result put(void* stream, Work work) {
  if (Result r = ready()) return r;
  const auto s = streams.find(stream);
  if (!s) return no_stream();
  if (!s->capture) {
    s->queue.push_back(std::move(work));
    return success;
  }
  if (s->capture->invalid) return refuse(capture_invalidated, "the capture of the stream was given up before");
  s->capture->graph.work.push_back(std::move(work));
  return success;
}

Result finish(Stream& s) {
  std::vector<Work> queue;
  queue.swap(s.queue);
  for (Work& work : queue)
    if (Result r = work()) return lose(r);
  return success;
}

Result wait_for(void* stream) {
  if (Result r = ready()) return r;
  const auto s = streams.find(stream);
  if (!s) return no_stream();
  return s->capture ? give_up(*s, "waiting for a stream that is captured") : finish(*s);
}

Result capture_only(void* stream, const char* what) {
  const auto s = streams.find(stream);
  return s && s->capture ? refuse(invalid_value, std::string(what) + " in a graph") : success;
}

Result record(void* event, void* stream) {
  const auto e = events.find(event);
  if (!e) return no_event();
  if (Result r = put(stream, [=] {
        e->time = now();
        return success;
      }))
    return r;
  const auto s = streams.find(stream);
  *e = {-1, s->capture != nullptr, s, true};
  return success;
}

Result wait_for_event(void* event) {
  if (Result r = ready()) return r;
  if (Result r = safe("waiting for an event")) return r;
  const auto e = events.find(event);
  if (!e) return no_event();
  if (e->captured) return refuse(captured_event, "waiting for an event of a graph");
  const auto s = e->stream.lock();
  return s && e->time < 0 ? finish(*s) : success;
}

Result elapsed(float* ms, void* from, void* to) {
  if (Result r = ready()) return r;
  const auto a = events.find(from), b = events.find(to);
  if (!a || !b || !a->recorded || !b->recorded) return refuse(invalid_handle, "an event that was never recorded");
  if (a->time < 0 || b->time < 0) return refuse(not_ready, "an event that has not happened");
  *ms = static_cast<float>(b->time - a->time);
  return success;
}

Result begin_capture(void* stream, int mode) {
  if (Result r = ready()) return r;
  constexpr int thread_local_mode = 1;
  if (mode != thread_local_mode) return refuse(invalid_value, "only captures that are their thread's own are emulated");
  const auto s = streams.find(stream);
  if (!s) return no_stream();
  if (s->capture) return refuse(illegal_state, "the stream is captured already");
  s->capture.reset(new Capture{std::this_thread::get_id(), {}});
  return success;
}

Result end_capture(void* stream, void** graph) {
  *graph = nullptr;
  if (Result r = ready()) return r;
  const auto s = streams.find(stream);
  if (!s) return no_stream();
  if (!s->capture) return refuse(illegal_state, "the stream is not captured");
  if (s->capture->by != std::this_thread::get_id()) return refuse(capture_wrong_thread, "another thread captures the stream");
  const auto capture = std::move(s->capture);
  if (capture->invalid) return refuse(capture_invalidated, "the capture of the stream was given up before");
  *graph = graphs.add(std::move(capture->graph));
  return success;
}

// A graph that is given back takes the work with it that was not done yet. The
// documents of the real driver promise nothing else.
Result replay(void* instance, void* stream) {
  if (Result r = ready()) return r;
  if (!instances.find(instance)) return refuse(invalid_value, "there is no such graph");
  if (const auto s = streams.find(stream); s && s->capture) return give_up(*s, "launching a graph while the stream is captured");
  return put(stream, [=]() -> Result {
    const auto i = instances.find(instance);
    if (!i) return refuse(launch_failed, "a graph was given back before its work was done");
    for (const Work& work : i->graph.work)
      if (Result r = work()) return r;
    return success;
  });
}

}  // namespace fake
