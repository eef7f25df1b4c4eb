// Package ram reports how much memory the program may still take.
package ram

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/common"
	"github.com/shirou/gopsutil/v4/mem"
)

// Full is the error for something that does not fit into the memory. Sizes are
// bytes.
type Full struct {
	What       string
	Need, Free int64
}

func (f *Full) Error() string {
	return fmt.Sprintf("%s: needs %s of memory, %s are free", f.What, Size(f.Need), Size(f.Free))
}

// Size formats a number of bytes.
func Size(bytes int64) string {
	if bytes < 1e8 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

const (
	// unchecked is the number of bytes that need no check.
	unchecked = 8 << 20
	// One part in spare of the available memory is left to stacks, buffers
	// and fragmentation of the heap.
	spare = 20
)

// Check returns a *Full for what would not fit, before it is allocated. It
// returns garbage to the system first if that is needed.
func Check(what string, need int64) error {
	if need < unchecked {
		return nil
	}
	free, known := Usable()
	if !known || need <= free {
		return nil
	}
	debug.FreeOSMemory()
	if free, _ = Usable(); need <= free {
		return nil
	}
	return &Full{What: what, Need: need, Free: free}
}

// Usable returns how much of the available memory may be taken now. It makes
// the garbage collector stay within that, which would otherwise let as much
// garbage accumulate as there is data.
func Usable() (bytes int64, known bool) {
	free, known := Available()
	if !known {
		return 0, false
	}
	free -= free / spare
	if os.Getenv("GOMEMLIMIT") == "" {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		debug.SetMemoryLimit(int64(m.Sys-m.HeapReleased) + free)
	}
	return free, true
}

// Available returns the number of bytes that can be taken before the system
// swaps or kills, or refuses: the system's available memory, or what a control
// group or a limit of the process leaves if that is less.
func Available() (bytes int64, known bool) {
	bytes = system()
	for _, folder := range groups(text("/proc/self/cgroup"), text("/proc/self/mountinfo")) {
		bytes = min(bytes, left(folder))
	}
	status := text("/proc/self/status")
	for line := range strings.Lines(text("/proc/self/limits")) {
		bytes = min(bytes, process(line, status))
	}
	return bytes, bytes < math.MaxInt64
}

// system returns the available memory of the whole system. On Linux it is read
// from /proc whatever HOST_PROC says, as limits and control groups are.
func system() int64 {
	proc := common.EnvMap{common.HostProcEnvKey: "/proc"}
	m, err := mem.VirtualMemoryWithContext(context.WithValue(context.Background(), common.EnvKey, proc))
	if err != nil {
		return math.MaxInt64
	}
	return int64(m.Available)
}

// process returns what a limit of the process leaves: of its addresses ("ulimit
// -v") or of its data ("ulimit -d"). The heap's free addresses count as taken
// there, but can be used.
func process(line, status string) int64 {
	for name, used := range map[string]string{"Max address space": "VmSize:", "Max data size": "VmData:"} {
		var limit int64
		if _, err := fmt.Sscanf(line, name+" %d", &limit); err != nil { // another one, or unlimited
			continue
		}
		if taken, known := field(status, used); known {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return max(0, limit-taken+int64(m.HeapIdle))
		}
	}
	return math.MaxInt64
}

// Peak returns the largest number of bytes that the program has held since it
// started or since ForgetPeak (Linux: resident pages). It is unknown on other
// systems.
func Peak() (bytes int64, known bool) {
	return field(text("/proc/self/status"), "VmHWM:")
}

// ForgetPeak makes Peak start anew from what the program holds now. It
// reports whether the system could do so.
func ForgetPeak() bool { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) == nil }

// field returns the value of a line such as "VmHWM: 123 kB".
func field(status, name string) (bytes int64, known bool) {
	for line := range strings.Lines(status) {
		var kB int64
		if _, err := fmt.Sscanf(line, name+" %d kB", &kB); err == nil {
			return kB << 10, true
		}
	}
	return 0, false
}

// text returns the content of a file, "" if it cannot be read.
func text(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

// number returns the number in a file; "max" is none.
func number(path string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(text(path)), 10, 64)
	return n, err == nil
}
