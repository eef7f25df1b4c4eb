package latency

import (
	"fmt"
	"os"

	"dgsbench/internal/optional"
)

// load is how many processes wanted a core, on average over a minute, where
// the system says.
func load() optional.Number {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return optional.Absent()
	}
	var minute float64
	if _, err := fmt.Sscan(string(text), &minute); err != nil {
		return optional.Absent()
	}
	return optional.Number(minute)
}
