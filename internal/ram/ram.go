package ram

import (
	"os"
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
	if limit, ok := number("/sys/fs/cgroup/memory.max"); ok && known {
		if used, ok := number("/sys/fs/cgroup/memory.current"); ok {
			bytes = min(bytes, max(0, limit-used))
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
