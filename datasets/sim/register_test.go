package sim

import (
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
)

// TestPaperTable: at scale 1 the sizes are those of the paper's dataset
// table.
func TestPaperTable(t *testing.T) {
	for name, want := range map[string]datasets.Counts{
		"wikipedia-sim": {Events: 157_474, Nodes: 9_227, Users: 8_227, Items: 1_000, Positives: 217, Features: 172},
		"reddit-sim":    {Events: 672_447, Nodes: 10_984, Users: 10_000, Items: 984, Positives: 366, Features: 172},
		"mooc-sim":      {Events: 411_749, Nodes: 7_144, Users: 7_047, Items: 97, Positives: 4_066, Features: 7},
		"fi-a-sim":      {Events: 500_000, Nodes: 400_000, Positives: 17_500, Features: 16},
		"fi-b-sim":      {Events: 2_000_000, Nodes: 10_000, Positives: 600_000, Features: 16},
	} {
		d, err := datasets.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, d.Want); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLoad: what is registered loads with its split, its checksum and at
// least 300 positives in the test part, also at a smaller scale.
func TestLoad(t *testing.T) {
	for _, name := range []string{
		"shop-sim", "transfers-sim", "shop-sim@0.5", "transfers-sim@0.3", "wikipedia-sim@0.1", "wikipedia-sim@0.04",
		"mooc-sim@0.1", "mooc-sim@0.01", "reddit-sim@0.01", "fi-a-sim@0.1", "fi-a-sim@0.006", "fi-b-sim@0.01",
	} {
		d, err := datasets.Lookup(name)
		if err != nil {
			t.Error(err)
			continue
		}
		l, err := d.Load("no such folder")
		if err != nil {
			t.Error(err)
			continue
		}
		stats, err := l.Describe()
		if err != nil {
			t.Fatal(err)
		}
		if !d.HasTruth || l.Stream.Truth == nil {
			t.Errorf("%s: nobody knows the hidden state", name)
		}
		if d.Name != name || len(l.SHA256) != 64 || stats.Parts[2].Positives < fewestPositives {
			t.Errorf("%s: name %q, checksum %q, %d positives in the test part", name, d.Name, l.SHA256, stats.Parts[2].Positives)
		}
		scaled := strings.Contains(name, "@")
		if said := strings.Contains(strings.Join(d.Notes, " "), "labels may fall on any event"); said != scaled {
			t.Errorf("%s: notes %q", name, d.Notes)
		}
	}
}

// named is a simulator that is there.
func named(name string) Simulator {
	return Simulators[slices.IndexFunc(Simulators, func(s Simulator) bool { return s.Name == name })]
}

// TestScaleUp keeps the meaning of labels.
func TestScaleUp(t *testing.T) {
	p, err := named("wikipedia-sim").Scaled(2)
	if err != nil || !p.Terminal || p.Events != 314_948 || p.Users != 16_454 || p.Positives != 434 {
		t.Errorf("%+v, error %v", p, err)
	}
}

func TestChecksumIsOfEverything(t *testing.T) {
	p := named("wikipedia-sim").Params
	seen := map[string]bool{p.checksum(1): true, p.checksum(2): true}
	p.Labels.Slow++
	seen[p.checksum(1)] = true
	if len(seen) != 3 {
		t.Errorf("%d checksums of 3 streams", len(seen))
	}
}

func TestWrongScale(t *testing.T) {
	for name, want := range map[string]string{
		"shop-sim@0.1":       "dataset shop-sim: at scale 0.1 its test part cannot hold 300 positives; expected a scale of at least 0.17",
		"wikipedia-sim@0":    "scale 0, expected more than 0",
		"wikipedia-sim@-1":   "scale -1, expected more than 0",
		"wikipedia-sim@NaN":  "scale NaN, expected more than 0",
		"wikipedia-sim@2000": "expected more than 0 and at most 1000",
		"wikipedia-sim@0,1":  `"0,1" after the @, expected a number such as 0.1`,
		"wikipedia-sim@":     `"" after the @, expected a number such as 0.1`,
		"wikipedia-nofeat@2": "dataset wikipedia-nofeat comes from a file and has one size",
		"wikipedai-sim@0.1":  `no dataset "wikipedai-sim" (did you mean "wikipedia-sim"?)`,
	} {
		if _, err := datasets.Lookup(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %q", name, err, want)
		}
	}
}

// TestOneSpelling: a size has one name, so that all of its results lie in one
// place.
func TestOneSpelling(t *testing.T) {
	for scale, want := range map[string]string{
		"0.10": "@0.1", ".1": "@0.1", "1e-1": "@0.1", "+0.1": "@0.1", "00.1": "@0.1", "0x1p-3": "@0.125",
		"1": "", "1.0": "", "1e0": "", "2.0": "@2", "1e1": "@10", "0.1000000000000000000001": "@0.1",
	} {
		name := "wikipedia-sim@" + scale
		_, err := datasets.Lookup(name)
		if want := "dataset " + name + ": expected the spelling wikipedia-sim" + want; err == nil || err.Error() != want {
			t.Errorf("error %v, expected %s", err, want)
		}
		right := "wikipedia-sim" + want
		if d, err := datasets.Lookup(right); err != nil || d.Name != right {
			t.Errorf("%s: name %q, error %v", right, d.Name, err)
		}
	}
}

// TestSmallest: the scale that the message names is large enough for the
// stream itself.
func TestSmallest(t *testing.T) {
	for _, s := range Simulators {
		d, err := s.dataset(s.smallest())
		if err != nil {
			t.Error(err)
			continue
		}
		l, err := d.Load("no such folder")
		if err != nil {
			t.Error(err)
			continue
		}
		test := l.Stream.Slice(l.Split.ValEnd, l.Stream.Len())
		if n := test.Counts().Positives; n < fewestPositives {
			t.Errorf("%s@%v: %d positives in the test part", s.Name, s.smallest(), n)
		}
	}
}

// TestFewerInTest: a stream with too few positives is refused when it is made.
func TestFewerInTest(t *testing.T) {
	s := named("wikipedia-sim")
	p, err := s.Scaled(0.05)
	if err != nil {
		t.Fatal(err)
	}
	p.Positives = 1_000
	_, _, err = s.open("wikipedia-sim@0.05", p)
	if err == nil || !strings.Contains(err.Error(), "dataset wikipedia-sim@0.05: its test part has 1") {
		t.Errorf("error %v", err)
	}
}
