package sim

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unsafe"

	"dgsbench/datasets"
)

// Version of the generator. It is raised whenever the same parameters and
// seed make another stream.
const Version = 1

// Params decide, with a seed, every event of a stream.
type Params struct {
	Users     int // sources; all accounts where Items is 0
	Items     int // destinations of a bipartite stream; 0 lets any account be one
	Events    int
	Positives int // events with label 1; all others have label 0
	Features  int
	Span      float64 // seconds from the first to the last event, on average

	// Terminal: a positive event is its source's last.
	Terminal bool
	Activity Activity
	Links    Links
	Labels   Labels
	// Noise is the standard deviation of the noise in features.
	Noise float64
}

// Activity holds the parameters of the source of an event: a newcomer, any node
// that has appeared, or the source of an earlier event.
type Activity struct {
	// Arrival is the exponent of the growth curve: at a share x of the
	// events, x^Arrival of the users have appeared. 1 is steady.
	Arrival float64
	// Anyone is the probability of a node that is drawn uniformly from those that
	// have appeared.
	Anyone float64
	// Session is the probability of going back a number of events that is
	// exponential with mean Lag: within the present session. Otherwise the number
	// is log-uniform up to the length of the memory.
	Session, Lag float64
	// Forward is the probability of the destination of that earlier event instead
	// of its source. It has no effect on bipartite streams.
	Forward float64
}

// Links holds the parameters of the destination of an event.
type Links struct {
	// Explore and Roam make some sources explore often and most rarely: the
	// probability is Explore x U^Roam with a U per source, uniform in 0 .. 1. An
	// event that does not explore repeats the source's last destination with
	// probability Same, and returns to one of the few before otherwise.
	Explore, Roam, Same float64
	// Topics is the number of kinds of destinations, at most 64. Taste and Mood are
	// the weights of long-term taste and of recent features in the choice of one.
	Topics      int
	Taste, Mood float64
	// Skew is the share of explorations that prefer popular destinations of a
	// topic; the others draw uniformly. Every Epoch events the order of popularity
	// moves on by one place.
	Skew  float64
	Epoch int
}

// Labels holds the weights of the history in the log-odds of a positive label.
type Labels struct {
	Fast, Slow float64 // weights of the source's average tone over few and many events
	Other      float64 // weight of the destination's average tone of its visitors
	Count      float64 // weight of minus log(1 + the source's earlier events)
	// Quotas is the number of equally long windows of the stream that each have
	// their own number of positives; 0 stands for 1, and is left out of the
	// checksum.
	Quotas int `json:",omitempty"`
}

// checksum returns a checksum of everything that a stream depends on. It is used
// in place of a file's.
func (p Params) checksum(seed uint64) string { return checksum(Version, p, seed) }

func checksum(generator, params any, seed uint64) string {
	facts, err := json.Marshal(map[string]any{"generator": generator, "params": params, "seed": seed})
	if err != nil {
		panic(fmt.Sprintf("sim: %v", err)) // numbers that JSON cannot hold
	}
	return fmt.Sprintf("%x", sha256.Sum256(facts))
}

func (p Params) bipartite() bool { return p.Items > 0 }

// bytes returns the memory of a generator, without the events.
func (p Params) bytes() int64 {
	perEvent := int64(8) // sources and receivers
	if p.bipartite() {
		perEvent = 4
	}
	return int64(p.Users)*int64(unsafe.Sizeof(actor{})) + int64(p.targets())*int64(unsafe.Sizeof(target{})) + perEvent*memory
}

// targets returns the number of nodes that can be a destination.
func (p Params) targets() int {
	if p.bipartite() {
		return p.Items
	}
	return p.Users
}

// Seed of the registered streams.
const Seed = 1

const (
	// fewestPositives is the smallest number of positives in the test part at
	// scales below 1.
	fewestPositives = 300
	// spare is the factor for more positives than these: the test part begins
	// within a window of the quotas, and its share of the events is rounded.
	spare = 1.25
	// quotas is the number of windows with their own number of positives.
	quotas = 100
	// maxPositive is the largest share of positives that scaling may make.
	maxPositive = 0.5
	// largest scale: numbers of nodes and events are far below the limit of int32.
	largest = 1_000
)

// Scaled returns the parameters at another size: scale times the events and
// nodes. Below 1, any event may be positive, there are as many positives as the
// test part needs, and every hundredth of the stream has its share of them.
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
	if float64(p.Positives) > maxPositive*float64(p.Events) {
		return Params{}, fmt.Errorf("dataset %s: at scale %v its test part cannot hold %d positives; expected a scale of at least %.2g",
			s.Name, scale, fewestPositives, s.smallest())
	}
	return p, nil
}

// smallest returns the smallest possible scale, rounded up to two digits.
func (s Simulator) smallest() float64 {
	need := spare * fewestPositives / s.TestShare / maxPositive / float64(s.Params.Events)
	unit := math.Pow(10, math.Floor(math.Log10(need))-1)
	return math.Ceil(need/unit+1e-6) * unit
}

// dataset returns the registry's entry at a scale.
func (s Simulator) dataset(scale float64) (d datasets.Dataset, err error) {
	p, err := s.Scaled(scale)
	if err != nil {
		return d, err
	}
	name, sizesOf := s.Name, s.SizesOf
	if scale != 1 {
		name, sizesOf = name+"@"+strconv.FormatFloat(scale, 'f', -1, 64), ""
	}
	want := datasets.Counts{Events: p.Events, Nodes: p.Users + p.Items, Positives: p.Positives, Features: p.Features}
	if p.bipartite() {
		want.Users, want.Items = p.Users, p.Items
	}
	return datasets.Dataset{
		Name: name, Title: s.Title, Citation: "this project", Licence: "as this project", URL: "docs/simulators.md",
		Open: func(string) (datasets.Stream, string, error) { return s.open(name, p) },
		Want: want, Split: s.Split, HeldOut: datasets.SampleHeldOut(2020), Labelled: true, HasTruth: true,
		Notes: s.notes(p, scale), OpenBytes: p.bytes(), Scaled: s.dataset, SizesOf: sizesOf,
	}, nil
}

// open generates the stream and checks the test part of scaled ones.
func (s Simulator) open(name string, p Params) (datasets.Stream, string, error) {
	stream := Generate(p, Seed)
	if p.Labels.Quotas > 0 {
		test := s.Split.Split(stream).Parts(stream)[2]
		if n := test.Counts().Positives; n < fewestPositives {
			return datasets.Stream{}, "", fmt.Errorf("dataset %s: its test part has %d positives, expected at least %d; take a larger scale",
				name, n, fewestPositives)
		}
	}
	return stream, p.checksum(Seed), nil
}

// notes returns the footnotes of every table with the dataset.
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
		d, err := s.dataset(1)
		if err != nil {
			panic(err)
		}
		datasets.Register(d)
	}
}
