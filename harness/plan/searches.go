package plan

import (
	"context"
	"slices"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/harness/tune"
)

// tried is how many trials of a search are tried out: those of its random
// phase, whose sizes lie anywhere in the ranges. As many that are over tell
// more, because they were stopped early.
const tried = 3

// tuningPlanner is a plan of searches in the making.
type tuningPlanner struct {
	TuningQuestion
	Hooks
	out      Tuning
	searches []*search
	datasets []string // that trials are tried out on
	data     int64    // bytes of their streams
	abreast  int      // trials of one study side by side
}

// search is one with what is tried out of it.
type search struct {
	Search
	study tune.Study
	tries int
	took  []harness.Cost
}

// gather looks for trials that are over.
func (p *tuningPlanner) gather() error {
	for _, study := range p.Studies {
		s := &search{study: study, Search: Search{
			Model: study.Model.ID, Dataset: study.At.Dataset, Task: study.At.Task, Setting: study.At.Setting,
			Trials: study.Trials, Random: study.Random, Epochs: study.Protocol.Epochs,
		}}
		for _, q := range study.Searched() {
			s.Parameters = append(s.Parameters, q.Name())
		}
		over, err := study.Past(p.Out)
		if err != nil {
			return err
		}
		s.look(over)
		if s.tries > 0 && !slices.Contains(p.datasets, s.Dataset) {
			p.datasets = append(p.datasets, s.Dataset)
		}
		p.searches = append(p.searches, s)
		p.out.Trials, p.out.ToDo = p.out.Trials+1+s.Trials, p.out.ToDo+s.Left
	}
	p.abreast = tune.TrialsAtOnce(p.Workers, len(p.Studies))
	p.out.Workers = max(1, min(p.Workers, p.abreast*len(p.Studies), p.out.ToDo))
	return nil
}

// look takes the time from trials that are over, if they are enough. The
// model's own options, whose sizes are none of the search's, do not count.
func (s *search) look(over []tune.Line) {
	s.Found, s.Left = len(over), max(0, s.Trials+1-len(over))
	for _, l := range over {
		if l.Trial >= 0 {
			s.took = append(s.took, harness.Cost{Seconds: l.Seconds})
		}
	}
	switch {
	case s.Left == 0:
		s.Source = Measured
	case len(s.took) >= tried:
		s.Source = Past
		s.sum()
	default:
		s.tries, s.took = min(tried, s.Trials), nil
	}
}

// tries is how many trials are tried out.
func (p *tuningPlanner) tries() (n int) {
	for _, s := range p.searches {
		n += s.tries
	}
	return n
}

// dataset tries out trials of all searches on a dataset, side by side.
func (p *tuningPlanner) dataset(ctx context.Context, name string) error {
	loaded, source, missing, err := load(name, p.DataDir)
	if err != nil {
		return err
	}
	p.out.Missing = append(p.out.Missing, missing...)
	p.data += datasets.Bytes(loaded.Stream.Len(), loaded.Stream.NumFeat)
	var list []*harness.Estimate
	of := map[*harness.Estimate]*search{}
	cut := harness.NewCutter(loaded)
	for _, s := range p.searches {
		if s.Dataset != name || s.tries == 0 {
			continue
		}
		s.Source = source
		some, err := p.begin(s, cut)
		if err != nil {
			return err
		}
		for _, r := range some {
			list, of[r] = append(list, r), s
		}
	}
	err = harness.EstimateAll(ctx, list, p.out.Workers, each, p.out.Free, func(r *harness.Estimate) {
		of[r].take(r, p.out.Free)
		p.Step(of[r].String())
	})
	for _, s := range p.searches {
		if s.Dataset == name && s.tries > 0 {
			s.sum()
		}
	}
	return err
}

// begin are the first trials of a search. One with options that the model
// refuses fails in the search too, at once.
func (p *tuningPlanner) begin(s *search, cut *harness.Cutter) (list []*harness.Estimate, err error) {
	for number := range s.tries {
		t, err := s.study.RandomTrial(number)
		if err != nil {
			s.Problem = err.Error()
			p.Step(s.String())
			continue
		}
		parts, err := cut.Parts(t)
		if err != nil {
			s.Problem = err.Error()
			p.Step(s.String())
			continue
		}
		list = append(list, harness.NewTrainingEstimate(t, parts, p.Device))
	}
	return list, nil
}

// take counts what a trial takes that was tried out.
func (s *search) take(r *harness.Estimate, free int64) {
	s.Memory = max(s.Memory, r.Bytes)
	switch {
	case r.Err != nil:
		s.Problem = r.Err.Error()
	case r.Bytes > free:
		s.Problem = "needs more memory than is free"
	default:
		s.took = append(s.took, r.Cost)
	}
}

// sum says what the trials that are left take if they are like those counted.
func (s *search) sum() {
	s.Counted = len(s.took)
	if s.Counted == 0 {
		s.Source = Unplanned
		return
	}
	s.Each.Least = s.took[0].Seconds
	for _, l := range s.took {
		s.Each.Mean += l.Seconds / float64(s.Counted)
		s.Each.Least, s.Each.Most = min(s.Each.Least, l.Seconds), max(s.Each.Most, l.Seconds)
	}
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

// together is what all trials take if each is like that one of its search.
// Searches take turns, and none has more trials at a time than are abreast.
func (p *tuningPlanner) together(like func(Span) float64) harness.Cost {
	var loads []harness.Cost
	longest := 0.0
	for round := range p.out.ToDo {
		for _, s := range p.searches {
			if round < s.Left {
				loads = append(loads, harness.Cost{Seconds: like(s.Each), Bytes: s.Memory})
			}
		}
	}
	for _, s := range p.searches {
		turns := (s.Left + p.abreast - 1) / p.abreast
		longest = max(longest, float64(turns)*like(s.Each))
	}
	all := harness.SideBySide(loads, p.out.Workers, p.out.Free)
	all.Seconds = max(all.Seconds, longest)
	return all
}
