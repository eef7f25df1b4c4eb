package latency

import (
	"fmt"
	"os"

	"dgsbench/results"
)

// load is how many processes wanted a core, on average over a minute, where
// the system says.
func load() results.Number {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return results.Absent()
	}
	var minute float64
	if _, err := fmt.Sscan(string(text), &minute); err != nil {
		return results.Absent()
	}
	return results.Number(minute)
}
