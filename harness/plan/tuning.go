package plan

import (
	"cmp"
	"context"
	"slices"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/tune"
	"dgsbench/internal/lists"
	"dgsbench/specs"
)

// Span are the seconds of some trials: their mean, the quickest, the slowest.
type Span struct {
	Mean  float64 `json:"mean"`
	Least float64 `json:"least"`
	Most  float64 `json:"most"`
}

// Search is what the trials of a study take. Sizes are bytes.
type Search struct {
	Model string `json:"model"`
	specs.Place
	Parameters []string `json:"search"` // their names
	Trials     int      `json:"trials"` // beside the one with the model's own options
	Random     int      `json:"random"` // of them
	Epochs     int      `json:"epochs"` // at most
	Found      int      `json:"found"`  // trials that are over
	Left       int      `json:"left"`   // trials that are not
	Each       Span     `json:"seconds_each"`
	Seconds    float64  `json:"seconds_left"` // one trial after the other
	Memory     int64    `json:"memory_each"`  // at most, of the model, beside the data
	Source     Source   `json:"source"`
	Counted    int      `json:"trials_counted"` // that Each is of
	Problem    string   `json:"problem,omitempty"`
}

// Tuning is what searches take on this machine. Where trials were estimated,
// no training is stopped early. Sizes are bytes.
type Tuning struct {
	Machine  string    `json:"machine"`
	Workers  int       `json:"workers"`
	Searches []Search  `json:"studies"`
	Trials   int       `json:"trials"` // those with own options among them
	ToDo     int       `json:"to_do"`
	Seconds  Span      `json:"seconds"`     // of the wall clock, if all trials are like the mean, the quickest, the slowest of their search
	Memory   int64     `json:"memory"`      // at most at once: data and models side by side, of what was estimated; on a card only the models, and the card's
	Free     int64     `json:"memory_free"` // see Known
	Known    bool      `json:"memory_known"`
	Missing  []Missing `json:"missing"`
}

// TooLarge returns the first search with an estimated trial that does not fit into
// the memory.
func (t Tuning) TooLarge() (which Search, found bool) {
	return lists.Find(t.Searches, func(s Search) bool { return s.Memory > t.Free })
}

// sampled is how many trials of a search are estimated: those of its random
// phase, whose sizes lie anywhere in the ranges. The times of as many trials
// that are over are better, because they were stopped early.
const sampled = 3

// tuningPlanner is a plan of searches in the making.
type tuningPlanner struct {
	Question
	out      Tuning
	searches []*search
	atOnce   int   // trials of one study side by side
	data     int64 // bytes of the streams
}

// search is a Search with the times that it is planned by.
type search struct {
	Search
	study     tune.Study
	samples   int // trials to be estimated
	estimates []*harness.Estimate
	seconds   []float64
}

// MakeTuning plans the searches: by their trials so far, else by estimating the
// random ones that they begin with. The error is as that of Make.
func MakeTuning(ctx context.Context, q Question, h Hooks) (Tuning, error) {
	q.Workers = cmp.Or(q.Workers, q.Device.Workers())
	memory := q.Device.Memory()
	p := tuningPlanner{Question: q, atOnce: tune.TrialsAtOnce(q.Workers, len(q.Studies)), out: Tuning{
		Machine: harness.Machine(q.Device), Searches: []Search{}, Missing: []Missing{}, Free: memory.Free, Known: memory.Known,
	}}
	var names []string // of the datasets that trials are estimated on
	estimates := 0
	for _, study := range p.Studies {
		s, err := newSearch(study, p.Store.Dir)
		if err != nil {
			return Tuning{}, err
		}
		if s.samples > 0 && !slices.Contains(names, s.Dataset) {
			names = append(names, s.Dataset)
		}
		estimates += s.samples
		p.searches = append(p.searches, s)
		p.out.Trials, p.out.ToDo = p.out.Trials+1+s.Trials, p.out.ToDo+s.Left
	}
	p.out.Workers = max(1, min(p.Workers, p.atOnce*len(p.Studies), p.out.ToDo))
	if err := datasets.CheckRoom(names); err != nil {
		return Tuning{}, err
	}
	h.Start(estimates)
	for _, name := range names {
		if err := p.dataset(ctx, name, h.Step); err != nil {
			return Tuning{}, err
		}
	}
	p.total()
	return p.out, nil
}

