// guarded.h: memory that ends at a page that is not there, and is NaN at first.
#pragma once
#include <cstddef>

namespace emu {

struct Guarded {
  size_t bytes;
  char* at;
  char* map;
  size_t map_bytes;
};

// take_guarded takes memory at a multiple of align, which divides a page.
Guarded take_guarded(size_t bytes, size_t align);
void give_back(const Guarded& memory);

}  // namespace emu
