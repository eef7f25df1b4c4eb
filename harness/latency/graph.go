package latency

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/results/record"
)

// How often graphs are replayed.
const (
	warmUp        = 500 * time.Millisecond // of replays that do not count: the clock of an idle card is slow
	maxReplays    = 50                     // of an iteration, within iterationTime
	iterationTime = 300 * time.Millisecond // at most, with what is outside the clock
)

// graphSeconds returns about how long both modes of a graph take.
func graphSeconds(iterations int, replay float64) float64 {
	iteration := min(maxReplays*replay, iterationTime.Seconds())
	return 2 * (max(warmUp.Seconds(), replay) + float64(iterations)*max(iteration, replay))
}

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
}

// setUp records the pass, and how the state before it is restored. Both are
// done once before, so that all buffers are there.
func (g *graph) setUp() (err error) {
	at := g.timings[0]
	if g.model, err = g.warmModel(at.batch); err != nil {
		return err
	}
	if err := g.advance(g.model, at); err != nil {
		return err
	}
	g.window, g.logits = g.stream.Slice(at.start, at.end()), make([]float32, at.batch*at.batches)
	before := g.model.Snapshot(models.Everything)
	restore := func() error { return g.model.Restore(before) }
	pass := func() error { return classify(g.model, g.window, at.batch, g.logits) }
	if err := errors.Join(pass(), restore()); err != nil {
		return err
	}
	if g.restore, err = recordingOf(g.Device(), false, restore); err == nil {
		g.pass, err = recordingOf(g.Device(), g.mode == record.GraphWithCopies, pass)
	}
	return err
}

// recordingOf records what f asks of the device. The recording must be closed.
func recordingOf(on kernels.Device, copied bool, f func() error) (kernels.Recording, error) {
	var err error
	r, recordErr := on.(kernels.Recorder).Record(copied, func() { err = f() })
	return r, errors.Join(recordErr, err)
}

// close frees the recordings' memory.
func (g *graph) close() {
	for _, r := range []kernels.Recording{g.restore, g.pass} {
		if r != nil {
			r.Close()
		}
	}
}

// turn makes the replays of one iteration. The first one warms up.
func (g *graph) turn(round int) error {
	if round == 0 {
		return g.warm()
	}
	return g.iterate()
}

// warm replays until the device is warm, and sets the number of replays of an iteration.
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
	g.perIteration = min(max(1, int(iterationTime/each)), maxReplays)
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
// does not wait for them is noticed.
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

// finish adds the timing, or the error, to the record of the times of streaming.
func (g *graph) finish(err error) {
	at := g.timings[0]
	out := record.GraphTiming{
		Mode: g.mode, Batch: at.batch, Batches: at.batches, Iterations: at.iterations, Replays: g.perIteration, Cache: record.WarmL2,
	}
	if err != nil {
		out.Error = fmt.Sprintf("%s: %v", g.trial.Ref(), err)
	} else {
		out.Warnings = graphWarnings(out.Medians(g.ns))
		g.Times[out.Array()] = g.ns
	}
	g.Record.Latency.Graphs = append(g.Record.Latency.Graphs, out)
}
