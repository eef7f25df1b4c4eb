package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dgsbench/datasets"
)

// completed returns what bench offers for the last of the words, as shells do: what
// begins with it, without descriptions.
func completed(t *testing.T, words ...string) (offered []string) {
	t.Helper()
	code, stdout, stderr := bench(append([]string{"__complete"}, words...)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if code != exitDone || !strings.HasPrefix(lines[len(lines)-1], ":") {
		t.Fatalf("bench __complete %q: exit code %d\n%s%s", words, code, stdout, stderr)
	}
	for _, line := range lines[:len(lines)-1] {
		if word, _, _ := strings.Cut(line, "\t"); strings.HasPrefix(word, words[len(words)-1]) {
			offered = append(offered, word)
		}
	}
	return offered
}

// withImport is a workplace with the spec of a model and an imported dataset, where the test is.
func withImport(t *testing.T) {
	t.Helper()
	t.Chdir(workplace(t))
	t.Cleanup(func() { datasets.SetImported(nil) })
	write(t, filepath.Join("specs", "mine.yaml"), "id: rawest\nmodel: raw\ntitle: My Raw\n")
	write(t, filepath.Join("specs", "tabs.yaml"), "name: tabs\nruns: []\ntitle: \"My\\tSuite\"\n")
	if code, _, stderr := bench("data", "import", "data/toy.csv", "--name", "tours", "--src", "src", "--dst", "dst", "--time", "t"); code != exitDone {
		t.Fatal(stderr)
	}
}

// TestCompletion: names that exist, also those of the folders of the flags.
func TestCompletion(t *testing.T) {
	withImport(t)
	for line, want := range map[string]string{
		"all --suite qu":                          "quick",
		"all --suite to":                          "torch-lp torch-nc",
		"all --specs specs --suite to":            "torch-lp torch-nc toy",
		"run --specs specs --models raw,rawe":     "raw,rawest",
		"run --models raw,raw+":                   "raw,raw+velocity",
		"run --datasets shop-sim,tou":             "shop-sim,tours",
		"run --data nowhere --datasets tou":       "",
		"all --dataset tou":                       "tours",
		"all --tasks nc,":                         "nc,lp",
		"all --device cu":                         "cuda",
		"tables --format la":                      "latex",
		"results --format ":                       "csv json",
		"spec show edge":                          "edgebank edgebank+tw",
		"spec show dgs --setting ":                "T I",
		"spec show dgs --dataset shop":            "shop-sim",
		"scale user-c":                            "user-count",
		"scale user-count --sweep le":             "length=",
		"data stats wikipedia-n":                  "wikipedia-nofeat",
		"data stats tours to":                     "",
		"data remove ":                            "tours",
		"data verify tours wikipedia-n":           "wikipedia-nofeat",
		"data fetch wikipedia-n":                  "",
		"data fetch wikip":                        "wikipedia",
		"data import toy.csv --time-unit m":       "ms",
		"live --arrivals ":                        "poisson fixed stream",
		"live --clock s":                          "simulated",
		"data im":                                 "import",
		"models ":                                 "",
		"completion ":                             "bash zsh fish powershell",
		"all --specs nowhere --suite qu":          "",
		"tune --model raw --dataset toy --task l": "lp",
	} {
		got := strings.Join(completed(t, strings.Split(line, " ")...), " ")
		if got != want {
			t.Errorf("bench %s: offers %q, expected %q", line, got, want)
		}
	}
	if code, stdout, _ := bench("__complete", "all", "--specs", "specs", "--suite", "ta"); code != exitDone || !strings.Contains(stdout, "\ntabs\tMy␉Suite\n") {
		t.Errorf("a title with a tab: %q", stdout)
	}
}

// TestCompletionIsQuickAndReads: it takes under 100 ms, so that nobody waits, and writes nothing.
func TestCompletionIsQuickAndReads(t *testing.T) {
	withImport(t)
	before := tree(t)
	limit := max(100*time.Millisecond, 7*quickest(t, "version")) // the race detector slows everything down
	for _, words := range [][]string{{"all", "--suite", ""}, {"all", "--models", ""}, {"data", "stats", ""}} {
		if best := quickest(t, append([]string{"__complete"}, words...)...); best > limit {
			t.Errorf("%q takes %v of processor time, expected at most %v", words, best, limit)
		}
	}
	if after := tree(t); !slices.Equal(after, before) {
		t.Errorf("files were %q, and are %q", before, after)
	}
}

// quickest returns the processor time of bench, the best of five.
func quickest(t *testing.T, args ...string) time.Duration {
	t.Helper()
	best := time.Hour
	for range 5 {
		cmd, _, stderr := process(args...)
		if err := cmd.Run(); err != nil {
			t.Fatal(err, stderr)
		}
		best = min(best, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	t.Logf("%q: %v", args, best)
	return best
}

// tree lists all that is in the current folder, with sizes and times.
func tree(t *testing.T) (files []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		files = append(files, path+" "+info.ModTime().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestShells asks real shells what they complete.
func TestShells(t *testing.T) {
	const bashCompletion = "/usr/share/bash-completion/bash_completion"
	scripts := map[string]string{
		"bash": "source " + bashCompletion + "\nsource <(bench completion bash)\n" +
			`COMP_WORDS=(bench all --suite qu) COMP_CWORD=3 COMP_LINE="bench all --suite qu" COMP_POINT=20 COMP_TYPE=9; __start_bench; echo "<${COMPREPLY[*]}>"`,
		"fish": `bench completion fish | source; echo "<"(complete -C "bench all --suite qu" | cut -f1)">"`,
		"zsh": "zmodload zsh/zpty\nzpty inner zsh -f -i\n" +
			"zpty -w inner 'PS1=; autoload -U compinit; compinit -u -D; source <(bench completion zsh); echo re\"\"ady'\n" +
			"zpty -r -m inner line '*ready*'\n" +
			"zpty -w -n inner $'echo \"<\" ; bench all --suite qu\\t'\n" +
			"zpty -r -m inner line '*quick *'; echo '<quick>'; zpty -d inner\n",
	}
	dir := t.TempDir()
	program, err := os.Executable()
	if err == nil {
		err = os.Symlink(program, filepath.Join(dir, "bench"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for shell, script := range scripts {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip("no", shell)
			}
			if _, err := os.Stat(bashCompletion); shell == "bash" && err != nil {
				t.Skip("no bash-completion, which the script needs")
			}
			cmd := exec.CommandContext(t.Context(), shell, "-c", script)
			cmd.Dir, cmd.WaitDelay = dir, time.Minute
			cmd.Env = append(os.Environ(), child+"=1", "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "TERM=dumb")
			got, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(got), "<quick>") {
				t.Errorf("%v, offers\n%s", err, got)
			}
		})
	}
}
