//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// Writing past the largest file size that is allowed (ulimit -f) is an error
// like that of a full disk, not the end of the program.
func init() { signal.Ignore(syscall.SIGXFSZ) }
