package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dgsbench/kernels/devices"
)

// removeRecords removes up to most records of the toy suite, each as soon as it
// appears, until the process has ended. It returns the number removed.
func removeRecords(t *testing.T, out string, most int, over <-chan error) (removed int, err error) {
	t.Helper()
	for {
		select {
		case err := <-over:
			return removed, err
		case <-time.After(time.Millisecond):
		}
		files, err := filepath.Glob(filepath.Join(out, "toy", "toy", "nc", "*", "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if removed < most && os.Remove(file) == nil {
				removed++
			}
		}
	}
}

// TestVanishingRecords: what somebody removes while a suite runs is measured
// again; if it goes for ever, the run fails and prints no tables.
func TestVanishingRecords(t *testing.T) {
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	for _, c := range []struct{ most, code int }{{1, exitDone}, {1 << 30, exitFailed}} {
		out := filepath.Join(t.TempDir(), "out")
		args := append(all(dir, "out"), "--out", out)
		cmd, stdout, stderr := process(args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- cmd.Wait() }()
		removed, _ := removeRecords(t, out, c.most, over)
		if code := cmd.ProcessState.ExitCode(); code != c.code || !strings.Contains(stderr.String(), "trials are measured again: their records have disappeared since they were written") {
			t.Errorf("%d removed: exit code %d, expected %d\n%s", removed, code, c.code, stderr)
		}
		if c.code == exitDone {
			whole.compare(t, "one removed", stdout.String(), out)
			continue
		}
		if stdout.Len() > 0 || !strings.Contains(stderr.String(), "records have disappeared since they were written, the first of them "+out) {
			t.Errorf("%d removed: tables\n%s\n%s", removed, stdout, stderr)
		}
	}
}

// TestTablesNeedAllRecords: one that goes after the run and before its tables
// makes it a failure, and no table is printed or left.
func TestTablesNeedAllRecords(t *testing.T) {
	dir := workplace(t)
	bench(all(dir, "out")...)
	var stdout, stderr bytes.Buffer
	o := &options{
		suite: "toy", data: filepath.Join(dir, "data"), specs: filepath.Join(dir, "specs"), out: filepath.Join(dir, "out"),
		device: "cpu", stdout: &stdout, stderr: &stderr,
	}
	s, err := o.choose(t.Context(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := s.runTrials(context.Background(), devices.Target{}, 0)
	if err != nil || sum.Found != len(s.trials) {
		t.Fatal(sum, err)
	}
	left := filepath.Join(dir, "out", "toy", "tables.md")
	sidecars, err := filepath.Glob(strings.TrimSuffix(anyRecord(t, o.out), ".json") + "*.npz")
	if err != nil || len(sidecars) != 1 {
		t.Fatal(sidecars, err)
	}
	for _, file := range []string{anyRecord(t, o.out), sidecars[0]} {
		text := read(t, file)
		if err := errors.Join(os.Remove(file), os.RemoveAll(left)); err != nil {
			t.Fatal(err)
		}
		err = s.printAndWrite()
		var failed failure
		const want = "the records of 1 of 15 trials have disappeared since they were written, among them that of user-count on toy, nc (suite toy), seed 0; the same command measures them again"
		if !errors.As(err, &failed) || err.Error() != want || stdout.Len() > 0 {
			t.Errorf("%v, expected %q; printed %q", err, want, &stdout)
		}
		if _, err := os.Stat(left); err == nil {
			t.Error("tables are left")
		}
		write(t, file, text)
	}
	if err := s.printAndWrite(); err != nil || stdout.Len() == 0 {
		t.Errorf("with all records: %v", err)
	}
}

// TestCheckpointsAfterwards: --checkpoints on a folder that has been measured
// without gives the models, says so, and plans as much.
func TestCheckpointsAfterwards(t *testing.T) {
	dir := workplace(t)
	bench(all(dir, "out", "--models", "raw")...)
	args := all(dir, "out", "--models", "raw", "--checkpoints")
	models := func() int {
		files, err := filepath.Glob(filepath.Join(dir, "out", "toy", "toy", "nc", "raw", "*.safetensors"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if _, stdout, _ := bench(append(args, "--dry-run")...); !strings.Contains(stdout, "4 trials: 0 found measured in "+filepath.Join(dir, "out")+", 4 would be measured") {
		t.Errorf("--dry-run:\n%s", stdout)
	}
	code, stdout, stderr := bench(args...)
	if code != exitDone || models() != 4 || measuredBy(t, stderr) != 4 ||
		!strings.Contains(stderr, "4 trials are measured again: they have a record and not all files that belong to it") {
		t.Errorf("exit code %d, %d checkpoints\n%s", code, models(), stderr)
	}
	code, again, stderr := bench(args...)
	if code != exitDone || measuredBy(t, stderr) != 0 || again != stdout {
		t.Errorf("a third time: exit code %d\n%s", code, stderr)
	}
}

// atLine does something when a line of that text is written.
type atLine struct {
	bytes.Buffer
	text string
	do   func()
}

func (w *atLine) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.do()
	}
	return w.Buffer.Write(p)
}

// TestVanishingLatencyTests: records of a dataset that go while another one is
// timed make it a failure.
func TestVanishingLatencyTests(t *testing.T) {
	dir := latencyWorkplace(t, strings.Replace(latencySuite, "[toy]", "[toy, shop-sim@0.2]", 1))
	out := filepath.Join(dir, "out", "toy-latency", "toy")
	for _, command := range []string{"latency", "all"} {
		args := latencyArgs(dir, "--models", "user-count")
		args[0] = command
		var stdout bytes.Buffer
		stderr := atLine{text: "shop-sim@0.2: ", do: func() { os.RemoveAll(out) }}
		code := run(context.Background(), args, &stdout, &stderr)
		if code != exitFailed || stdout.Len() > 0 || !strings.Contains(stderr.String(), "have disappeared since they were written") {
			t.Errorf("%s: exit code %d, stdout %q\n%s", command, code, &stdout, &stderr)
		}
		if err := os.RemoveAll(filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
	}
}
