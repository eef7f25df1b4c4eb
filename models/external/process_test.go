//go:build unix

package external

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"dgsbench/models"
	"dgsbench/protocol"
)

// beHarness starts a model with a child that outlives it, prints the numbers of the
// processes, and waits to be killed.
func beHarness() {
	program, _ := os.Executable()
	o := Defaults()
	o.Command = []string{"sh", "-c", "sleep 3600 & env -u " + harnessEnv + " " + faultEnv + "=stays " + program}
	o.Tasks = []protocol.Task{protocol.NodeClassification}
	m, err := New(models.Setup{Task: protocol.NodeClassification, NumNodes: 1, Threads: 1}, o)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.(*Model).process.cmd.Process.Pid)
	time.Sleep(time.Hour)
}

// TestKilledHarness: its processes end with it, whatever they do, and what they have started.
func TestKilledHarness(t *testing.T) {
	c := command(t, harnessEnv, "1")
	harness := exec.Command(c[0], c[1:]...)
	out, err := harness.StdoutPipe()
	if err != nil || harness.Start() != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil || !alive(-pid) {
		t.Fatalf("process %d: %v", pid, err)
	}
	_ = harness.Process.Kill()
	_ = harness.Wait()
	if !dies(-pid) {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
		t.Error("processes are left five seconds after the harness was killed")
	}
}

// TestOptions names what is wrong.
func TestOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.py")
	if err := os.WriteFile(file, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(*Options){
		"command is [], expected":        func(o *Options) { o.Command = nil },
		"limit is 0":                     func(o *Options) { o.Limit = 0 },
		"tasks is [regression]":          func(o *Options) { o.Tasks = []protocol.Task{"regression"} },
		`features is "many"`:             func(o *Options) { o.Features = "many" },
		`class is "oracle"`:              func(o *Options) { o.Class = protocol.Oracle },
		`files is "/nowhere", expected `: func(o *Options) { o.Files = []string{"/nowhere"} },
	} {
		o := Defaults()
		o.Command = []string{"python", file}
		change(o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, expected %q", err, want)
		}
	}
	identity := func() string {
		o := Defaults()
		o.Command = []string{"python", file}
		if err := o.Validate(); err != nil {
			t.Fatal(err)
		}
		return o.Identity()[file]
	}
	before := identity()
	if err := os.WriteFile(file, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after := identity(); len(before) != 64 || before == after {
		t.Errorf("a program that has changed has the identity %q, before %q", after, before)
	}
}
