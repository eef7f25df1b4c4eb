package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/lock"
	"dgsbench/models"
	"dgsbench/protocol"

	"github.com/google/go-cmp/cmp"
)

// folder is what lies in a folder, by path below it, but for what is ours: a
// killed process leaves locks there that nobody holds.
func folder(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == lock.Folder {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[name] = read(t, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// isRecord tells records, of which no two runs write the same: they hold
// durations.
func isRecord(name string) bool { return filepath.Ext(name) == ".json" }

// records are the records among files.
func records(files map[string]string) map[string]string {
	out := maps.Clone(files)
	maps.DeleteFunc(out, func(name, _ string) bool { return !isRecord(name) })
	return out
}

// undisturbed is a folder that a run made which nothing happened to, and what
// it printed.
type undisturbed struct {
	stdout string
	files  map[string]string
	took   time.Duration
}

// run measures the toy suite in a process of its own, to the end.
func (u *undisturbed) run(t *testing.T, dir string) {
	t.Helper()
	start := time.Now()
	code, stdout, stderr := inProcess(t, all(dir, "whole")...)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	u.stdout, u.files, u.took = stdout, folder(t, filepath.Join(dir, "whole")), time.Since(start)
}

// compare expects the same tables, the same files and nothing more.
func (u *undisturbed) compare(t *testing.T, what, stdout, dir string) {
	t.Helper()
	if diff := cmp.Diff(u.stdout, stdout); diff != "" {
		t.Errorf("%s: tables, undisturbed (-) and here (+):\n%s", what, diff)
	}
	noTemporary(t, what, dir)
	got := folder(t, dir)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(u.files)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("%s: files, undisturbed (-) and here (+):\n%s", what, diff)
	}
	for name, text := range u.files {
		if !isRecord(name) && got[name] != text {
			t.Errorf("%s: %s differs from that of an undisturbed run", what, name)
		}
	}
}

// noTemporary expects no file that was being written.
func noTemporary(t *testing.T, what, dir string) {
	t.Helper()
	if left, err := os.ReadDir(filepath.Join(dir, lock.Folder, "tmp")); err == nil {
		t.Errorf("%s: %v is left", what, left)
	}
}

// inProcess runs bench in a process of its own, to its end.
func inProcess(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd, out, errs := process(args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// kept expects every record of before to be there as it was: a trial that is
// measured twice has other durations.
func kept(t *testing.T, what string, before, after map[string]string) {
	t.Helper()
	for name, text := range records(before) {
		if after[name] != text {
			t.Errorf("%s: %s was measured, and is gone or was measured again", what, name)
		}
	}
}

// TestKilled: SIGKILL at 20 random moments. What was measured stays, the next
// run goes on, and its tables are those of a run that nobody disturbed, byte
// for byte.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	rng := rand.New(rand.NewPCG(1, 2))
	killed := 0
	for attempt := 0; killed < numKills; attempt++ {
		if attempt == 5*numKills {
			t.Fatalf("only %d runs were killed before they were done", killed)
		}
		out := fmt.Sprint("killed", attempt)
		for whole.killOrEnd(t, dir, out, time.Duration(rng.Float64()*float64(whole.took))) {
			if killed++; killed == numKills {
				whole.killOrEnd(t, dir, out, time.Hour)
				break
			}
		}
	}
}

// numKills is how many runs TestKilled kills.
const numKills = 20

// killOrEnd runs the suite, or what is left of it, and kills it after a
// while, unless it has ended: then it compares what came of it.
func (u *undisturbed) killOrEnd(t *testing.T, dir, out string, after time.Duration) (killed bool) {
	t.Helper()
	before := map[string]string{}
	if _, err := os.Stat(filepath.Join(dir, out)); err == nil {
		before = folder(t, filepath.Join(dir, out))
	}
	cmd, stdout, stderr := process(all(dir, out)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	_ = cmd.Wait()
	kill.Stop()
	switch code := cmd.ProcessState.ExitCode(); code {
	case -1:
		killed = true
	case exitDone:
		u.compare(t, out, stdout.String(), filepath.Join(dir, out))
	default:
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if !killed || len(before) > 0 {
		kept(t, out, before, folder(t, filepath.Join(dir, out)))
	}
	return killed
}

var summary = regexp.MustCompile(`done: (\d+) trials measured, (\d+) found measured`)

// measuredBy is how many trials a run says it measured.
func measuredBy(t *testing.T, stderr string) (n int) {
	t.Helper()
	m := summary.FindStringSubmatch(stderr)
	if m == nil {
		t.Fatalf("no summary in\n%s", stderr)
	}
	if _, err := fmt.Sscan(m[1], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// stuck is the environment variable that keeps the model of that name from
// ever getting past its first answer in a trial.
const stuck = "BENCH_TEST_STUCK"

type stuckModel struct {
	broken
	begun bool // the trial, which begins with Reset: an estimate does not
}

func (m *stuckModel) Reset() { m.begun = true }

func (m *stuckModel) Classify(_ datasets.Stream, logits []float32) error {
	clear(logits)
	if os.Getenv(stuck) != "" && m.begun {
		time.Sleep(time.Hour)
	}
	return nil
}

func init() {
	models.Register(models.Kind{
		Name: "stuck", Class: protocol.ZeroParameter, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &noOptions{} },
		New:     func(models.Setup, models.Options) (models.Model, error) { return &stuckModel{}, nil },
	})
}

// TestClaimsEndWithTheProcess: a run waits for another one that is at its
// last trial, and takes it over when that run is killed.
func TestClaimsEndWithTheProcess(t *testing.T) {
	dir := workplace(t)
	write(t, filepath.Join(dir, "specs", "stuck.yaml"), "id: stuck\nmodel: stuck\ntitle: Stuck\n")
	write(t, filepath.Join(dir, "specs", "toy.yaml"), strings.Replace(toySuite, "user-count", "stuck", 1))
	args := all(dir, "out", "--models", "stuck")
	holder, _, _ := process(args...)
	holder.Env = append(holder.Env, stuck+"=1")
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer holder.Process.Kill()
	claimed := lock.In(filepath.Join(dir, "out"), filepath.Join("trials", "toy", "toy", "nc", "stuck", "seed-0-*.json"))
	eventually(t, "the first run measures", func() bool { found, err := filepath.Glob(claimed); return err == nil && len(found) == 1 })
	waiting, _, _ := process(args...)
	log := filepath.Join(dir, "log")
	stderr, err := os.Create(log)
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	waiting.Stderr = stderr
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	const want = "1 trials are being measured by another run in the same folder: waiting for it"
	eventually(t, "the second run waits", func() bool { return strings.Contains(read(t, log), want) })
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = holder.Wait()
	if err := waiting.Wait(); err != nil || measuredBy(t, read(t, log)) != 1 {
		t.Errorf("%v\n%s", err, read(t, log))
	}
}

// eventually waits for something for half a minute.
func eventually(t *testing.T, what string, happens func() bool) {
	t.Helper()
	for start := time.Now(); !happens(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > 30*time.Second {
			t.Fatalf("%s: not within half a minute", what)
		}
	}
}

// TestClockMovedBack: files from the future, or from long ago, count like all
// others.
func TestClockMovedBack(t *testing.T) {
	dir := workplace(t)
	var whole undisturbed
	whole.run(t, dir)
	for what, when := range map[string]time.Time{"future": time.Now().AddDate(50, 0, 0), "past": time.Unix(0, 0)} {
		for name := range whole.files {
			if err := os.Chtimes(filepath.Join(dir, "whole", name), when, when); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := inProcess(t, all(dir, "whole")...)
		if code != exitDone || measuredBy(t, stderr) != 0 {
			t.Errorf("%s: exit code %d\n%s", what, code, stderr)
		}
		whole.compare(t, what, stdout, filepath.Join(dir, "whole"))
		kept(t, what, whole.files, folder(t, filepath.Join(dir, "whole")))
	}
}
