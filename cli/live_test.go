package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// loadedSuite has a trial, a latency test and live tests of the toy data.
const loadedSuite = `name: toy-live
title: Toy
protocol: {batch: 20, epochs: 1}
runs:
  - {task: nc, datasets: [toy], models: [user-count]}
  - {task: nc, datasets: [toy], models: [user-count], protocol: {latency: {batches: 20, iterations: 3, lead: 40}}}
  - {task: nc, datasets: [toy], models: ["null", user-count], protocol: {live: {rates: [2000], limits: 100ms, answers: 100, seconds: 0, most_seconds: 0.2}}}
`

// liveWorkplace has the suite beside the toy's data.
func liveWorkplace(t *testing.T, suite string) (dir string) {
	t.Helper()
	dir = workplace(t)
	write(t, filepath.Join(dir, "specs", "toy-live.yaml"), suite)
	return dir
}

// liveArgs are the arguments of a command of the suite.
func liveArgs(dir, command string, more ...string) []string {
	return append([]string{
		command, "--suite", "toy-live", "--data", filepath.Join(dir, "data"),
		"--specs", filepath.Join(dir, "specs"), "--out", filepath.Join(dir, "out"),
	}, more...)
}

// TestLive measures the live tests of a suite alone, and anew each time.
func TestLive(t *testing.T) {
	dir := liveWorkplace(t, loadedSuite)
	for range 2 {
		code, stdout, stderr := bench(liveArgs(dir, "live")...)
		if code != exitDone || !strings.Contains(stderr, "done: 2 models measured, 0 failed; records are in ") || !strings.Contains(stderr, "[8/8] toy: User's event count, 2000 events a second") {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
		for _, want := range []string{"Null model", "User's event count", "2,000", "Made by: bench live --suite toy-live"} {
			if !strings.Contains(stdout, want) {
				t.Errorf("no %q in\n%s", want, stdout)
			}
		}
	}
	if exists(filepath.Join(dir, "out", "toy-live", "toy", "nc")) || exists(filepath.Join(dir, "out", "toy-live", "toy", "nc-latency")) {
		t.Error("it also measures other trials")
	}
	code, stdout, stderr := bench(liveArgs(dir, "live", "--rates", "1e3,3000", "--arrivals", "fixed", "--largest-batch", "7", "--models", "user-count")...)
	for _, want := range []string{"Null model", "Made by: bench live --suite toy-live", "--models user-count", "--rates 1e3,3000 --arrivals fixed --largest-batch 7"} {
		if code != exitDone || !strings.Contains(strings.Join(strings.Fields(stdout), " "), want) {
			t.Errorf("exit code %d, no %q in\n%s%s", code, want, stdout, stderr)
		}
	}
}

// TestLiveSimulated repeats, to the bit, what the service times of measured tests
// give, and says what is missing without them.
func TestLiveSimulated(t *testing.T) {
	dir := liveWorkplace(t, loadedSuite)
	simulated := liveArgs(dir, "live", "--clock", "simulated", "--format", "csv")
	code, _, stderr := bench(simulated...)
	if code != exitUsage || !strings.HasSuffix(stderr, "run the same command without --clock simulated first\n") {
		t.Errorf("without measured ones: exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := bench(liveArgs(dir, "live")...); code != exitDone {
		t.Fatal(stderr)
	}
	_, first, _ := bench(simulated...)
	code, again, stderr := bench(simulated...)
	if code != exitDone || first == "" || again != first {
		t.Errorf("exit code %d\n%s\n%s\nand the first time\n%s", code, stderr, again, first)
	}
}

// TestLiveFailure: exit code 1, and the others are measured.
func TestLiveFailure(t *testing.T) {
	dir := liveWorkplace(t, strings.ReplaceAll(loadedSuite, `["null", user-count]`, `["null", broken, user-count]`))
	write(t, filepath.Join(dir, "specs", "broken.yaml"), "id: broken\nmodel: broken\ntitle: Broken\n")
	code, stdout, stderr := bench(liveArgs(dir, "live")...)
	if code != exitFailed || !strings.Contains(stderr, "2 models measured, 1 failed") {
		t.Errorf("exit code %d\n%s%s", code, stderr, stdout)
	}
}

// TestLiveInAll: all measures trials, latency and live tests; where a record of one
// kind is missing or damaged, it measures that kind again and leaves the others alone.
func TestLiveInAll(t *testing.T) {
	dir := liveWorkplace(t, loadedSuite)
	measure := func(done string) {
		t.Helper()
		code, _, stderr := bench(liveArgs(dir, "all")...)
		if planned := strings.HasPrefix(stderr, "plan: "+done[:1]+" to do: "); code != exitDone || !strings.Contains(stderr, "done: "+done) || planned != (done[0] != '0') {
			t.Fatalf("exit code %d, expected %q and its plan in\n%s", code, done, stderr)
		}
	}
	code, _, stderr := bench(liveArgs(dir, "all")...)
	if first, _, _ := strings.Cut(stderr, "\n"); code != exitDone || !strings.HasPrefix(first, "plan: 4 to do: ") || !strings.Contains(first, ", live tests: ") {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	measure("0 trials measured, 4 found measured")
	records := func(kind string) (texts []string) {
		found, err := filepath.Glob(filepath.Join(dir, "out", "toy-live", "toy", kind, "*", "*.json"))
		if err != nil || len(found) == 0 {
			t.Fatal(kind, found, err)
		}
		for _, file := range found {
			texts = append(texts, read(t, file))
		}
		return texts
	}
	timed, loaded := records("nc-latency"), records("nc-live")
	remove(t, dir, "out/toy-live/toy/nc-live/user-count")
	measure("2 trials measured, 2 found measured")
	if again := records("nc-live"); records("nc-latency")[0] != timed[0] || again[0] == loaded[0] || len(again) != 2 {
		t.Error("expected both live tests measured again, and no latency test")
	}
	loaded = records("nc-live")
	remove(t, dir, "out/toy-live/toy/nc-latency/user-count")
	measure("1 trials measured, 3 found measured")
	if records("nc-live")[0] != loaded[0] {
		t.Error("expected no live test measured again")
	}
	sidecars, _ := filepath.Glob(filepath.Join(dir, "out", "toy-live", "toy", "nc-live", "null", "*.npz"))
	if len(sidecars) != 1 || os.Truncate(sidecars[0], 100) != nil {
		t.Fatal(sidecars)
	}
	measure("2 trials measured, 2 found measured")
	file, _ := filepath.Glob(filepath.Join(dir, "out", "toy-live", "toy", "nc-live", "null", "*.json"))
	write(t, file[0], strings.Replace(read(t, file[0]), `"hand_over":`, `"hand_over":1`, 1))
	if code, _, stderr := bench(liveArgs(dir, "all")...); code != exitUsage || !strings.Contains(stderr, file[0]) {
		t.Errorf("an edited record: exit code %d\n%s", code, stderr)
	}
}

// TestLiveInterrupted: nothing of the dataset is kept, and the same command continues.
func TestLiveInterrupted(t *testing.T) {
	dir := liveWorkplace(t, loadedSuite)
	for command, says := range map[string]string{"live": "interrupted; datasets that were finished have their records in ", "all": "interrupted"} {
		ctx, cancel := context.WithCancel(t.Context())
		stdout, stderr := &bytes.Buffer{}, &stopAt{text: "Null model, one by one", stop: cancel}
		code := run(ctx, liveArgs(dir, command), stdout, stderr)
		cancel()
		if code != exitInterrupted || stdout.Len() > 0 || !strings.Contains(stderr.String(), says) || exists(filepath.Join(dir, "out", "toy-live", "toy", "nc-live")) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command, code, stdout, stderr)
		}
	}
	if code, _, stderr := bench(liveArgs(dir, "all")...); code != exitDone || !strings.Contains(stderr, "2 trials measured, 2 found measured") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
}

// TestLiveDryRun lists what would be measured of a suite with and without live tests.
func TestLiveDryRun(t *testing.T) {
	dir := liveWorkplace(t, loadedSuite)
	for _, c := range []struct {
		more []string
		want string
	}{
		{nil, "2 trials would be measured"},
		{[]string{"--models", "user-count", "--clock", "simulated"}, "2 trials would be measured"},
		{[]string{"--suite", "toy"}, "8 trials would be measured"},
		{[]string{"--suite", "toy", "--tasks", "lp", "--models", "edgebank+tw"}, "2 trials would be measured"},
	} {
		code, stdout, stderr := bench(liveArgs(dir, "live", append(c.more, "--dry-run")...)...)
		if code != exitDone || stderr != "" || !strings.Contains(stdout, c.want) || !strings.Contains(stdout, " null ") {
			t.Errorf("%q: exit code %d, no %q or null model in\n%s%s", c.more, code, c.want, stdout, stderr)
		}
	}
	if exists(filepath.Join(dir, "out")) {
		t.Error("it leaves something")
	}
}

// TestLiveWrongUse: exit code 2 and one line.
func TestLiveWrongUse(t *testing.T) {
	dir := liveWorkplace(t, loadedSuite)
	write(t, filepath.Join(dir, "specs", "unquoted.yaml"), strings.Replace(strings.Replace(loadedSuite, `"null"`, "null", 1), "toy-live", "unquoted", 1))
	write(t, filepath.Join(dir, "specs", "elsewhere.yaml"), strings.Replace(strings.Replace(loadedSuite, "models: [user-count]}", `models: ["null"]}`, 1), "toy-live", "elsewhere", 1))
	const rates, limit = "--rates: expected a whole number of events a second from 1 to 1000000, as in 1e4, found ", "--limit: expected a duration from 10us to 1h, as in 10ms, found "
	for _, c := range []struct{ args, want string }{
		{"--rates 0", rates + `"0"`},
		{"--rates 1e3,-5", rates + `"-5"`},
		{"--rates NaN", rates + `"NaN"`},
		{"--rates Inf", rates + `"Inf"`},
		{"--rates 1e9", rates + `"1e9"`},
		{"--rates 1.5", rates + `"1.5"`},
		{"--rates 1e3,many", rates + `"many"`},
		{"--rates 10,,20", rates + `""`},
		{"--limit 0s", limit + `"0s"`},
		{"--limit 1ns", limit + `"1ns"`},
		{"--limit 10ms,-1ms", limit + `"-1ms"`},
		{"--limit 10", limit + `"10"`},
		{"--limit abc", limit + `"abc"`},
		{"--limit 2h", limit + `"2h"`},
		{"--clock wall", `--clock is "wall", expected machine or simulated`},
		{"--arrivals bursts", `--arrivals is "bursts", expected poisson, fixed or stream`},
		{"--largest-batch 0", `"0" for "--largest-batch" flag: expected a whole number from 1 to 100000`},
		{"--threads 0", "--threads is 0, expected 1 to 1024"},
		{"--format pdf", `--format is "pdf", expected`},
		{"--models dgs", `suite "toy-live" has no model "dgs"`},
		{"--suite toy-t", `unknown suite "toy-t"`},
		{"--suite unquoted", `models[0]: expected text in quotes, as in "null", found nothing`},
		{"--suite elsewhere", "models[0]: model \"null\" answers at once with nothing, expected it in runs with `live:`"},
		{"--suite latency-small", "suite latency-small has nothing that live tests can load: expected trials with settings: [T]"},
	} {
		for _, more := range [][]string{nil, {"--dry-run"}} {
			code, stdout, stderr := bench(liveArgs(dir, "live", append(strings.Fields(c.args), more...)...)...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("bench live %s: exit code %d, stdout %q, stderr %q; expected exit code 2 and one line with %q", c.args, code, stdout, stderr, c.want)
			}
		}
	}
	if exists(filepath.Join(dir, "out")) {
		t.Error("something was written")
	}
}
