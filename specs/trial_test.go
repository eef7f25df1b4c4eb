package specs_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/internal/golden"
	"dgsbench/protocol"
	"dgsbench/specs"
)

func toyTrials(t *testing.T, f specs.Filter) []specs.Trial {
	t.Helper()
	s, err := toyLibrary(t).LoadSuite("toys")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := s.Trials(f)
	if err != nil {
		t.Fatal(err)
	}
	return trials
}

func trialLines(trials []specs.Trial) string {
	var lines []string
	for _, t := range trials {
		lines = append(lines, fmt.Sprint(t.Task, " ", t.Setting, " ", t.Dataset, " ", t.Ref(), " ", t.Seed))
	}
	return strings.Join(lines, "\n")
}

// Trials come in the suite's order, seeds side by side, and what cannot
// learn runs once.
func TestTrials(t *testing.T) {
	tests := []struct {
		name   string
		filter specs.Filter
		want   string
	}{
		{"all", specs.Filter{}, `lp I wikipedia-nofeat toy 0
lp I wikipedia-nofeat toy 1
lp I wikipedia-nofeat toy+steep 0
lp I wikipedia-nofeat toy+steep 1
lp I wikipedia-nofeat toy-rule 0
lp T wikipedia-nofeat toy 0
lp T wikipedia-nofeat toy 1
lp T wikipedia-nofeat toy+steep 0
lp T wikipedia-nofeat toy+steep 1
lp T wikipedia-nofeat toy-rule 0
lp I collegemsg toy 0
lp I collegemsg toy 1
lp I collegemsg toy+steep 0
lp I collegemsg toy+steep 1
lp I collegemsg toy-rule 0
lp T collegemsg toy 0
lp T collegemsg toy 1
lp T collegemsg toy+steep 0
lp T collegemsg toy+steep 1
lp T collegemsg toy-rule 0
nc  amlsim-20k toy+wide 0
nc  amlsim-20k toy+wide 1`},
		{"an id stands for all of its variants", specs.Filter{Models: []string{"toy"}, Datasets: []string{"collegemsg", "amlsim-20k"}, Seeds: 1}, `lp I collegemsg toy 0
lp I collegemsg toy+steep 0
lp T collegemsg toy 0
lp T collegemsg toy+steep 0
nc  amlsim-20k toy+wide 0`},
		{"one variant", specs.Filter{Models: []string{"toy+wide"}, Seeds: 3}, `nc  amlsim-20k toy+wide 0
nc  amlsim-20k toy+wide 1
nc  amlsim-20k toy+wide 2`},
		{"a task", specs.Filter{Tasks: []string{"nc"}, Seeds: 1}, `nc  amlsim-20k toy+wide 0`},
		{"fresh seeds start elsewhere", specs.Filter{Models: []string{"toy+wide"}, Seeds: 2, FirstSeed: 7}, `nc  amlsim-20k toy+wide 7
nc  amlsim-20k toy+wide 8`},
		{"nothing in a rule is random", specs.Filter{Models: []string{"toy-rule"}, Datasets: []string{"wikipedia-nofeat"}, FirstSeed: 7}, `lp I wikipedia-nofeat toy-rule 0
lp T wikipedia-nofeat toy-rule 0`},
		{"more seeds do not multiply rules", specs.Filter{Models: []string{"toy-rule"}, Datasets: []string{"collegemsg"}, Seeds: 9}, `lp I collegemsg toy-rule 0
lp T collegemsg toy-rule 0`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, trialLines(toyTrials(t, tt.filter))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrialsRefuseWordsThatFitNothing(t *testing.T) {
	s, err := toyLibrary(t).LoadSuite("toys")
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]specs.Filter{
		`suite "toys" has no model "toy-rul" (did you mean "toy-rule"?)`:                           {Models: []string{"toy", "toy-rul"}},
		`suite "toys" has no dataset "wikipedia"; known: amlsim-20k, collegemsg, wikipedia-nofeat`: {Datasets: []string{"wikipedia"}},
		`suite "toys" has no task "link"; known: lp, nc`:                                           {Tasks: []string{"link"}},
		`expected 1 to 1000 seeds, found -1`:                                                       {Seeds: -1},
		`expected 1 to 1000 seeds, found 1000001`:                                                  {Seeds: 1000001},
	} {
		if _, err := s.Trials(f); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A run's protocol goes over the suite's, which goes over the defaults, and
// a suite's options go over the model's.
func TestTrialValues(t *testing.T) {
	byRef := map[string]specs.Trial{}
	for _, trial := range toyTrials(t, specs.Filter{Seeds: 1}) {
		byRef[trial.Ref()] = trial
	}
	want := specs.DefaultProtocol()
	want.Epochs, want.Candidates = 3, []protocol.CandidateSet{protocol.Destinations}
	if diff := cmp.Diff(want, byRef["toy+wide"].Protocol); diff != "" {
		t.Errorf("nc protocol (-want +got):\n%s", diff)
	}
	want.Batch, want.Patience, want.Select = 10, 0, specs.SelectLast
	if diff := cmp.Diff(want, byRef["toy+steep"].Protocol); diff != "" {
		t.Errorf("lp protocol (-want +got):\n%s", diff)
	}
	steep := byRef["toy+steep"]
	if lr := steep.Options.(*toyOptions).Head.LR; lr != 0.5 {
		t.Errorf("lr %v, want the suite's 0.5", lr)
	}
	from := specs.Provenance{Origin: specs.Default, File: "testdata/good/toys.yml", Line: 12}
	if diff := cmp.Diff(from, steep.Origins["head.lr"]); diff != "" {
		t.Errorf("origin of lr (-want +got):\n%s", diff)
	}
	if steep.Title != "Toy, steep" || byRef["toy-rule"].Title != "Rule" {
		t.Errorf("titles %q and %q", steep.Title, byRef["toy-rule"].Title)
	}
}

// Whatever can change the result changes the identity; nothing else does.
func TestIdentity(t *testing.T) {
	trial := func() specs.Trial { return toyTrials(t, specs.Filter{})[0] }
	base := trial().Identity("sum", 1, "cpu")
	if len(base) != 64 || base != trial().Identity("sum", 1, "cpu") {
		t.Fatalf("identity %q is no stable SHA-256", base)
	}
	changes := map[string]func(*specs.Trial){
		"suite":      func(t *specs.Trial) { t.Suite = "x" },
		"dataset":    func(t *specs.Trial) { t.Dataset = "x" },
		"task":       func(t *specs.Trial) { t.Task = protocol.NodeClassification },
		"setting":    func(t *specs.Trial) { t.Setting = protocol.Transductive },
		"model":      func(t *specs.Trial) { t.ModelID = "x" },
		"variant":    func(t *specs.Trial) { t.Variant = "x" },
		"kind":       func(t *specs.Trial) { t.Kind.Name = "x" },
		"option":     func(t *specs.Trial) { t.Options.(*toyOptions).Alpha = 0.7 },
		"list":       func(t *specs.Trial) { t.Options.(*toyOptions).Layers = []int{8, 8} },
		"nested":     func(t *specs.Trial) { t.Options.(*toyOptions).Head.Dropout = 0.3 },
		"batch":      func(t *specs.Trial) { t.Protocol.Batch++ },
		"evaluated":  func(t *specs.Trial) { t.Protocol.EvaluationBatch = []int{7} },
		"candidates": func(t *specs.Trial) { t.Protocol.Candidates = []protocol.CandidateSet{protocol.AllNodes} },
		"negatives":  func(t *specs.Trial) { t.Protocol.TrainNegatives = specs.TrainNodes },
		"test state": func(t *specs.Trial) { t.Protocol.TestState = []specs.StateRule{specs.Replay} },
		"loaded":     func(t *specs.Trial) { t.Protocol.Live = specs.DefaultLive() },
		"seed":       func(t *specs.Trial) { t.Seed++ },
	}
	seen := map[string]string{base: "nothing"}
	note := func(what, id string) {
		if other, twice := seen[id]; twice {
			t.Errorf("a change of %s and of %s give the same identity", what, other)
		}
		seen[id] = what
	}
	for what, change := range changes {
		changed := trial()
		change(&changed)
		note(what, changed.Identity("sum", 1, "cpu"))
	}
	note("data", trial().Identity("other", 1, "cpu"))
	note("numerics", trial().Identity("sum", 2, "cpu"))
	note("device", trial().Identity("sum", 1, "cuda"))

	facts := map[string]any{"data_sha256": "sum", "numerics": 1, "device": "cpu"}
	if err := json.Unmarshal(trial().JSON(), &facts); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(facts)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x", sha256.Sum256(text)); base != want {
		t.Errorf("identity %s, expected the checksum %s of %s", base, want, text)
	}

	same := trial()
	same.Title, same.Kind.Class, same.Origins = "x", protocol.Oracle, nil
	if same.Identity("sum", 1, "cpu") != base {
		t.Error("titles or origins change the identity")
	}
}

func TestTrialJSON(t *testing.T) {
	trials := toyTrials(t, specs.Filter{Models: []string{"toy-rule", "toy+wide"}, Seeds: 1})
	var pretty []byte
	for _, trial := range []specs.Trial{trials[0], trials[len(trials)-1]} {
		var fields map[string]any
		if err := json.Unmarshal(trial.JSON(), &fields); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(fields) // a map: sorted keys
		if err != nil || string(again) != string(trial.JSON()) {
			t.Errorf("keys are not sorted in %s, %v", trial.JSON(), err)
		}
		var origins any
		if err := json.Unmarshal(trial.OriginsJSON(), &origins); err != nil {
			t.Fatal(err)
		}
		fields["title"], fields["class"], fields["origins"] = trial.Title, trial.Kind.Class, origins
		indented, err := json.MarshalIndent(fields, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		pretty = slices.Concat(pretty, indented, []byte("\n"))
	}
	golden.Compare(t, "testdata/show/trials.json", string(pretty))
}

// A user's own model joins a suite that does not name it wherever it can do
// the task, under the protocol of that place.
func TestOwnModelJoinsSuite(t *testing.T) {
	lib := toyLibrary(t)
	file := filepath.Join(t.TempDir(), "own.yaml")
	if err := os.WriteFile(file, []byte("id: own\nmodel: toy-rule\ntitle: Own\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.AddFile(file); err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("toys")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	protocol := map[specs.Place]specs.Protocol{}
	for _, trial := range trials {
		at := specs.Place{Dataset: trial.Dataset, Task: trial.Task, Setting: trial.Setting}
		if trial.ModelID == "own" {
			own = append(own, at.String())
			if diff := cmp.Diff(protocol[at], trial.Protocol); diff != "" {
				t.Errorf("%s: protocol (-others' +own):\n%s", at, diff)
			}
		}
		protocol[at] = trial.Protocol
	}
	want := []string{
		"dataset wikipedia-nofeat, task lp, setting I", "dataset wikipedia-nofeat, task lp, setting T",
		"dataset collegemsg, task lp, setting I", "dataset collegemsg, task lp, setting T",
	}
	if diff := cmp.Diff(want, own); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// A user's spec of a model that one of our suites names keeps its options,
// which the suite's would otherwise lie over.
func TestUsersOptionsWin(t *testing.T) {
	lib := embeddedLibrary(t)
	file := filepath.Join(t.TempDir(), "raw.yaml")
	if err := os.WriteFile(file, []byte("id: raw\nmodel: raw\ntitle: Mine\noptions: {head: {hidden: [7]}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.AddFile(file); err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("torch-nc")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Models: []string{"raw"}, Seeds: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(trials[0].JSON()); !strings.Contains(got, `"hidden":[7]`) {
		t.Errorf("the user's hidden layer is not in %s", got)
	}
}

// TestVelocity: velocity counts are a part of what is measured, of the variants
// that have them alone.
func TestVelocity(t *testing.T) {
	lib := embeddedLibrary(t)
	file := filepath.Join(t.TempDir(), "mine.yaml")
	text := "name: mine\ntitle: Mine\nprotocol: {derived_features: before_batch}\nruns: [{task: nc, datasets: [shop-sim], models: [logistic, logistic+velocity, tgn-id+velocity]}]\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.AddFile(file); err != nil {
		t.Fatal(err)
	}
	suite, err := lib.LoadSuite("mine")
	if err != nil {
		t.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		want := trial.Variant == "velocity"
		if said := strings.Contains(string(trial.JSON()), `"velocity":true`); trial.Velocity != want || said != want {
			t.Errorf("%s: velocity is %v, and said: %v", trial.Ref(), trial.Velocity, said)
		}
	}
	off := filepath.Join(t.TempDir(), "off.yaml")
	if err := os.WriteFile(off, []byte("id: off\nmodel: raw\ntitle: Off\nvelocity: true\nvariants: {own: {title: Own, velocity: false}}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lib.AddFile(off); err != nil {
		t.Fatal(err)
	}
	m, err := lib.LoadModel("off")
	if err != nil {
		t.Fatal(err)
	}
	for variant, want := range map[string]bool{"": true, "own": false} {
		if r, err := m.Resolve(specs.Place{}, variant); err != nil || r.Velocity != want {
			t.Errorf("variant %q: velocity is %v, %v", variant, r.Velocity, err)
		}
	}
	shown, err := show(lib, "dgs+velocity", specs.Place{})
	if err != nil || !strings.Contains(shown, "velocity: true") {
		t.Errorf("%v\n%s", err, shown)
	}
}
