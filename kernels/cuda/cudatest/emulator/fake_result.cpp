#include "fake_result.h"

#include <map>

namespace fake {
namespace {

thread_local std::string last;  // reason
thread_local void* context;
Result lost = success;
std::string lost_by;

}  // namespace

const char* name_of(int result) {
  static const std::map<int, const char*> names = {
      {success, "CUDA_SUCCESS"},
      {invalid_value, "CUDA_ERROR_INVALID_VALUE"},
      {out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {not_initialized, "CUDA_ERROR_NOT_INITIALIZED"},
      {invalid_device, "CUDA_ERROR_INVALID_DEVICE"},
      {invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
      {invalid_ptx, "CUDA_ERROR_INVALID_PTX"},
      {invalid_handle, "CUDA_ERROR_INVALID_HANDLE"},
      {illegal_state, "CUDA_ERROR_ILLEGAL_STATE"},
      {not_found, "CUDA_ERROR_NOT_FOUND"},
      {not_ready, "CUDA_ERROR_NOT_READY"},
      {illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {misaligned_address, "CUDA_ERROR_MISALIGNED_ADDRESS"},
      {launch_failed, "CUDA_ERROR_LAUNCH_FAILED"},
      {capture_unsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
      {capture_invalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"},
      {captured_event, "CUDA_ERROR_CAPTURED_EVENT"},
      {capture_wrong_thread, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD"},
  };
  const auto found = names.find(result);
  return found == names.end() ? nullptr : found->second;
}

Result refuse(Result result, const std::string& why) {
  last = why;
  return result;
}

const char* reason() { return last.c_str(); }

void enter(void* c) { context = c; }

Result ready() {
  if (!context) return refuse(invalid_context, "no context on this thread");
  return lost ? refuse(lost, lost_by) : success;
}

Result lose(Result result) {
  lost = result;
  lost_by = last;
  return result;
}

void renew() { lost = success; }

}  // namespace fake
