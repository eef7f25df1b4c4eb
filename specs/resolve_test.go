package specs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dgsbench/internal/golden"
	"dgsbench/protocol"
	"dgsbench/specs"
)

// Later layers win, and each value keeps the place and origin of its own
// layer. The lines are those of testdata/good/toy.yaml.
func TestResolve(t *testing.T) {
	m, err := toyLibrary(t).LoadModel("toy")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name    string
		at      specs.Place
		variant string
		want    toyOptions
		origins string
	}{
		{
			name: "base",
			want: toyOptions{0.1, []int{8}, "fast", toyHead{0.01, 0}},
			origins: `alpha paper 6
head.dropout default 0
head.lr tuned 8 tuning/toy-1.json
layers default 7
mode default 0`,
		},
		{
			name: "an override in another place",
			at:   specs.Place{Dataset: "amlsim-20k", Task: "nc"},
			want: toyOptions{0.1, []int{8}, "fast", toyHead{0.01, 0}},
			origins: `alpha paper 6
head.dropout default 0
head.lr tuned 8 tuning/toy-1.json
layers default 7
mode default 0`,
		},
		{
			name: "two overrides, the later one wins",
			at:   specs.Place{Dataset: "collegemsg", Task: "lp", Setting: "I"},
			want: toyOptions{0.3, []int{8}, "fast", toyHead{0.01, 0.2}},
			origins: `alpha tuned 15 tuning/toy-2.json
head.dropout default 13
head.lr tuned 8 tuning/toy-1.json
layers default 7
mode default 0`,
		},
		{
			name:    "the variant over the override",
			at:      specs.Place{Dataset: "wikipedia-nofeat", Task: "lp", Setting: "I"},
			variant: "steep",
			want:    toyOptions{0.9, []int{8}, "slow", toyHead{0.01, 0.2}},
			origins: `alpha default 27
head.dropout default 13
head.lr tuned 8 tuning/toy-1.json
layers default 7
mode default 19`,
		},
		{
			name:    "a list is replaced",
			variant: "wide",
			want:    toyOptions{0.1, []int{16, 16}, "fast", toyHead{0.01, 0}},
			origins: `alpha paper 6
head.dropout default 0
head.lr tuned 8 tuning/toy-1.json
layers paper 23
mode default 0`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := m.Resolve(tt.at, tt.variant)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(&tt.want, r.Options.(*toyOptions)); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.origins, originLines(r.Origins)); diff != "" {
				t.Errorf("origins (-want +got):\n%s", diff)
			}
		})
	}
}

func originLines(origins map[string]specs.Provenance) string {
	var lines []string
	for _, option := range slices.Sorted(maps.Keys(origins)) {
		p := origins[option]
		lines = append(lines, strings.TrimSpace(fmt.Sprint(option, " ", p.Origin, " ", p.Line, " ", p.Record)))
	}
	return strings.Join(lines, "\n")
}

// TestOverridePlaces: an override holds where all that it names is the same,
// and a dataset's variants are others.
func TestOverridePlaces(t *testing.T) {
	m := searchModel(t, `id: toy
model: toy
title: Toy
options: {alpha: 0}
overrides:
  - {match: {dataset: wikipedia, task: lp, setting: T}, options: {alpha: 1}}
`)
	at := func(dataset string, task protocol.Task, setting protocol.Setting) specs.Place {
		return specs.Place{Dataset: dataset, Task: task, Setting: setting}
	}
	for place, want := range map[specs.Place]float64{
		at("wikipedia", "lp", "T"):        1,
		at("wikipedia-nofeat", "lp", "T"): 0,
		at("wikipedia-sim", "lp", "T"):    0,
		at("reddit", "lp", "T"):           0,
		at("wikipedia", "lp", "I"):        0,
		at("wikipedia", "nc", ""):         0,
	} {
		r, err := m.Resolve(place, "")
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Options.(*toyOptions).Alpha; got != want {
			t.Errorf("%s: alpha is %v, expected %v", place, got, want)
		}
	}
}

func TestResolveUnknownVariant(t *testing.T) {
	m, err := toyLibrary(t).LoadModel("toy")
	if err != nil {
		t.Fatal(err)
	}
	_, err = m.Resolve(specs.Place{}, "step")
	if want := `model "toy" has no variant "step" (did you mean "steep"?)`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// show returns what is shown of a model as YAML.
func show(lib *specs.Library, ref string, at specs.Place) (string, error) {
	shown, err := lib.Show(ref, at)
	if err != nil {
		return "", err
	}
	return shown.YAML()
}

func TestShow(t *testing.T) {
	lib := toyLibrary(t)
	for _, tt := range []struct {
		ref    string
		at     specs.Place
		golden string
	}{
		{"toy", specs.Place{}, "toy"},
		{"toy+wide", specs.Place{Dataset: "collegemsg", Task: "lp", Setting: "I"}, "toy-wide-collegemsg"},
		{"toy-rule", specs.Place{}, "toy-rule"},
	} {
		t.Run(tt.golden, func(t *testing.T) {
			got, err := show(lib, tt.ref, tt.at)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/show/"+tt.golden+".stdout", got)
		})
	}
	for _, ref := range []string{"tyo", "toy+wid"} {
		if _, err := lib.Show(ref, specs.Place{}); err == nil || !strings.Contains(err.Error(), "did you mean") {
			t.Errorf("Show(%q): %v", ref, err)
		}
	}
}

// TestResolveWith: one more option on top of all layers; a name that is none,
// or a value that does not fit, is said.
func TestResolveWith(t *testing.T) {
	m, err := toyLibrary(t).LoadModel("toy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, value string
		changed     func(*toyOptions)
	}{
		{"alpha", "0.25", func(o *toyOptions) { o.Alpha = 0.25 }},
		{"head.dropout", "0.5", func(o *toyOptions) { o.Head.Dropout = 0.5 }},
		{"layers", "[3, 2]", func(o *toyOptions) { o.Layers = []int{3, 2} }},
	} {
		before, err := m.Resolve(specs.Place{}, "")
		if err != nil {
			t.Fatal(err)
		}
		want := *before.Options.(*toyOptions)
		c.changed(&want)
		got, err := m.ResolveWith(specs.Place{}, "", c.path, c.value)
		if err != nil {
			t.Errorf("%s=%s: %v", c.path, c.value, err)
			continue
		}
		if diff := cmp.Diff(&want, got.Options); diff != "" {
			t.Errorf("%s=%s: expected (-) and got (+):\n%s", c.path, c.value, diff)
		}
	}
	for _, c := range []struct{ path, value, want string }{
		{"head.droput", "0.5", `model "toy" has no option "head.droput" (did you mean "head.dropout"?)`},
		{"head", "0.5", `model "toy" has no option "head"`},
		{"alpha", "some", `expected a number, found text "some"`},
		{"alpha", "0.5: [", "alpha: 0.5: [:2: "},
		{"alpha", "2", "alpha: 2:1: alpha is 2, expected 0 to 1"},
	} {
		_, err := m.ResolveWith(specs.Place{}, "", c.path, c.value)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, expected %q", c.path, c.value, err, c.want)
		}
	}
}
