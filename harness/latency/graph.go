package latency

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/results/record"
)

// How often graphs are replayed.
const (
	// warmUp is how long a device replays before anything counts: the clock of
	// an idle card is slow.
	warmUp = 500 * time.Millisecond
	// mostReplays are those of an iteration, fewer where they would take longer
	// than iterationTime with what is outside the clock.
	mostReplays   = 50
	iterationTime = time.Second
)

// graph is a model's pass over the headline's batches as one recording: all of
// them are known in advance and submitted at once.
type graph struct {
	*subject
	mode         string
	model        models.Model // keeps the device's buffers
	restore      kernels.Recording
	pass         kernels.Recording
	window       datasets.Stream
	logits       []float32 // of the last replay
	perIteration int       // replays, known once it is warm
	ns           []int64   // of all replays that count
	err          error
}

// newGraph records the pass, and how the state before it is put back. Both
// are done once before, so that all buffers are there.
func newGraph(s *subject, mode string) (*graph, error) {
	at := s.timings[0]
	m, err := s.build(at.batch)
	if err != nil {
		return nil, err
	}
	if err := s.advance(m, at); err != nil {
		return nil, err
	}
	g := &graph{subject: s, mode: mode, model: m, window: s.stream.Slice(at.start, at.end()), logits: make([]float32, at.batch*at.batches)}
	before := m.Snapshot(models.Everything)
	restore := func() error { return m.Restore(before) }
	pass := func() error { return classify(m, g.window, at.batch, g.logits) }
	if err := errors.Join(pass(), restore()); err != nil {
		return nil, err
	}
	if g.restore, err = recordingOf(s.device, false, restore); err != nil {
		return nil, err
	}
	if g.pass, err = recordingOf(s.device, mode == record.GraphWithCopies, pass); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// recordingOf notes what f asks of the device.
func recordingOf(on kernels.Device, copied bool, f func() error) (kernels.Recording, error) {
	var err error
	r, recordErr := on.(kernels.Recorder).Record(copied, func() { err = f() })
	if recordErr != nil {
		return nil, recordErr
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// close gives the recordings' memory back.
func (g *graph) close() {
	for _, r := range []kernels.Recording{g.restore, g.pass} {
		if r != nil {
			r.Close()
		}
	}
}

// warm replays until the device is warm and it is known how many replays an
// iteration has.
func (g *graph) warm() error {
	start, sum, n := time.Now(), time.Duration(0), 0
	for ; sum < warmUp; n++ {
		took, err := g.replay()
		if err != nil {
			return err
		}
		sum += took
	}
	each := time.Since(start) / time.Duration(n)
	g.perIteration = min(max(1, int(iterationTime/each)), mostReplays)
	return nil
}

// iterate times the replays of one iteration.
func (g *graph) iterate() error {
	runtime.GC() // what was made until now is not collected while the clock runs
	for range g.perIteration {
		took, err := g.replay()
		if err != nil {
			return err
		}
		g.ns = append(g.ns, took.Nanoseconds())
	}
	return nil
}

// replay times the pass once. The answers are NaN before, so that a clock that
// does not wait for them is seen.
func (g *graph) replay() (time.Duration, error) {
	if err := g.restore.Replay(); err != nil {
		return 0, err
	}
	for i := range g.logits {
		g.logits[i] = float32(math.NaN())
	}
	start := time.Now()
	err := g.pass.Replay()
	took := time.Since(start)
	if err != nil {
		return 0, err
	}
	g.pass.ReadResults()
	return took, compare(g.mode, g.window, g.logits, g.answers)
}

// take is one round: the first one warms up. After an error there are no
// more.
func (g *graph) take(round int) {
	switch {
	case g.err != nil:
	case round == 0:
		g.err = harness.Guard(g.warm)
	default:
		g.err = harness.Guard(g.iterate)
	}
}

// finish adds what was measured to the record.
func (g *graph) finish() {
	at := g.timings[0]
	out := record.GraphTiming{
		Mode: g.mode, Batch: at.batch, Batches: at.batches, Iterations: at.iterations, Replays: g.perIteration, Cache: record.WarmL2,
	}
	if g.err != nil {
		out.Error = fmt.Sprintf("%s: %v", g.trial.Ref(), g.err)
	} else {
		out.Warnings = graphWarnings(out.Medians(g.ns))
		g.subject.replays[g.mode] = g.ns
	}
	g.record.Latency.Graphs = append(g.record.Latency.Graphs, out)
}
