package cli

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dgsbench/datasets"

	"github.com/spf13/cobra"
)

// noJSON are commands that print nothing a program would read, and why.
var noJSON = map[string]string{
	"bench all": "bench results", "bench run": "bench results", "bench tables": "bench results", "bench report": "a page",
	"bench init": "writes a file", "bench data fetch": "writes a file", "bench data import": "makes a dataset", "bench data remove": "removes one",
	"bench help": "help", "bench completion bash": "a script", "bench completion zsh": "a script", "bench completion fish": "a script",
	"bench completion powershell": "a script", "bench serve-model": "a protocol of its own", "bench score": "answers JSON lines with JSON lines",
	"bench export": "writes a file", "bench cancel": "bench status", "bench work": "a report in the job's folder",
}

// snakeCase is what keys look like, those of options and percentiles with dots.
var snakeCase = regexp.MustCompile(`^[a-z0-9]+([_.][a-z0-9]+)*$`)

// checkKeys fails where a key of the value, at any depth, is not in snake case.
func checkKeys(t *testing.T, command string, value any) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for _, v := range value {
			checkKeys(t, command, v)
		}
	case map[string]any:
		for key, v := range value {
			if !snakeCase.MatchString(key) {
				t.Errorf("%s --json: key %q", command, key)
			}
			checkKeys(t, command, v)
		}
	}
}

// TestEveryListHasJSON runs every command that prints facts with --json: one value,
// with keys in snake case, and nothing else.
func TestEveryListHasJSON(t *testing.T) {
	dir := accepted(t)
	t.Cleanup(func() { datasets.SetImported(nil) })
	data := []string{"--data", filepath.Join(dir, "data")}
	write(t, filepath.Join(dir, "specs", "toy-latency.yaml"), latencySuite)
	write(t, filepath.Join(dir, "specs", "toy-live.yaml"), loadedSuite)
	if code, _, stderr := bench(append([]string{"run", "--seeds", "1"}, append(data, where(dir)...)...)...); code != exitDone {
		t.Fatal(stderr)
	}
	if code, _, stderr := bench(append([]string{"run", "--seeds", "2", "--on", "local"}, append(data, where(dir)...)...)...); code != exitDone {
		t.Fatal(stderr)
	}
	write(t, filepath.Join(dir, "data", "edges.csv"), "src,dst,t\na,b,1\nb,c,2\nc,a,3\nd,a,4\n")
	if code, _, stderr := bench(append([]string{
		"data", "import", filepath.Join(dir, "data", "edges.csv"), "--name", "edges", "--src", "src", "--dst", "dst", "--time", "t", "--split-by", "row",
	}, data...)...); code != exitDone {
		t.Fatal(stderr)
	}
	arguments := map[string][]string{
		"bench plan": append(data, where(dir)...), "bench results": where(dir), "bench status": {"--out", filepath.Join(dir, "out")},
		"bench tune":    append([]string{"--model", "raw", "--dataset", "toy", "--task", "nc", "--trials", "1", "--random", "1", "--epochs", "1", "--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, "tuned")}, data...),
		"bench latency": append([]string{"--models", "user-count"}, latencyArgs(dir)[1:]...),
		"bench live":    liveArgs(dir, "live")[1:],
		"bench scale":   {"user-count", "--sweep", "length=200", "--out", filepath.Join(dir, "scale")},
		"bench check":   append([]string{"--suite", "toy", "--specs", filepath.Join(dir, "specs"), "--baseline", filepath.Join(dir, "toy.json")}, data...),
		"bench suites":  data, "bench models": {}, "bench spec show": {"dgs"}, "bench doctor": {}, "bench version": {},
		"bench data list": data, "bench data stats": append([]string{"edges"}, data...),
		"bench data verify": data, "bench data names": append([]string{"edges"}, data...),
	}
	page := read(t, "..", "docs", "json.md")
	eachCommand(newRoot(nil, nil), func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.HasSubCommands() {
			return
		}
		why, without := noJSON[path]
		if has := cmd.Flags().Lookup("json") != nil; has == without {
			t.Errorf("%s has --json: %v; listed as without it: %q", path, has, why)
			return
		}
		if without {
			return
		}
		args, known := arguments[path]
		if !known || !strings.Contains(page, "`"+path+"`") {
			t.Errorf("%s has --json: give arguments here, and a row in docs/json.md", path)
			return
		}
		words := append(append(strings.Fields(path)[1:], args...), "--json")
		code, stdout, stderr := bench(words...)
		var value any
		if err := json.Unmarshal([]byte(stdout), &value); err != nil || code != exitDone {
			t.Errorf("bench %s: exit code %d, %v\n%s%s", strings.Join(words, " "), code, err, stdout, stderr)
		}
		checkKeys(t, path, value)
		if list, isList := value.([]any); isList && len(list) == 0 {
			t.Errorf("%s --json: an empty list checks nothing", path)
		}
	})
}
