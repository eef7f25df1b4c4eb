//go:build unix

package external

import (
	"errors"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup has the command run in a process group of its own, which can be killed as
// a whole, and which a terminal's Ctrl-C does not reach.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends the group of the process.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func brokenPipe(err error) bool { return errors.Is(err, syscall.EPIPE) }

// guard is a shell that kills a process group when the harness ends, however it
// does: the shell's input ends then.
type guard struct {
	cmd   *exec.Cmd
	input interface{ Close() error }
}

// newGuard returns the guard of a process, or nil where there is no shell.
func newGuard(pid int) *guard {
	cmd := exec.Command("sh", "-c", `read -r _; kill -s KILL -- "-$1"`, "guard", strconv.Itoa(pid))
	ownGroup(cmd) // what ends the group of the harness leaves it
	input, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return nil
	}
	return &guard{cmd, input}
}

// dismiss ends the guard: the group has ended.
func (g *guard) dismiss() {
	if g == nil {
		return
	}
	_ = g.cmd.Process.Kill()
	_ = g.cmd.Wait()
}
