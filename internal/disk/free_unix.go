//go:build unix

package disk

import (
	"math"

	"golang.org/x/sys/unix"
)

// Free is the number of bytes that an ordinary user can still write to the
// file system of a folder. It is not known where the system does not say.
func Free(dir string) (bytes int64, known bool) {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil || s.Blocks == 0 {
		return 0, false
	}
	free := float64(s.Bavail) * float64(s.Bsize)
	return int64(min(free, math.MaxInt64/2)), true
}
