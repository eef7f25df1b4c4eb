package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"
)

// scored is an imported dataset with checkpoints of models that were trained on it.
type scored struct {
	dir    string
	header string
	test   []string // lines of the test part
}

const scoredModels = "raw, logistic+velocity, graph-sprints, dgs, dgs-sum, tgn-id, tgn-attn, jodie"

// newScored imports a stream of that many events, and trains on three tenths of it.
func newScored(t *testing.T, events int, models string) scored {
	t.Helper()
	s := scored{dir: t.TempDir(), header: "card,fraud,shop,paid at,channel,amount"}
	rng := rand.New(rand.NewPCG(3, 3))
	lines := []string{s.header}
	for k := range events {
		amount := "" // missing
		if k%9 > 0 {
			amount = strconv.FormatFloat(rng.ExpFloat64()*40, 'f', 2, 64)
		}
		card := rng.IntN(50)
		lines = append(lines, fmt.Sprintf(`card number %d,%d,"shop, %d",2024-05-%02dT%02d:%02d:%02dZ,%s,%s`, card, rng.IntN(card+1)&rng.IntN(2)&1, rng.IntN(20)*(card%3+1),
			1+k*20/86400, k*20/3600%24, k*20/60%60, k*20%60, []string{"app", "web", "phone"}[rng.IntN(3)], amount))
	}
	s.test = lines[1+events/2:]
	file := filepath.Join(s.dir, "events.csv")
	write(t, file, strings.Join(lines, "\n")+"\n")
	write(t, filepath.Join(s.dir, "cards.yaml"), "name: cards\ntitle: Cards\nseeds: 1\nprotocol: {batch: 10, epochs: 1}\nruns:\n  - {task: nc, datasets: [cards], models: ["+models+"]}\n")
	for _, args := range [][]string{
		{
			"data", "import", file, "--data", s.dir, "--name", "cards", "--src", "card", "--dst", "shop", "--bipartite", "--time", "paid at", "--label", "fraud",
			"--features", "amount", "--categories", "channel", "--missing", "mean", "--split", "0.3,0.5", "--split-by", "row",
		},
		{"run", filepath.Join(s.dir, "cards.yaml"), "--data", s.dir, "--out", s.dir, "--checkpoints"},
	} {
		if code, stdout, stderr := bench(args...); code != exitDone {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, stdout, stderr)
		}
	}
	return s
}

// model returns the checkpoint of a model, and the scores of the test part in its record.
func (s scored) model(t *testing.T, ref string) (path string, want []float64) {
	t.Helper()
	return s.suiteModel(t, "cards", ref)
}

func (s scored) suiteModel(t *testing.T, suite, ref string) (path string, want []float64) {
	t.Helper()
	store := record.Store{Dir: s.dir}
	all, _, err := store.Load(suite)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if strings.TrimSuffix(r.Key.Model+"+"+r.Key.Variant, "+") != ref {
			continue
		}
		facts, err := store.Facts(r)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(store.Path(r.Key, r.Identity), ".json") + ".safetensors", probabilities(facts[record.Part{Split: protocol.Test}])
	}
	t.Fatalf("no record of %s", ref)
	return "", nil
}

func probabilities(f metrics.Facts) (p []float64) {
	for _, x := range f.Score {
		p = append(p, 1/(1+math.Exp(-float64(x))))
	}
	return p
}

