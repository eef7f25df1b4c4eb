package ram

import (
	"strings"
	"testing"
)

func TestAvailable(t *testing.T) {
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
		if bytes, known := available(strings.NewReader(c.meminfo)); bytes != c.bytes || known != c.known {
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
