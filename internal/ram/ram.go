package ram

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Available is the number of bytes that can be taken before the system swaps
// or kills, or refuses: what Linux calls available, or what a control group
// or a limit of the process leaves if that is less. Elsewhere it is not known.
func Available() (bytes int64, known bool) {
	f, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	defer f.Close()
	bytes, known = field(f, "MemAvailable:")
	if !known {
		bytes = math.MaxInt64
	}
	for _, folder := range groups(text("/proc/self/cgroup"), text("/proc/self/mountinfo")) {
		bytes = min(bytes, left(folder))
	}
	status := text("/proc/self/status")
	for line := range strings.Lines(text("/proc/self/limits")) {
		bytes = min(bytes, process(line, status))
	}
	return bytes, known || bytes < math.MaxInt64
}

// process is what a limit of the process leaves: of its addresses ("ulimit
// -v") or of its data ("ulimit -d"). The heap's free addresses count as taken
// there, and can be used.
func process(line, status string) int64 {
	for name, used := range map[string]string{"Max address space": "VmSize:", "Max data size": "VmData:"} {
		limits, found := strings.CutPrefix(line, name)
		if !found {
			continue
		}
		soft, _, _ := strings.Cut(strings.TrimSpace(limits), " ")
		limit, err := strconv.ParseInt(soft, 10, 64)
		taken, known := field(strings.NewReader(status), used)
		if err != nil || !known { // unlimited
			break
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return max(0, limit-taken+int64(m.HeapIdle))
	}
	return math.MaxInt64
}

// text is what is in a file; nothing where it cannot be read.
func text(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

// number reads a file that holds one; "max" is none.
func number(path string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text(path)), 10, 64)
	return n, err == nil
}
