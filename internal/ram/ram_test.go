package ram

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

func TestField(t *testing.T) {
	cases := []struct {
		meminfo string
		bytes   int64
		known   bool
	}{
		{"MemTotal:       24000000 kB\nMemFree:  1 kB\nMemAvailable:   123 kB\n", 123 << 10, true},
		{"MemTotal:       24000000 kB\n", 0, false},
		{"MemAvailable: many kB\n", 0, false},
	}
	for _, c := range cases {
		if bytes, known := field(strings.NewReader(c.meminfo), "MemAvailable:"); bytes != c.bytes || known != c.known {
			t.Errorf("%q: %d, %v; expected %d, %v", c.meminfo, bytes, known, c.bytes, c.known)
		}
	}
}

// TestHere: this machine has some memory, or does not say.
func TestHere(t *testing.T) {
	if bytes, known := Available(); known && bytes < 1<<20 {
		t.Errorf("%d bytes available", bytes)
	}
}

// TestPeak: it follows what is taken, and forgets it.
func TestPeak(t *testing.T) {
	before, known := Peak()
	if !known || !ForgetPeak() {
		t.Skip("this system does not say")
	}
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
