package own

import (
	"math"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/shirou/gopsutil/v4/disk"
)

// TestFree: freeDisk agrees with df, which prints what an ordinary user can still
// write.
func TestFree(t *testing.T) {
	dir := t.TempDir()
	for range 20 { // others write meanwhile
		before, known := freeDisk(dir)
		out, err := exec.Command("df", "-Pk", dir).Output()
		after, _ := freeDisk(dir)
		fields := strings.Fields(string(out))
		if !known || err != nil || len(fields) < 6 {
			t.Skipf("this system does not say: %v, %s", err, out)
		}
		kB, err := strconv.ParseInt(fields[len(fields)-3], 10, 64)
		if err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if least, most := min(before, after)>>10, max(before, after)>>10; least <= kB && kB <= most {
			return
		}
		t.Logf("%d kB are free, then %d; df has %d", before>>10, after>>10, kB)
	}
	t.Error("never what df has")
}

// TestFreeDiskNowhere: the free space of a missing folder is not known.
func TestFreeDiskNowhere(t *testing.T) {
	if _, known := freeDisk(filepath.Join(t.TempDir(), "missing")); known {
		t.Error("the space of a folder that is not there is known")
	}
}

// TestFreeDiskNegative: the free space is not known if it wraps around below zero.
func TestFreeDiskNegative(t *testing.T) {
	const block = 4096
	for free, want := range map[uint64]bool{0: true, 7 * block: true, 100 * block: true, math.MaxUint64 - block + 1: false} {
		bytes, known := freeOf(&disk.UsageStat{Total: 100 * block, Free: free}, nil)
		if known != want || known && bytes != int64(free) {
			t.Errorf("%d bytes free: got %d, %v, expected known to be %v", free, bytes, known, want)
		}
	}
}
