package ram

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Available is the number of bytes that can be taken before the system swaps
// or kills: what Linux calls available, or what a control group leaves if
// that is less. Elsewhere it is not known.
func Available() (bytes int64, known bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	bytes, known = field(f, "MemAvailable:")
	if own, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		for _, folder := range groups(string(own)) {
			bytes = min(bytes, left(filepath.Join("/sys/fs/cgroup", folder)))
		}
	}
	return bytes, known
}

// number reads a file that holds one; "max" is none.
func number(path string) (int64, bool) {
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(data)), 10, 64)
	return n, err == nil
}
