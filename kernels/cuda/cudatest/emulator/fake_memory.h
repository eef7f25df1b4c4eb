// fake_memory.h: memory of the fake card, and memory of the host that it
// reaches. All of it is NaN at first, and ends at a page that is not there.
#pragma once
#include <cstddef>
#include <cstdint>

#include "fake_result.h"

namespace fake {

enum Kind { of_card, pinned };

constexpr size_t most_memory = size_t(512) << 20;  // of either kind

Result take(Kind kind, size_t bytes, uintptr_t* at);
Result give_back(Kind kind, uintptr_t at);
size_t taken(Kind kind);

// has reports whether these bytes lie within one piece that was taken.
bool has(Kind kind, uintptr_t at, size_t bytes);
// reaches reports whether kernels have any memory there, of either kind: its
// end counts, too.
bool reaches(uintptr_t at);

}  // namespace fake
