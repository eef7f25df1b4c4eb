package own

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestFreeDisk: as much as df says, which is what an ordinary user may write.
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

// TestFreeDiskNowhere: of a folder that is not there.
func TestFreeDiskNowhere(t *testing.T) {
	if _, known := freeDisk(filepath.Join(t.TempDir(), "missing")); known {
		t.Error("the space of a folder that is not there is known")
	}
}
