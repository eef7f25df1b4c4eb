package ram

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// Full says that something has no room in the memory. Sizes are bytes.
type Full struct {
	What       string
	Need, Free int64
}

func (f *Full) Error() string {
	return fmt.Sprintf("%s: needs %s of memory, %s are free", f.What, Size(f.Need), Size(f.Free))
}

// Size is a number of bytes for readers.
func Size(bytes int64) string {
	if bytes < 1e8 {
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/1e9)
}

const (
	// little needs no check.
	little = 8 << 20
	// One part in spare of the available memory is left to stacks, buffers
	// and fragments of the heap.
	spare = 20
)

// Check refuses, with a *Full, what would not fit, before it is made. Garbage
// that stands in the way is given back first.
func Check(what string, need int64) error {
	if need < little {
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

// Usable is what may be taken of the memory that is available now. The garbage
// collector is told to keep within that: it otherwise lets as much garbage
// come together as there is data.
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
