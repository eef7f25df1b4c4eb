package latency

import (
	"errors"
	"time"

	"dgsbench/datasets"
	"dgsbench/harness"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/specs"
)

// Expect is about how long one latency test takes, in seconds: warming up and
// all iterations, from some answers of each batch size that take about the
// given time.
func Expect(t specs.Trial, l *datasets.Loaded, on devices.Target, threads int, each time.Duration) (seconds float64, err error) {
	defer kernels.CatchFailure(&err)
	s, err := newSubject(t, l, on, threads)
	if err != nil {
		return 0, err
	}
	if s.record.Failed() {
		return 0, errors.New(s.record.Error)
	}
	sum := 0.0
	for i, at := range s.timings {
		at = at.streamed()
		s.setup.MaxBatch = max(at.batch, s.timings[0].fold)
		answer, err := s.try(at, each/time.Duration(len(s.timings)))
		if err != nil {
			return 0, err
		}
		before, measured := float64(at.start)/float64(at.batch), float64(at.batches)
		lead := float64(at.start-at.first) / float64(at.batch)
		answers := before + 2*measured + float64(at.warmups+at.iterations)*(lead+measured)
		if i == 0 {
			answers += before // of the model that is never put back
		}
		sum += answers * answer
		if _, ok := s.device.(kernels.Recorder); i == 0 && ok && !at.known {
			sum += graphSeconds(at, measured*answer)
		}
	}
	return sum, nil
}

// graphSeconds is about how long both modes of a graph take, of which one
// replay takes at most so many seconds.
func graphSeconds(at timing, replay float64) float64 {
	iteration := min(mostReplays*replay, iterationTime.Seconds())
	return 2 * (max(warmUp.Seconds(), replay) + float64(at.iterations)*max(iteration, replay))
}

// try gives the time of an answer on an idle machine, in seconds, with little
// in the state.
func (s *subject) try(at timing, budget time.Duration) (float64, error) {
	m, err := s.kind.New(s.setup, s.trial.Options)
	if err != nil {
		return 0, err
	}
	if m, err = s.deployed(m); err != nil {
		return 0, err
	}
	logits := make([]float32, at.batch)
	var took []float64
	start := time.Now()
	for lo := 0; lo+at.batch <= s.stream.Len() && !harness.EnoughTimes(len(took), time.Since(start), budget); lo += at.batch {
		began := time.Now()
		if err := m.Classify(s.stream.Slice(lo, lo+at.batch), logits); err != nil {
			return 0, err
		}
		took = append(took, time.Since(began).Seconds())
	}
	return harness.Undisturbed(took), nil
}
