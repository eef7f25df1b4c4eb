package ram

import (
	"errors"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestField(t *testing.T) {
	cases := []struct {
		status string
		bytes  int64
		known  bool
	}{
		{"VmPeak:\t24000000 kB\nVmSize:\t  1 kB\nVmHWM:\t   123 kB\n", 123 << 10, true},
		{"VmPeak:\t24000000 kB\n", 0, false},
		{"VmHWM: many kB\n", 0, false},
	}
	for _, c := range cases {
		if bytes, known := field(c.status, "VmHWM:"); bytes != c.bytes || known != c.known {
			t.Errorf("%q: %d, %v; expected %d, %v", c.status, bytes, known, c.bytes, c.known)
		}
	}
}

// TestSystem: on Linux the available memory is MemAvailable of /proc/meminfo,
// whatever HOST_PROC says.
func TestSystem(t *testing.T) {
	t.Setenv("HOST_PROC", "/nonexistent")
	for range 100 { // others take and free memory meanwhile
		before, known := field(text("/proc/meminfo"), "MemAvailable:")
		if !known {
			t.Skip("this system has no MemAvailable")
		}
		got := system()
		after, _ := field(text("/proc/meminfo"), "MemAvailable:")
		if min(before, after) <= got && got <= max(before, after) {
			return
		}
		t.Logf("%d bytes, MemAvailable is %d, then %d", got, before, after)
	}
	t.Error("the available memory is never MemAvailable")
}

// TestHere: this machine has some memory, or does not say.
func TestHere(t *testing.T) {
	if bytes, known := Available(); known && bytes < 1<<20 {
		t.Errorf("%d bytes available", bytes)
	}
}

// TestCheck: what cannot fit is refused with the numbers, and what is small is
// not even counted.
func TestCheck(t *testing.T) {
	if _, known := Available(); !known {
		t.Skip("this system does not say")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	var full *Full
	if err := Check("the moon", 1<<60); !errors.As(err, &full) || full.Need != 1<<60 || !strings.HasPrefix(err.Error(), "the moon: needs 1152921504.6 GB of memory, ") {
		t.Errorf("%v", err)
	}
	free, _ := Available()
	if limit := debug.SetMemoryLimit(-1); limit > free+1<<30 || limit < free/2 {
		t.Errorf("the collector's limit is %d, with %d bytes available", limit, free)
	}
	if err := Check("a pebble", 100<<20); err != nil {
		t.Error(err)
	}
}

// TestUsable: a part of what is available is left to what nobody counts.
func TestUsable(t *testing.T) {
	if _, known := Available(); !known {
		t.Skip("this system does not say")
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	var usable, least int64
	for range 20 { // others take and free memory meanwhile
		before, _ := Available()
		usable, _ = Usable()
		after, _ := Available()
		if least = max(before, after); usable > 0 && usable <= least-least/25 {
			return
		}
	}
	t.Errorf("%d bytes are usable of %d", usable, least)
}

// TestPeak: it follows what is taken, and forgets it.
func TestPeak(t *testing.T) {
	if !ForgetPeak() {
		t.Skip("this system does not say")
	}
	before, _ := Peak()
	const size = 64 << 20
	x := make([]byte, size)
	for i := range x {
		x[i] = 1
	}
	after, _ := Peak()
	runtime.KeepAlive(x)
	if after < size || after < before {
		t.Errorf("peak %d, then %d with %d bytes more", before, after, size)
	}
	debug.FreeOSMemory()
	ForgetPeak()
	if now, _ := Peak(); now > after-size/2 {
		t.Errorf("peak %d, and after %d bytes were given back %d", after, size, now)
	}
}
