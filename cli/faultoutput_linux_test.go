package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"

	"github.com/spf13/cobra"
)

// toFull runs bench in this process with a full disk as standard output.
func toFull(t *testing.T, args ...string) (code int, stderr string) {
	t.Helper()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var errs bytes.Buffer
	code = run(t.Context(), args, full, &errs)
	return code, errs.String()
}

// commands are all of a tree that do something, and those that only have
// others below them.
func commands(c *cobra.Command) (leaves, groups []string) {
	if !c.HasSubCommands() {
		return []string{c.CommandPath()}, nil
	}
	groups = []string{c.CommandPath()}
	for _, sub := range c.Commands() {
		l, g := commands(sub)
		leaves, groups = append(leaves, l...), append(groups, g...)
	}
	return leaves, groups
}

// TestFullOutput: whatever a command prints, in whatever format, it ends with
// exit code 1 and one message where that cannot be written.
func TestFullOutput(t *testing.T) {
	dir := latencyWorkplace(t, latencySuite)
	if code, _, stderr := bench(all(dir, "out", "--seeds", "2")...); code != exitDone {
		t.Fatal(stderr)
	}
	if code, _, stderr := checked(dir, "--accept"); code != exitDone {
		t.Fatal(stderr)
	}
	if code, _, stderr := bench(all(dir, "models", "--seeds", "1", "--models", "raw", "--checkpoints")...); code != exitDone {
		t.Fatal(stderr)
	}
	models, err := filepath.Glob(filepath.Join(dir, "models", "toy", "toy", "nc", "raw", "*.safetensors"))
	if err != nil || len(models) != 1 {
		t.Fatalf("%v, %v", models, err)
	}
	data := " --data " + filepath.Join(dir, "data")
	out := " --out " + filepath.Join(dir, "out")
	toy := " --suite toy --seeds 2 --specs " + filepath.Join(dir, "specs")
	timed := data + out + " --suite toy-latency --models user-count --specs " + filepath.Join(dir, "specs")
	write(t, filepath.Join(dir, "specs", "toy-live.yaml"), loadedSuite)
	loaded := strings.Replace(timed, "toy-latency", "toy-live", 1)
	check := data + " --suite toy --baseline " + filepath.Join(dir, "toy.json") + " --specs " + filepath.Join(dir, "specs")
	tune := " --model raw --dataset toy --task nc --trials 2 --random 2 --epochs 1" + data + out
	scale := " user-count --sweep length=100 --nodes 50" + out
	silent := map[string]bool{"bench run": true, "bench init": true, "bench report": true, "bench data remove": true, "bench score": true, "bench work": true, "bench cancel": true}
	imported := func(name string) string {
		return fmt.Sprintf("data import %s --name %s --src src --dst dst --time t", filepath.Join(dir, "data", "toy.csv"), name) + data
	}
	for _, name := range []string{"kept", "gone"} {
		if code, _, stderr := bench(strings.Fields(imported(name))...); code != exitDone {
			t.Fatal(stderr)
		}
	}
	jobs := filepath.Join(dir, "jobs")
	if code, _, stderr := bench(strings.Fields("run --on local --out " + jobs + toy + data)...); code != exitDone {
		t.Fatal(stderr)
	}
	variants := map[string][]string{
		"bench all":         {toy + data + out, toy + data + out + " --dry-run"},
		"bench run":         {toy + data + out},
		"bench init":        {" --dataset toy" + data + " " + filepath.Join(dir, "init.yaml")},
		"bench plan":        {toy + data + out, toy + data + out + " --json", toy + data + out + " --dry-run", toy + data + " --on local --out " + filepath.Join(dir, "planned")},
		"bench status":      {" --out " + jobs, " --json --out " + jobs},
		"bench cancel":      {" --out " + jobs},
		"bench work":        {" " + filepath.Join(jobs, ".dgsbench", "cluster", "toy") + " 1"},
		"bench tables":      {toy + out, toy + out + " --format markdown", toy + out + " --format latex", toy + out + " --format html", toy + out + " --format csv"},
		"bench report":      {filepath.Join(dir, "page.html") + toy + out},
		"bench results":     {toy + out, toy + out + " --format json"},
		"bench suites":      {"", " --json"},
		"bench models":      {"", " --json"},
		"bench data list":   {data},
		"bench data stats":  {" toy" + data, " toy --json" + data},
		"bench data import": {strings.TrimPrefix(imported("again"), "data import")},
		"bench data names":  {" kept" + data, " kept --json" + data},
		"bench data remove": {" gone" + data},
		"bench data verify": {data},
		"bench data fetch":  {" wikipedia --dry-run" + data},
		"bench spec show":   {" dgs"},
		"bench doctor":      {" --json"}, // takes seconds
		"bench scale":       {scale, scale + " --format markdown", scale + " --format csv", scale + " --format json", scale + " --dry-run"},
		"bench latency":     {timed, timed + " --format markdown", timed + " --format latex", timed + " --format html", timed + " --format csv", timed + " --json", timed + " --dry-run"},
		"bench live":        {loaded, loaded + " --format csv", loaded + " --json", loaded + " --dry-run"},
		"bench check":       {check, check + " --json", check + " --dry-run"},
		"bench tune":        {tune, tune + " --json", tune + " --dry-run", tune + " --dry-run --json"},
		"bench serve-model": {" raw"},
		"bench score":       {models[0]}, // of no events: TestScoreToFullDevice has some
		"bench export":      {models[0] + " " + filepath.Join(dir, "raw.onnx")},
		"bench version":     {""},
		"bench help":        {"", " run"},
	}
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		variants["bench completion "+shell] = []string{""}
	}
	t.Cleanup(func() { datasets.SetImported(nil) })
	root := newRoot(&output{}, &output{})
	leaves, groups := commands(root)
	for _, name := range leaves {
		if len(variants[name]) == 0 {
			t.Errorf("%s: not tried out", name)
		}
		groups = append(groups, name+" --help")
	}
	for _, name := range groups {
		variants[name] = append(variants[name], "")
	}
	for name, all := range variants {
		for _, v := range all {
			line := strings.TrimPrefix(name+" "+v, "bench")
			want, message := exitFailed, "standard output: write /dev/full: no space left on device\n"
			if silent[name] {
				want, message = exitDone, ""
			}
			code, stderr := toFull(t, strings.Fields(line)...)
			if code != want || want == exitFailed && (!strings.HasSuffix(stderr, message) || strings.Count("\n"+stderr, "\nbench: ") != 1) {
				t.Errorf("bench%s: exit code %d, expected %d\n%s", line, code, want, stderr)
			}
		}
	}
}

// TestVersionToFullDevice: the same of the program itself.
func TestVersionToFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	cmd, _, stderr := process("version")
	cmd.Stdout = full
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || stderr.String() != "bench: standard output: write /dev/stdout: no space left on device\n" {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestScoreToFullDevice: answers that cannot be written end bench score with 1; they are
// given again.
func TestScoreToFullDevice(t *testing.T) {
	s := newScored(t, 400, "raw")
	model, _ := s.model(t, "raw")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	input, state := s.header+"\n"+s.test[0], filepath.Join(t.TempDir(), "state")
	cmd, _, stderr := process("score", model, "--state", state, "-q")
	cmd.Stdout, cmd.Stdin = full, strings.NewReader(input)
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitFailed || stderr.String() != "bench: standard output: write /dev/stdout: no space left on device\n" {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, out, again := s.score(t, input, model, "--state", state, "--from", "200"); code != exitDone || !strings.Contains(out, s.test[0]+",200,") {
		t.Errorf("exit code %d\n%s%s", code, out, again)
	}
}
