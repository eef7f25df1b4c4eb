#include "guarded.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "sanitizer.h"

namespace emu {

Guarded take_guarded(size_t bytes, size_t align) {
  if (finds_overruns()) align = std::max(align, exact);
  constexpr size_t page = 4096;
  const size_t body = (bytes + page - 1) / page * page, map_bytes = body + page;
  char* map = static_cast<char*>(mmap(nullptr, map_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(map + body, page, PROT_NONE);
  char* at = map + body - (bytes + align - 1) / align * align;
  memset(at, 0xff, bytes);
  forbid(map, at);
  forbid(at + bytes, map + map_bytes);
  return {bytes, at, map, map_bytes};
}

void give_back(const Guarded& memory) {
  allow(memory.map, memory.map + memory.map_bytes);
  munmap(memory.map, memory.map_bytes);
}

}  // namespace emu
