// fake_result.h: how the fake driver refuses, with the real one's numbers.
#pragma once
#include <string>

namespace fake {

enum Result {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_device = 101,
  invalid_context = 201,
  invalid_ptx = 218,
  invalid_handle = 400,
  illegal_state = 401,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  misaligned_address = 716,
  launch_failed = 719,
  capture_unsupported = 900,
  capture_invalidated = 901,
  captured_event = 907,
  capture_wrong_thread = 908,
};

// name_of is the driver's name for a result, null for one that it never has.
const char* name_of(int result);

// refuse is the result; why is what reason says to this thread from now on.
Result refuse(Result result, const std::string& why);
const char* reason();

// enter makes the context that of this thread, null for none.
void enter(void* context);
// ready refuses what needs a context where there is none. It refuses
// everything after a failure of work on the card: as with a real card the
// process has to begin anew.
Result ready();
// lose ends the context: this result of work on the card, and its reason, are
// those of all calls to come.
Result lose(Result result);
// renew is as if the process had begun anew, for tests.
void renew();

}  // namespace fake
