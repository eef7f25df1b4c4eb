package harness

import (
	"fmt"
	"os"
	"runtime"
	"strings"

	"dgsbench/kernels/devices"
)

// Machine describes where a trial ran: processor, cores, system, Go, and the
// card if it is one.
func Machine(on devices.Target) string {
	machine := fmt.Sprintf("%s, %d cores, %s/%s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	if on.Card() == "" {
		return machine
	}
	return machine + ", " + on.Card()
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
