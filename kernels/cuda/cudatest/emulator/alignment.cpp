// alignment.cpp: what g++ calls, told to watch alignments (-fsanitize=alignment),
// before a kernel reads or writes several numbers at once where a card could
// not.
#include <cstdint>

#include "emulator.h"

namespace {

// Mismatch begins with the place in the source.
struct Mismatch {
  const char* file;
  unsigned line, column;
};

}  // namespace

extern "C" void __ubsan_handle_type_mismatch_v1(const Mismatch* m, uintptr_t) {
  emu::fail(emu::misaligned, "touches memory that is misaligned for its type", m->line);
}
