package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"dgsbench/internal/lock"
	"dgsbench/internal/optional"
)

// TimingLockVariable names the environment variable with the file that processes
// that time models lock, in place of one for the whole machine. Its value is
// TimingLockHeld if the parent process holds the lock.
const (
	TimingLockVariable = "DGSBENCH_TIMING_LOCK"
	TimingLockHeld     = "held"
)

// Load returns the load average of a minute, where the system has it.
func Load() optional.Number {
	text, _ := os.ReadFile("/proc/loadavg") // empty elsewhere
	var minute float64
	if _, err := fmt.Sscan(string(text), &minute); err != nil {
		return optional.Absent()
	}
	return optional.Number(minute)
}

// ExclusiveTiming calls do, which times models, while no other process of this
// machine does so, whatever its folders and its user. If it has to wait, it calls
// waiting with the lock's file. The context of do ends when the lock is lost.
func ExclusiveTiming(ctx context.Context, waiting func(file string), do func(context.Context) error) error {
	file := os.Getenv(TimingLockVariable)
	switch file {
	case TimingLockHeld:
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
	err = do(ctx)
	if errors.Is(context.Cause(ctx), lock.ErrLost) {
		return lock.ErrLost
	}
	return err
}

// machineFolder returns a folder in which every user may create files. TMPDIR
// is not the same for all of them.
func machineFolder() string {
	if all := os.Getenv("ProgramData"); runtime.GOOS == "windows" && all != "" {
		return all
	}
	if info, err := os.Stat("/tmp"); err == nil && info.IsDir() {
		return "/tmp"
	}
	return os.TempDir()
}
