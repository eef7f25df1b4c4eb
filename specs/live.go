package specs

import (
	"fmt"
	"slices"
	"time"

	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
)

// Live is how a trained model is loaded. Events are due at times that do not depend
// on the model. It takes all that are due, answers them as one batch and folds them in;
// the response time of an event is from when it was due to its answer. The
// events are those of the test part, again and again from the same state, and before
// them some of the validation part, which do not count.
type Live struct {
	Arrivals Arrivals `yaml:"arrivals" words:"poisson fixed stream"`
	// Rates are the mean numbers of events due in a second, of a point each.
	Rates []int `yaml:"rates" range:"1 1000000" list:"some distinct"`
	// Limits are durations of the 99.9th percentile of response times, as "10ms". For
	// each the highest rate is searched for that keeps it, unless the points
	// have fewer than protocol.FewestAnswers. The first one decides which answers are late.
	Limits []string `yaml:"limits" list:"distinct single"`
	// LargestBatch is the most events of a batch; others that are due wait.
	LargestBatch int `yaml:"largest_batch" range:"1 100000"`
	// A point ends after that many answers and that time, or after MostSeconds. The
	// first Answers events of the test part are those that are repeated.
	Answers     int     `yaml:"answers" range:"100 10000000"`
	Seconds     float64 `yaml:"seconds"`
	MostSeconds float64 `yaml:"most_seconds"`
	// Simulated takes service times from the table of the record of the
	// measured test, and waits for nothing.
	Simulated bool `yaml:"simulated,omitempty"`
}

// LiveCase tells the live tests of a suite from its other trials.
const LiveCase = "live"

// Case returns the case of the tests: LiveCase, or another one on the simulated clock.
func (l Live) Case() string {
	if l.Simulated {
		return LiveCase + "-simulated"
	}
	return LiveCase
}

// HighestRate is the highest rate of a point, in events a second, and LargestOfAll the
// largest LargestBatch.
const (
	HighestRate  = 1_000_000
	LargestOfAll = 100_000
)

// ShortestLimit is the shortest limit: clocks and histograms resolve it.
const ShortestLimit = 10 * time.Microsecond // ParseLimit names it

// Arrivals is how the times follow each other at which events are due.
type Arrivals string

const (
	// Poisson draws the time between two events from an exponential distribution.
	Poisson Arrivals = "poisson"
	// Fixed has the same time between all events.
	Fixed Arrivals = "fixed"
	// StreamTimes are the stream's own times, compressed to the rate.
	StreamTimes Arrivals = "stream"
)

// AllArrivals are all of them.
var AllArrivals = []Arrivals{Poisson, Fixed, StreamTimes}

// DefaultLive returns what a `live:` block does not say.
func DefaultLive() *Live {
	return &Live{
		Arrivals: Poisson, Rates: []int{1_000, 10_000, 100_000}, Limits: []string{"10ms", "1ms"}, LargestBatch: 1000,
		Answers: 20_000, Seconds: 5, MostSeconds: 60,
	}
}

// check reports what the types of the fields cannot.
func (l Live) check(n strictyaml.Node) error {
	var errs strictyaml.Errors
	for i, text := range l.Limits {
		if _, err := ParseLimit(text); err != nil {
			at := n.Get("limits")
			if items := at.Items(); i < len(items) {
				at = items[i]
			}
			errs.Add(at.Errorf("%v", err))
		}
	}
	if l.Seconds < 0 || l.MostSeconds <= 0 || l.Seconds > l.MostSeconds || l.MostSeconds > 3600 {
		errs.Add(n.Errorf("expected 0 <= seconds <= most_seconds <= 3600 and a positive most_seconds, found %g and %g", l.Seconds, l.MostSeconds))
	}
	return errs.Err()
}

// ParseLimit reads a limit, as "10ms".
func ParseLimit(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < ShortestLimit || d > time.Hour {
		return 0, fmt.Errorf("expected a duration from 10us to 1h, as in 10ms, found %q", text)
	}
	return d, nil
}

// LimitTimes returns the limits, longest first.
func (l Live) LimitTimes() []time.Duration {
	var out []time.Duration
	for _, text := range l.Limits {
		d, err := ParseLimit(text)
		if err != nil {
			panic(fmt.Sprintf("specs: %v", err)) // they have been checked
		}
		out = append(out, d)
	}
	slices.Sort(out)
	slices.Reverse(out)
	return slices.Compact(out)
}

// Searches reports whether highest rates are searched for.
func (l Live) Searches() bool { return len(l.Limits) > 0 && l.Answers >= protocol.FewestAnswers }

// nullModel is the model that answers at once.
const nullModel = "null"

// LiveTrials returns the live tests among trials or, if there are none, one for each model
// and place that can be loaded, behind one of the model null at each place.
func (l *Library) LiveTrials(trials []Trial) ([]Trial, error) {
	if own := LiveTests(trials); len(own) > 0 {
		return own, nil
	}
	null, err := l.LoadModel(nullModel)
	if err != nil {
		return nil, err
	}
	var out []Trial
	for _, cells := range lists.GroupBy(Scored(trials), Trial.Place) {
		floor := cells[0]
		options, err := null.Resolve(floor.Place(), "")
		if err != nil {
			return nil, err
		}
		floor.ModelID, floor.Variant, floor.Kind, floor.Title = null.ID, "", null.Kind, null.Title
		floor.Options, floor.Velocity, floor.Origins = options.Options, false, options.Origins
		seen := map[string]bool{}
		for _, t := range append([]Trial{floor}, cells...) {
			if t.Protocol.WithinBatch != TBatch && t.Setting != protocol.Inductive && !seen[t.Ref()] {
				seen[t.Ref()] = true
				t.Case, t.Protocol.Live = LiveCase, DefaultLive()
				out = append(out, t)
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("suite %s has nothing that live tests can load: expected trials with settings: [%s] and within_batch: %s among those chosen",
			trials[0].Suite, protocol.Transductive, LastWrite)
	}
	return out, nil
}
