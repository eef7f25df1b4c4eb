// fake_modules.h: kernels of the fake card, as those of their PTX.
#pragma once
#include "fake_result.h"

namespace fake {

// most_shared is the most shared memory of a block, static and dynamic.
constexpr int most_shared = 227 << 10;

struct Size {
  unsigned x, y, z;
};

// load refuses PTX that is not of the kernels that were compiled in. Where
// there is no text the module has them all.
Result load(void** module, const char* ptx);
Result find(void** function, void* module, const char* name);
Result allow_shared(void* function, int bytes);
Result launch(void* function, Size blocks, Size threads, unsigned shared, void* stream, void** parameters);

}  // namespace fake
