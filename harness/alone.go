package harness

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"

	"dgsbench/internal/lock"
)

// AloneVariable names the environment variable with the file that whoever
// times models locks, in place of one for the whole machine. AloneAlready says
// that whoever started this process holds the lock.
const (
	AloneVariable = "DGSBENCH_TIMING_LOCK"
	AloneAlready  = "held"
)

// Alone does something that times models while no other process of this
// machine does, whatever its folders and its user. It calls waiting with the
// lock's file if it has to wait. The context that do is given ends when another
// process takes the lock over.
func Alone(ctx context.Context, waiting func(file string), do func(context.Context) error) error {
	file := os.Getenv(AloneVariable)
	switch file {
	case AloneAlready:
		return do(ctx)
	case "":
		file = filepath.Join(machineFolder(), "dgsbench-timing.lock")
	}
	l, err := lock.Wait(ctx, file, func() { waiting(file) })
	if err != nil {
		return err
	}
	defer l.Release()
	ctx, stop := l.During(ctx)
	defer stop()
	if err := do(ctx); err != nil {
		return cmp.Or(lost(ctx), err)
	}
	return lost(ctx)
}

// lost is lock.ErrLost where that is what ended the context.
func lost(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), lock.ErrLost) {
		return lock.ErrLost
	}
	return nil
}

// machineFolder is where every user may make files. What TMPDIR says is not
// the same for all.
func machineFolder() string {
	if all := os.Getenv("ProgramData"); runtime.GOOS == "windows" && all != "" {
		return all
	}
	if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
		return "/tmp"
	}
	return os.TempDir()
}
