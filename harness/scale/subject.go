package scale

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/internal/optional"
	"dgsbench/internal/ram"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"

	"gonum.org/v1/gonum/stat"
)

const (
	// chunkEvents are timed together, or one batch where that is more: long
	// enough for the clock, and short enough that a median over chunks is not
	// disturbed by what else the machine does.
	chunkEvents    = 2_000
	fitEvents      = 20_000 // of the model's training part
	countedBatches = 11     // whose allocations are counted
)

// subject is a model at work on a stream.
type subject struct {
	job
	generator *Generator
	model     models.Model
	blueprint *harness.Blueprint
	step      func(datasets.Stream) error // processes a batch
	fit       datasets.Stream             // its training part
	times     []float64                   // microseconds an event, of every chunk
	before    int64                       // bytes on the heap with all but the model

	negatives *rand.Rand
	scratch   []int32
}

// newSubject builds the model and processes one chunk, so that what a model
// sets up only once is not timed. Then it resets the state.
func newSubject(j job) (*subject, error) {
	size := j.point.Size
	if err := ram.Check("the stream", j.streamBytes()); err != nil {
		return nil, err
	}
	s := &subject{
		job: j, generator: NewGenerator(size.Nodes, size.Features, j.Seed),
		fit:       NewGenerator(size.Nodes, size.Features, j.Seed+1).Next(max(fitEvents, j.chunk())),
		times:     make([]float64, 0, 1+size.Events/j.chunk()),
		negatives: nn.Rand(j.Seed, nn.ForNegatives), scratch: make([]int32, size.Batch),
	}
	s.generator.reserve(j.chunk())
	s.before = heap()
	s.blueprint = harness.NewBlueprint(j.Model.Kind, j.options, models.Setup{
		Task: j.Task, NumNodes: size.Nodes, Users: s.fit.Users, NumFeat: size.Features, MaxBatch: size.Batch,
		Events: size.Events, Inference: j.Mode == Inference, Train: s.fit.WithoutLabels(), Seed: j.Seed, Threads: size.Threads,
	}, j.Device)
	if err := ram.Check("the model", s.blueprint.HostBytes()); err != nil {
		return nil, err
	}
	var err error
	if s.model, err = s.blueprint.Build(); err != nil {
		return nil, err
	}
	s.step = s.steps()
	if _, err := s.chunkTime(s.fit.Slice(0, j.chunk())); err != nil {
		s.blueprint.Close()
		return nil, err
	}
	s.model.Reset()
	return s, nil
}

// streamBytes returns the memory of all but the model: both generators, what is
// given as the training part, a chunk, times and candidates.
func (j job) streamBytes() int64 {
	const node, candidate = 4 + 1, 4
	size := j.point.Size
	return (2*node+candidate)*int64(size.Nodes) + 8*int64(size.Events/j.chunk()) +
		datasets.Bytes(max(fitEvents, j.chunk())+j.chunk(), size.Features)
}

// chunk returns the number of events that are timed together: whole batches.
func (j job) chunk() int {
	return max(1, chunkEvents/j.point.Batch) * j.point.Batch
}

// steps returns the function that processes a batch, whose labels become known last.
func (s *subject) steps() func(datasets.Stream) error {
	switch {
	case s.Mode == Training:
		return s.train
	case s.ranks():
		return s.rank()
	}
	logits := make([]float32, s.point.Batch)
	return func(b datasets.Stream) error {
		if err := s.model.Classify(b.WithoutLabels(), logits[:b.Len()]); err != nil {
			return err
		}
		return models.Reveal(s.model, b)
	}
}

// train makes a training step, in link prediction with a negative for every event.
func (s *subject) train(b datasets.Stream) error {
	var negatives []int32
	if s.Task == protocol.LinkPrediction {
		negatives = s.scratch[:b.Len()]
		for k := range negatives {
			negatives[k] = int32(b.Users + s.negatives.IntN(b.NumNodes-b.Users))
		}
	}
	_, err := s.model.Train(b, negatives)
	return err
}

// rank returns the function that ranks a batch against the candidates of the
// plan and then updates the state, as evaluation does.
func (s *subject) rank() func(datasets.Stream) error {
	first := 0
	if s.Candidates == protocol.Destinations {
		first = s.generator.users
	}
	c := models.Candidates{Nodes: make([]int32, s.point.Nodes-first)}
	for i := range c.Nodes {
		c.Nodes[i] = int32(first + i)
	}
	counts := models.Counts{Greater: make([]int32, s.point.Batch), Equal: make([]int32, s.point.Batch)}
	return func(b datasets.Stream) error {
		b = b.WithoutLabels()
		out := models.Counts{Greater: counts.Greater[:b.Len()], Equal: counts.Equal[:b.Len()]}
		if err := s.model.Rank(b.WithFeatures(nil, 0), c, out); err != nil {
			return err
		}
		return s.model.Observe(b)
	}
}

// stream processes the events and times every chunk, without the generator.
func (s *subject) stream(ctx context.Context, progress func(events int)) error {
	for left := s.point.Events; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(left, s.chunk())
		took, err := s.chunkTime(s.generator.Next(n))
		if err != nil {
			return err
		}
		s.times = append(s.times, float64(took)/float64(time.Microsecond)/float64(n))
		left -= n
		progress(s.point.Events - left)
	}
	return nil
}

// chunkTime processes a chunk and returns the time that takes.
func (s *subject) chunkTime(chunk datasets.Stream) (time.Duration, error) {
	start := time.Now()
	for lo := 0; lo < chunk.Len(); lo += s.point.Batch {
		if err := s.step(chunk.Slice(lo, min(lo+s.point.Batch, chunk.Len()))); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}

// allocs returns how many objects a batch allocates: the median over some
// batches after the stream, so that other activity of the program is not counted.
func (s *subject) allocs() (optional.Number, error) {
	var before, after runtime.MemStats
	var counts []float64
	for range countedBatches {
		b := s.generator.Next(s.point.Batch)
		runtime.ReadMemStats(&before)
		if err := s.step(b); err != nil {
			return optional.Absent(), err
		}
		runtime.ReadMemStats(&after)
		counts = append(counts, float64(after.Mallocs-before.Mallocs))
	}
	return optional.Number(quantile(counts, .5)), nil
}

// driftChunks is the fewest chunks whose halves are compared.
const driftChunks = 10

// summary returns the median of the times, their quartiles, and the median of the
// second half by that of the first.
func summary(times []float64) (median, low, high, drift optional.Number) {
	drift = optional.Absent()
	if half := len(times) / 2; len(times) >= driftChunks {
		drift = optional.Number(quantile(times[half:], .5) / quantile(times[:half], .5))
	}
	at := func(p float64) optional.Number { return optional.Number(quantile(times, p)) }
	return at(.5), at(.25), at(.75), drift
}

// quantile returns the smallest value that a share p of the values does not exceed.
func quantile(values []float64, p float64) float64 {
	return stat.Quantile(p, stat.Empirical, slices.Sorted(slices.Values(values)), nil)
}