// score returns what bench score answers to an input.
func (s scored) score(t *testing.T, input string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd, out, err := process(append([]string{"score"}, args...)...)
	cmd.Stdin = strings.NewReader(input)
	if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
		t.Fatal(e)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// column returns the numbers of a column of a CSV file.
func column(t *testing.T, text, name string) (out []float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, row := range rows[1:] {
		x, err := strconv.ParseFloat(row[slices.Index(rows[0], name)], 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, x)
	}
	return out
}

// TestScore: from lines of the user's file come the scores of the record, bit for bit, as
// CSV and as JSON; events of --history and a state that is continued count alike.
func TestScore(t *testing.T) {
	s := newScored(t, 600, scoredModels)
	whole := s.header + "\n" + strings.Join(s.test, "\n")
	for ref := range strings.SplitSeq(scoredModels, ", ") {
		t.Run(ref, func(t *testing.T) {
			model, want := s.model(t, ref)
			code, out, stderr := s.score(t, whole, model, "--batch", "10", "--threshold", "0.5", "--threads", "2")
			if code != exitDone {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			if got := column(t, out, "score"); !slices.Equal(got, want) {
				t.Errorf("scores %v, the record has %v", got, want)
			}
			for k, alert := range column(t, out, "alert") {
				if (alert == 1) != (want[k] >= .5) {
					t.Errorf("alert %v with the score %v", alert, want[k])
				}
			}
			if seq := column(t, out, "seq"); seq[0] != 300 || seq[len(seq)-1] != 599 {
				t.Errorf("events %v to %v", seq[0], seq[len(seq)-1])
			}

			code, lines, stderr := s.score(t, jsonLines(t, whole), model, "--batch", "10", "-q")
			if code != exitDone || stderr != "" {
				t.Fatalf("exit code %d\n%s", code, stderr)
			}
			for k, line := range strings.Split(strings.TrimSpace(lines), "\n") {
				var object struct {
					Card  string
					Score float64
				}
				if err := json.Unmarshal([]byte(line), &object); err != nil || object.Score != want[k] || object.Card == "" {
					t.Fatalf("%v: %s, expected the score %v", err, line, want[k])
				}
			}

			_, oneByOne, _ := s.score(t, whole, model)
			before := filepath.Join(t.TempDir(), "before.csv")
			write(t, before, s.header+"\n"+strings.Join(s.test[:100], "\n"))
			state := filepath.Join(t.TempDir(), "state")
			_, first, stderr := s.score(t, s.header+"\n"+strings.Join(s.test[100:200], "\n"), model, "--history", before, "--state", state)
			_, second, more := s.score(t, s.header+"\n"+strings.Join(s.test[200:], "\n"), model, "--state", state)
			if got := append(column(t, first, "score"), column(t, second, "score")...); !slices.Equal(got, column(t, oneByOne, "score")[100:]) {
				t.Errorf("scores after a history differ\n%s%s", stderr, more)
			}
		})
	}
}

// jsonLines returns a CSV file as JSON lines.
func jsonLines(t *testing.T, text string) string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, row := range rows[1:] {
		object := map[string]any{}
		for i, name := range rows[0] {
			object[name] = row[i]
			if x := json.Number(row[i]); name == "amount" && x != "" {
				object[name] = x
			}
		}
		line, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(line, '\n'))
	}
	return out.String()
}

// TestScoreKilled kills bench score at twenty moments, and goes on each time after the
// last answer that came. No answer changes, and the state in the end has the same bits.
func TestScoreKilled(t *testing.T) {
	s := newScored(t, 6000, "dgs")
	model, _ := s.model(t, "dgs")
	undisturbed, killed := filepath.Join(t.TempDir(), "undisturbed"), filepath.Join(t.TempDir(), "killed")
	whole := s.header + "\n" + strings.Join(s.test, "\n") + "\n"
	code, out, stderr := s.score(t, whole, model, "--state", undisturbed)
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	want := strings.Split(strings.TrimSpace(out), "\n")[1:]
	rng := rand.New(rand.NewPCG(9, 9))
	var got []string
	for kill := range 21 {
		last := len(s.test) // to the end, the last time
		if kill < 20 {
			last = min(last-1, len(got)+1+rng.IntN(2*len(s.test)/21))
		}
		got = append(got, s.untilKilled(t, model, killed, got, last)...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%d answers, expected %d, or others", len(got), len(want))
	}
	if a, b := read(t, undisturbed, "snapshot.safetensors"), read(t, killed, "snapshot.safetensors"); a != b {
		t.Error("the states differ")
	}
}

// startPiped starts a process whose input and output the test writes and reads.
func startPiped(t *testing.T, cmd *exec.Cmd) (in io.WriteCloser, out io.ReadCloser) {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if out, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return in, out
}

// untilKilled goes on with the lines after those that were answered, and kills the
// process when it has read about as many as last; or it ends with the input. It returns
// the answers that came.
func (s scored) untilKilled(t *testing.T, model, state string, answered []string, last int) (answers []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "score", model, "--state", state, "--from", strconv.Itoa(3000+len(answered)))
	cmd.Env = append(os.Environ(), child+"=1")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	in, out := startPiped(t, cmd)
	go func() {
		if last == len(s.test) {
			defer in.Close() // else it waits for more until it is killed
		}
		fmt.Fprintln(in, s.header)
		for _, line := range s.test[len(answered):] {
			if _, err := fmt.Fprintln(in, line); err != nil {
				return
			}
		}
	}()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), s.header) {
			continue
		}
		if answers = append(answers, lines.Text()); len(answered)+len(answers) == last && last < len(s.test) {
			cmd.Process.Kill()
			break // what was written and not read was acknowledged to nobody
		}
	}
	io.Copy(io.Discard, out)
	if err := cmd.Wait(); (err == nil) != (last == len(s.test)) {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	return answers
}

