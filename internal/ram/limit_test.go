package ram

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"dgsbench/internal/ram/ramtest"
)

// litter makes the test binary hold data and make garbage, as much as the
// variable says: "kept" within what is usable, "free" without a limit.
const litter = "RAM_TEST_LITTER"

func TestMain(m *testing.M) {
	if how := os.Getenv(litter); how != "" {
		if how == "kept" {
			Usable()
		}
		held := touched(320 << 20)
		for range 400 {
			touched(1 << 20) // what the collector is late for fits what is spared
		}
		runtime.KeepAlive(held)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// touched is memory whose pages are all there.
func touched(size int) []byte {
	x := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		x[i] = 1
	}
	return x
}

// TestCollectorKeepsWithin: in a control group with room for data and a little
// garbage, a process that asked what is usable goes on, and one that did not
// is killed.
func TestCollectorKeepsWithin(t *testing.T) {
	join := ramtest.Group(t, 512<<20)
	for how, lives := range map[string]bool{"kept": true, "free": false} {
		cmd := exec.Command("bash", "-c", join+` && exec "$0"`, os.Args[0])
		cmd.Env = append(os.Environ(), litter+"="+how)
		if out, err := cmd.CombinedOutput(); (err == nil) != lives {
			t.Errorf("%s: %v\n%s", how, err, out)
		}
	}
}