// newSearch takes the times of the study from its trials that are over, if enough
// are. The one with the model's own options, of another size, does not count.
func newSearch(study tune.Study, out string) (*search, error) {
	over, err := study.Past(out)
	if err != nil {
		return nil, err
	}
	s := &search{study: study, Search: Search{
		Model: study.Model.ID, Place: study.At, Parameters: lists.Map(study.Model.SearchFor(study.At.Task), specs.Parameter.Name),
		Trials: study.Trials, Random: study.Random, Epochs: study.Protocol.Epochs,
		Found: len(over), Left: max(0, study.Trials+1-len(over)),
	}}
	for _, l := range over {
		if l.Trial >= 0 {
			s.seconds = append(s.seconds, l.Seconds)
		}
	}
	switch {
	case s.Left == 0:
		s.Source = Measured
	case len(s.seconds) >= sampled:
		s.Source = Past
		s.sum()
	default:
		s.samples, s.seconds = min(sampled, s.Trials), nil
	}
	return s, nil
}

// dataset estimates trials of all searches on a dataset, side by side.
func (p *tuningPlanner) dataset(ctx context.Context, name string, step func()) error {
	loaded, source, err := load(name, p.DataDir, &p.out.Missing)
	if err != nil {
		return err
	}
	p.data += datasets.Bytes(loaded.Stream.Len(), loaded.Stream.NumFeat)
	var list []*harness.Estimate
	cut := harness.NewCutter(loaded)
	searches := slices.DeleteFunc(slices.Clone(p.searches), func(s *search) bool { return s.Dataset != name || s.samples == 0 })
	for _, s := range searches {
		s.Source = source
		for number := range s.samples {
			t, err := s.study.RandomTrial(number)
			var parts datasets.Parts
			if err == nil {
				parts, err = cut.Parts(t)
			}
			if err != nil { // the trial fails in the search too, at once
				s.Problem = err.Error()
				step()
				continue
			}
			s.estimates = append(s.estimates, &harness.Estimate{Trial: t, Parts: harness.WithoutTest(parts), Device: p.Device})
		}
		list = append(list, s.estimates...)
	}
	err = harness.EstimateAll(ctx, list, p.out.Workers, budget, p.out.Free, step)
	for _, s := range searches {
		for _, e := range s.estimates {
			s.Memory = max(s.Memory, e.Bytes)
			if e.Err != nil {
				s.Problem = e.Err.Error()
			} else {
				s.seconds = append(s.seconds, e.Seconds)
			}
		}
		s.sum()
	}
	return err
}

// sum sets what the trials that are left take if they are like those counted.
func (s *search) sum() {
	s.Counted = len(s.seconds)
	if s.Counted == 0 {
		s.Source = Unplanned
		return
	}
	for _, x := range s.seconds {
		s.Each.Mean += x / float64(s.Counted)
	}
	s.Each.Least, s.Each.Most = slices.Min(s.seconds), slices.Max(s.seconds)
	s.Seconds = s.Each.Mean * float64(s.Left)
}

// total adds up what the searches take.
func (p *tuningPlanner) total() {
	for _, s := range p.searches {
		p.out.Searches = append(p.out.Searches, s.Search)
	}
	all := p.together(func(each Span) float64 { return each.Mean })
	p.out.Seconds = Span{
		Mean:  all.Seconds,
		Least: p.together(func(each Span) float64 { return each.Least }).Seconds,
		Most:  p.together(func(each Span) float64 { return each.Most }).Seconds,
	}
	p.out.Memory = all.Bytes
	if !p.Device.SeparateMemory() {
		p.out.Memory += p.data
	}
}

// together returns what all trials take if each is like that one of its search.
// Searches take turns, and none has more than atOnce trials at a time.
func (p *tuningPlanner) together(like func(Span) float64) harness.Cost {
	var costs []harness.Cost
	longest := 0.0
	for round := range p.out.ToDo {
		for _, s := range p.searches {
			if round < s.Left {
				costs = append(costs, harness.Cost{Seconds: like(s.Each), Bytes: s.Memory})
			}
		}
	}
	for _, s := range p.searches {
		turns := (s.Left + p.atOnce - 1) / p.atOnce
		longest = max(longest, float64(turns)*like(s.Each))
	}
	all := harness.SideBySide(costs, p.out.Workers, p.out.Free)
	all.Seconds = max(all.Seconds, longest)
	return all
}