// TestScoreWrongUse: one message that says what is wrong and where, and exit code 2; the
// answers before it are there.
func TestScoreWrongUse(t *testing.T) {
	s := newScored(t, 400, "dgs, tgn-attn, label-rate")
	model, _ := s.model(t, "dgs")
	other, _ := s.model(t, "tgn-attn")
	state := filepath.Join(t.TempDir(), "state")
	line := s.test[0]
	if code, _, stderr := s.score(t, s.header+"\n"+line, model, "--state", state); code != exitDone {
		t.Fatal(stderr)
	}
	for _, c := range []struct {
		input, message string
		args           []string
	}{
		{"", "no such file", []string{"nowhere.safetensors"}},
		{"card,shop\n", `no column "paid at"`, []string{model}},
		{s.header + ",score\n", `a column "score"`, []string{model}},
		{s.header + "\n" + line + ",1", "standard input:2: 7 fields, expected 6", []string{model}},
		{s.header + "\n" + strings.Replace(line, "2024", "24", 1), "standard input:2: column paid at", []string{model}},
		{s.header + "\n" + s.test[9] + "\n" + line, "standard input:3: column paid at", []string{model}},
		{"{\"card\": \"x\"}\n", "standard input:1: column shop", []string{model}},
		{"{\"card\": {}}\n", `standard input:1: key "card"`, []string{model}},
		{"{\"card\"\n", "standard input:1: expected a JSON object", []string{model}},
		{"", "expected a score such as 0.9", []string{model, "--threshold", "5%"}},
		{"", "at least 0", []string{model, "--threshold", "-5/day"}},
		{"", "--from needs --state", []string{model, "--from", "3"}},
		{"", "--batch is 0", []string{model, "--batch", "0"}},
		{"", " nodes, expected at most 10", []string{model, "--max-nodes", "10"}},
		{"", "serves without Evict", []string{other, "--evict"}},
		{"", "a state of another model", []string{other, "--state", state}},
		{"", "--from is 900, and the state goes on with event 201", []string{model, "--state", state, "--from", "900"}},
		{s.header + "\n" + line, "the answer to event 199 is not in the log anymore", []string{model, "--state", state, "--from", "199"}},
		{"", "has begun", []string{model, "--state", state, "--history", filepath.Join(s.dir, "events.csv")}},
		{"", "up to line", []string{model, "--history", filepath.Join(s.dir, "events.csv")}},
	} {
		code, _, stderr := s.score(t, c.input, c.args...)
		if lines := strings.Split(strings.TrimSpace(stderr), "\n"); code != exitUsage || !strings.Contains(lines[len(lines)-1], c.message) {
			t.Errorf("%v with %.80q: exit code %d, expected %d and %q\n%s", c.args[1:], c.input, code, exitUsage, c.message, stderr)
		}
	}
	bad := s.header + "\n" + line + "\nx\n" + s.test[1] + "\n"
	if code, out, _ := s.score(t, bad, model); code != exitUsage || strings.Count(out, "\n") != 2 {
		t.Errorf("exit code %d, and the answer before a bad line is\n%s", code, out)
	}
	code, out, stderr := s.score(t, bad, model, "--keep-going", "--threshold", "20/day")
	if lines := strings.Split(out, "\n"); code != exitFailed || len(lines) != 5 || lines[2] != "x,,," || !strings.Contains(stderr, "standard input:3: 1 fields") {
		t.Errorf("--keep-going: exit code %d\n%s%s", code, out, stderr)
	}
}

// TestScoreAtOnce: a line is answered before the next one is there, and an interruption
// keeps what was answered.
func TestScoreAtOnce(t *testing.T) {
	s := newScored(t, 400, "dgs")
	model, _ := s.model(t, "dgs")
	state := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "score", model, "--state", state)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Env = append(os.Environ(), child+"=1")
	in, out := startPiped(t, cmd)
	answers := bufio.NewScanner(out)
	for k, line := range append([]string{s.header}, s.test[:5]...) {
		fmt.Fprintln(in, line)
		if !answers.Scan() || !strings.HasPrefix(answers.Text(), line+",") {
			t.Fatalf("line %d: answer %q", k+1, answers.Text())
		}
	}
	cancel()
	if cmd.Wait(); cmd.ProcessState.ExitCode() != exitInterrupted {
		t.Errorf("%v", cmd.ProcessState)
	}
	code, again, stderr := s.score(t, s.header+"\n"+strings.Join(s.test[3:6], "\n"), model, "--state", state, "--from", "203")
	if code != exitDone {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if seq := column(t, again, "seq"); !slices.Equal(seq, []float64{203, 204, 205}) {
		t.Errorf("events %v", seq)
	}
}
