// answer.cu: what the host waits for, written to its memory.
#include "compat.h"

// As in device.go: kernels note here what is bad.
constexpr int note_bad = 1, note_count = 2;

// The first numbers that are written are the notes. What is bad is forgotten.
KERNEL(answer)(int n, const int* numbers, int* notes, int* to) {
  const int i = static_cast<int>(element());
  if (i < note_count) {
    to[i] = notes[i];
    if (i == note_bad) notes[i] = 0;
  } else if (i < note_count + n) {
    to[i] = numbers[i - note_count];
  }
}
