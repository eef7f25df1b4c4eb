package harness

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"dgsbench/kernels/devices"
)

// Machine describes where a trial ran: processor, cores, system, Go, and the
// exact level of the kernels.
func Machine(on devices.Target) string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), on.Level())
}

// processor is the model name that Linux reports, else "processor unknown".
func processor() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "processor unknown"
	}
	for line := range strings.Lines(string(info)) {
		key, value, found := strings.Cut(line, ":")
		if found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor unknown"
}
