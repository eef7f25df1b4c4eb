#include "fake_memory.h"

#include <map>

#include "fake_streams.h"
#include "guarded.h"

namespace fake {
namespace {

std::map<uintptr_t, emu::Guarded> pieces[2];  // of either kind, by their addresses

}  // namespace

Result take(Kind kind, size_t bytes, uintptr_t* at) {
  if (Result r = ready()) return r;
  if (Result r = safe("an allocation")) return r;
  if (bytes == 0) return refuse(invalid_value, "an allocation of nothing");
  if (bytes > most_memory || taken(kind) + bytes > most_memory) return refuse(out_of_memory, "the emulated card is full");
  constexpr size_t word = 4;  // all that kernels may expect
  const emu::Guarded piece = emu::take_guarded(bytes, word);
  *at = uintptr_t(piece.at);
  pieces[kind][*at] = piece;
  return success;
}

Result give_back(Kind kind, uintptr_t at) {
  if (Result r = ready()) return r;
  if (Result r = safe("giving memory back")) return r;
  const auto found = pieces[kind].find(at);
  if (found == pieces[kind].end()) return refuse(invalid_value, "this memory was not taken");
  emu::give_back(found->second);
  pieces[kind].erase(found);
  return success;
}

size_t taken(Kind kind) {
  size_t bytes = 0;
  for (const auto& piece : pieces[kind]) bytes += piece.second.bytes;
  return bytes;
}

bool has(Kind kind, uintptr_t at, size_t bytes) {
  auto next = pieces[kind].upper_bound(at);
  if (next == pieces[kind].begin()) return false;
  const auto& piece = *--next;
  return at + bytes <= piece.first + piece.second.bytes;
}

bool reaches(uintptr_t at) { return has(of_card, at, 0) || has(pinned, at, 0); }

}  // namespace fake
