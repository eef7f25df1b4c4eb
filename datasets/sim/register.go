package sim

import (
	"fmt"
	"math"
	"strconv"

	"dgsbench/datasets"
)

// Seed of the registered streams.
const Seed = 1

const (
	// fewestPositives is what the test part keeps at any scale below 1.
	fewestPositives = 300
	// spare positives are made on top: the test part begins within a window
	// of the quotas, and its share of the events is rounded.
	spare = 1.25
	// quotas is the number of windows with their own number of positives.
	quotas = 100
	// mostPositive is the largest share of positives that scaling may make.
	mostPositive = 0.5
	// largest scale: nodes and events stay far below what an int32 counts.
	largest = 1_000
)

// Scaled is the simulator's stream at another size: scale times the events
// and nodes. Below 1, labels may fall on any event, are as many as the test
// part needs, and every hundredth of the stream has its share of them.
func (s Simulator) Scaled(scale float64) (Params, error) {
	if !(scale > 0 && scale <= largest) {
		return Params{}, fmt.Errorf("dataset %s: scale %v, expected more than 0 and at most %d", s.Name, scale, largest)
	}
	times := func(n int) int { return int(math.Round(scale * float64(n))) }
	p := s.Params
	p.Users, p.Events, p.Positives = max(1, times(p.Users)), max(1, times(p.Events)), times(p.Positives)
	if p.bipartite() {
		p.Items = max(1, times(p.Items))
	}
	p.Span *= scale
	if scale >= 1 {
		return p, nil
	}
	p.Terminal, p.Labels.Quotas = false, quotas
	p.Links.Epoch = max(1, times(p.Links.Epoch))
	p.Positives = max(p.Positives, int(math.Ceil(spare*fewestPositives/s.TestShare)))
	if float64(p.Positives) > mostPositive*float64(p.Events) {
		return Params{}, fmt.Errorf("dataset %s: at scale %v its test part cannot hold %d positives; expected a scale of at least %.2g",
			s.Name, scale, fewestPositives, s.smallest())
	}
	return p, nil
}

// smallest is a scale that is large enough, with two digits.
func (s Simulator) smallest() float64 {
	need := spare * fewestPositives / s.TestShare / mostPositive / float64(s.Params.Events)
	unit := math.Pow(10, math.Floor(math.Log10(need))-1)
	return math.Ceil(need/unit+1e-6) * unit
}

// dataset is the registry's entry at a scale.
func (s Simulator) dataset(name string, scale float64) (datasets.Dataset, error) {
	p, err := s.Scaled(scale)
	if err != nil {
		return datasets.Dataset{}, err
	}
	want := datasets.Counts{Events: p.Events, Nodes: p.nodes(), Positives: p.Positives, Features: p.Features}
	if p.bipartite() {
		want.Users, want.Items = p.Users, p.Items
	}
	d := datasets.Dataset{
		Name: name, Title: s.Title, Citation: "this project", Licence: "as this project", URL: "docs/simulators.md",
		Open: func(string) (datasets.Stream, string, error) { return s.open(name, p) },
		Want: want, Split: s.Split, HeldOut: datasets.SampleHeldOut(2020), Labelled: true, HasTruth: true,
		Notes: s.notes(p, scale), OpenBytes: p.bytes(),
	}
	if scale == 1 {
		d.SizesOf = s.SizesOf
	}
	return d, nil
}

// open makes the stream and checks what is said of scaled ones.
func (s Simulator) open(name string, p Params) (datasets.Stream, string, error) {
	stream := Generate(p, Seed)
	if p.Labels.Quotas > 0 {
		test := stream.Slice(s.Split.Split(stream).ValEnd, stream.Len())
		if n := test.Counts().Positives; n < fewestPositives {
			return datasets.Stream{}, "", fmt.Errorf("dataset %s: its test part has %d positives, expected at least %d; take a larger scale",
				name, n, fewestPositives)
		}
	}
	return stream, p.checksum(Seed), nil
}

// notes say in every table what the numbers are worth.
func (s Simulator) notes(p Params, scale float64) []string {
	out := []string{fmt.Sprintf("simulated data (generator version %d, seed %d)", Version, Seed)}
	if scale < 1 {
		share := 100 * float64(p.Positives) / float64(p.Events)
		out = append(out, fmt.Sprintf("at %v of the events and nodes; labels may fall on any event, and %.1f %% of the events are positive so that the test part keeps at least %d",
			scale, share, fewestPositives))
	}
	return out
}

func init() {
	for _, s := range Simulators {
		d, err := s.dataset(s.Name, 1)
		if err != nil {
			panic(err)
		}
		d.Scaled = func(scale float64) (datasets.Dataset, error) {
			name := s.Name
			if scale != 1 {
				name += "@" + strconv.FormatFloat(scale, 'f', -1, 64)
			}
			return s.dataset(name, scale)
		}
		datasets.Register(d)
	}
}
