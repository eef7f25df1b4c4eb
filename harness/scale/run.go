package scale

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/optional"
	"dgsbench/internal/ram"
	"dgsbench/specs"
)

// Hooks are called as a run goes on; none may be nil.
type Hooks struct {
	Start    func(points int)
	Progress func(share float64) // of all events that are done
	Done     func(p Point, took time.Duration)
}

// Run measures the points of the plan, one after another. An error from
// before the first point says what is wrong with the plan; cancelling ctx
// stops at the next chunk with ctx's error and the report of what was
// finished. A point at which the model fails says so, and the run goes on.
func Run(ctx context.Context, p Plan, h Hooks) (Result, error) {
	jobs, err := p.jobs()
	if err != nil {
		return Result{}, err
	}
	r := Result{
		Model: specs.JoinRef(p.Model.ID, p.Variant), Title: p.Model.Title, Task: p.Task, Mode: p.Mode, Base: p.Base,
		Seed: p.Seed, Threads: p.Base.Threads, Machine: harness.Machine(p.Device), Device: p.Device.Name(), Code: harness.CodeVersion(),
	}
	if p.Variant != "" {
		r.Title = r.Model
	}
	if p.ranks() {
		r.Candidates = p.Candidates
	}
	total, done := 0, 0
	for _, j := range jobs {
		total += j.point.Events
	}
	h.Start(len(jobs))
	for _, j := range jobs {
		start := time.Now()
		err := harness.Guard(func() error {
			return j.measure(ctx, func(events int) { h.Progress(float64(done+events) / float64(total)) })
		})
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if err != nil {
			j.point.Error = err.Error()
		}
		done += j.point.Events
		r.Points = append(r.Points, j.point)
		h.Done(j.point, time.Since(start))
	}
	return r, nil
}

// measure completes the point. It first frees the memory of earlier points.
func (j *job) measure(ctx context.Context, progress func(events int)) error {
	debug.FreeOSMemory()
	forgotten := ram.ForgetPeak()
	s, err := newSubject(*j)
	if err != nil {
		return err
	}
	defer s.blueprint.Close()
	if err := s.stream(ctx, progress); err != nil {
		return err
	}
	point := j.point
	point.Met, point.Params = s.generator.met, s.model.NumParams()
	if peak, known := ram.Peak(); forgotten && known {
		point.Peak = megabytes(peak)
	}
	point.Held = megabytes(heap() - s.before)
	if j.Device.SeparateMemory() {
		point.OnCard = megabytes(s.blueprint.PeakMemory())
	}
	point.Micros, point.Low, point.High, point.Drift = summary(s.times)
	if point.Allocs, err = s.allocs(); err != nil {
		return err
	}
	j.point = point
	return nil
}

// heap returns the bytes of the heap that are reachable.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func megabytes(bytes int64) optional.Number { return optional.Number(float64(bytes) / 1e6) }
