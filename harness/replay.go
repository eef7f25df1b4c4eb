package harness

import (
	"context"

	"dgsbench/datasets"
	"dgsbench/internal/ram"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// Replay is a trained model that answers events before and in the test part, in batches
// of any size, as often as it is taken back. Labels reach it when they become known.
// Events are numbered as in the whole stream.
type Replay struct {
	run     *run
	at      int // the next event that the model has not met
	without [][]int32
	scratch []float32 // that models write to, which never get hold of what is kept
	from    int       // the first event whose answers are kept
	scores  []float32
	counts  models.Counts
}

// Mark is a state of a Replay's model.
type Mark struct {
	state    models.Snapshot
	at, told int
}

// NewReplay builds and trains the model of a trial as its protocol says, or takes the
// parameters of its checkpoint. It is then at the first event of the stream.
func NewReplay(ctx context.Context, t specs.Trial, parts datasets.Parts, on devices.Target, threads int, checkpoint string) (*Replay, error) {
	if err := ram.Check(t.Ref(), trialBytes(t, parts, on, false)); err != nil {
		return nil, err
	}
	r, err := newRun(t, parts, on, threads, func() {})
	if err != nil {
		return nil, err
	}
	p := &Replay{run: r}
	p.scratch = make([]float32, t.Protocol.Live.LargestBatch)
	if t.Protocol.Filter == specs.FilterSameSrcT && t.Task == protocol.LinkPrediction {
		p.without = make([][]int32, parts.Whole.Len()) // of test events alone, as in a trial
		copy(p.without[parts.Whole.Len()-parts.Test.Len():], sameSourceAndTime(parts.Test))
	}
	if checkpoint == "" {
		err = r.train(ctx)
	} else {
		var s models.Snapshot
		if s, _, err = models.ReadCheckpoint(checkpoint); err == nil {
			err = r.model.Restore(s)
		}
	}
	if err != nil {
		return nil, err
	}
	r.model.Reset()
	r.told = 0
	return p, nil
}

// Model returns the model, for its description.
func (p *Replay) Model() models.Model { return p.run.model }

// At returns the number of events that the model has met.
func (p *Replay) At() int { return p.at }

// Observe folds the events before hi in, in batches of the protocol.
func (p *Replay) Observe(ctx context.Context, hi int) error {
	whole, size := p.run.parts.Whole, p.run.spec.Protocol.Batch
	for p.at < hi {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := whole.Slice(p.at, min(p.at+size, hi))
		if err := p.run.tell(b); err != nil {
			return err
		}
		if err := p.run.model.Observe(b.WithoutLabels()); err != nil {
			return err
		}
		p.at += b.Len()
	}
	return nil
}

// Mark returns the present state, for Rewind.
func (p *Replay) Mark() Mark {
	return Mark{p.run.model.Snapshot(models.Everything), p.at, p.run.told}
}

// Rewind takes the model to another state.
func (p *Replay) Rewind(to Mark) error {
	p.at, p.run.told = to.at, to.told
	return p.run.model.Restore(to.state)
}

// Keep makes room for the last answers to a number of events. No others may be answered.
func (p *Replay) Keep(from, events int) {
	p.from = from
	if p.run.spec.Task == protocol.NodeClassification {
		p.scores = make([]float32, events)
	} else {
		p.counts = models.Counts{Greater: make([]int32, events), Equal: make([]int32, events)}
	}
}

// Answer gives the model the labels that have become known, has it answer the next n
// events from one state and folds them in.
func (p *Replay) Answer(n int) error {
	b := p.run.parts.Whole.Slice(p.at, p.at+n)
	if err := p.run.tell(b); err != nil {
		return err
	}
	b = b.WithoutLabels()
	lo := p.at - p.from
	if p.run.spec.Task == protocol.NodeClassification {
		scores := p.scratch[:n:n]
		clear(scores)
		if err := p.run.model.Classify(b, scores); err != nil {
			return err
		}
		copy(p.scores[lo:], scores)
		p.at += n
		return models.CheckScores(b, scores)
	}
	counts := models.Counts{Greater: p.counts.Greater[lo : lo+n : lo+n], Equal: p.counts.Equal[lo : lo+n : lo+n]}
	if err := p.run.model.Rank(b.WithFeatures(nil, 0), p.candidates(p.at, p.at+n), counts); err != nil {
		return err
	}
	if err := p.run.model.Observe(b); err != nil {
		return err
	}
	p.at += n
	return nil
}

// candidates returns those of the headline for events lo to hi.
func (p *Replay) candidates(lo, hi int) models.Candidates {
	c := models.Candidates{Nodes: p.run.sets[0].nodes}
	if p.without != nil {
		c.Without = p.without[lo:hi]
	}
	return c
}

// AppendFacts adds the last answers to events lo to hi, which are among those of Keep.
func (p *Replay) AppendFacts(f *metrics.Facts, lo, hi int) {
	from, to := lo-p.from, hi-p.from
	if p.run.spec.Task == protocol.NodeClassification {
		f.Score = append(f.Score, p.scores[from:to]...)
		f.Label = append(f.Label, p.run.parts.Whole.Label[lo:hi]...)
		f.LogOdds = p.run.spec.Kind.LogOdds
		return
	}
	f.Greater = append(f.Greater, p.counts.Greater[from:to]...)
	f.Equal = append(f.Equal, p.counts.Equal[from:to]...)
	c := p.candidates(lo, hi)
	for k, dst := range p.run.parts.Whole.Dst[lo:hi] {
		f.Against = append(f.Against, numNegatives(c, k, dst))
	}
}

// Part names the answers to test events in a record.
func (p *Replay) Part(evaluation string) record.Part {
	part := record.Part{Split: protocol.Test, Evaluation: evaluation}
	if p.run.spec.Task == protocol.LinkPrediction {
		part.Candidates = p.run.sets[0].name
	}
	return part
}

// Changed returns what the model has written to of what trials share, as
// datasets.Parts.Changed.
func (p *Replay) Changed() string { return p.run.parts.Changed() }

// Checkpoint returns the file with the parameters of a live test's model: that of a
// scored trial of the suite that has the same model, data, seed and protocol. It is
// empty if there is none.
func Checkpoint(s record.Store, t specs.Trial, l *datasets.Loaded, on devices.Target) (string, error) {
	t = t.Unloaded()
	rec := Describe(t, l, on)
	found, ok, err := Find(s, t, rec, true)
	if err != nil || !ok || found.Failed() {
		return "", err
	}
	return checkpointPath(s, found), nil
}
