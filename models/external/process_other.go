//go:build !unix

package external

import (
	"os"
	"os/exec"
)

// Elsewhere a process ends with its standard input, and is killed alone.

func ownGroup(*exec.Cmd) {}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

func brokenPipe(err error) bool { return err != nil }

type guard struct{}

func newGuard(int) *guard { return nil }

func (*guard) dismiss() {}
