package cli

import (
	"fmt"
	"io"
	"time"

	"dgsbench/harness"
	"dgsbench/harness/latency"
	"dgsbench/harness/plan"
	"dgsbench/internal/escape"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bar is a bar with the time left on a terminal, and one line a trial elsewhere.
type bar struct {
	out     io.Writer // of progress
	errors  io.Writer
	started time.Time
	pending int
	done    int
	share   float64
	first   int64 // bytes of a download that an earlier call has brought
	// expected is how long everything should take, 0 where that is not known.
	expected time.Duration

	container *mpb.Progress // nil where out is no terminal
	line      *mpb.Bar
}

// barUnits is how finely the bar moves.
const barUnits = 10_000

func (o *options) newBar() *bar {
	b := &bar{out: o.progress(), errors: o.stderr, started: time.Now()}
	if o.verbose {
		b.out = lines{b.out}
	}
	return b
}

// lines is a writer that no bar is drawn on.
type lines struct{ io.Writer }

func (b *bar) hooks() harness.Hooks {
	return harness.Hooks{
		Start: func(pending, found int) {
			b.open(pending, fmt.Sprintf("%d trials to measure side by side, %d found measured", pending, found))
		},
		Progress: b.progress,
		Done:     func(r record.Record) { b.finished(r.Key.String(), r.Error, ": "+headline(r), r.Durations.Total) },
		Wait: func(left int) {
			b.print(fmt.Sprintf("%d trials are being measured by another run in the same folder: waiting for it", left))
		},
		Remeasure: func(trials int, why string) { b.warn(fmt.Sprintf("%d trials are measured again: %s", trials, why)) },
	}
}

// planning draws, on a terminal only, how much of a plan is estimated.
func (b *bar) planning(what string) plan.Hooks {
	return plan.Hooks{
		Start: func(n int) {
			if isTerminal(b.out) {
				b.open(n, fmt.Sprintf("estimating %d %s", n, what))
			}
		},
		Step: func() {
			if b.done++; b.pending > 0 {
				b.progress(float64(b.done) / float64(b.pending))
			}
		},
	}
}

// timing prints a line a step. A bar would be drawn while the clock runs.
func (b *bar) timing(what string) latency.Hooks {
	b.out = lines{b.out}
	return latency.Hooks{
		Start: func(steps int) { b.open(steps, fmt.Sprintf("%d %s", steps, what)) },
		Step: func(what string, took time.Duration) {
			b.progress(float64(b.done+1) / float64(b.pending))
			b.finished(what, "", "", took.Seconds())
		},
	}
}

// open begins with what is to be done, if there is anything.
func (b *bar) open(pending int, line string) {
	b.close()
	b.pending, b.done, b.started = pending, 0, time.Now()
	if pending == 0 {
		return
	}
	fmt.Fprintln(b.out, line)
	b.start()
}

// start draws the bar, on a terminal.
func (b *bar) start() {
	b.draw(barUnits, decor.Percentage(), decor.Any(func(decor.Statistics) string { return fmt.Sprintf("  %s left", b.left()) }))
}

func (b *bar) draw(total int64, texts ...decor.Decorator) {
	if isTerminal(b.out) {
		b.container = mpb.New(mpb.WithOutput(unwrapWriter(b.out)), mpb.WithWidth(60))
		b.line = b.container.AddBar(total, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(texts...))
	}
}

// bytes draws a download, with its rate and the time left, on a terminal only.
func (b *bar) bytes(done, all int64) {
	if b.line == nil {
		b.started, b.first = time.Now(), done
		b.draw(all, decor.Any(func(s decor.Statistics) string { return rate(s.Current, s.Total, b.first, time.Since(b.started)) }))
	}
	if b.line != nil {
		b.line.SetTotal(all, false)
		b.line.SetCurrent(done)
	}
}

// rate returns the part of a download that is there, its rate and the time left.
func rate(done, all, first int64, spent time.Duration) string {
	const mega = 1e6
	perSecond := float64(done-first) / spent.Seconds()
	if all <= done || perSecond <= 0 {
		return fmt.Sprintf("  %.1f MB  %.1f MB/s", float64(done)/mega, perSecond/mega)
	}
	left := time.Duration(float64(all-done) / perSecond * float64(time.Second))
	return fmt.Sprintf("  %.1f of %.1f MB  %.1f MB/s  %v left", float64(done)/mega, float64(all)/mega, perSecond/mega, left.Round(time.Second))
}

// left estimates the time to the end from that so far, at the start as expected.
func (b *bar) left() string {
	spent := time.Since(b.started)
	switch {
	case b.share <= 0 && b.expected > 0:
		return max(0, b.expected-spent).Round(time.Second).String()
	case b.share <= 0:
		return "?"
	}
	return (time.Duration(float64(spent)/b.share) - spent).Round(time.Second).String()
}

func (b *bar) progress(share float64) {
	b.share = share
	if b.line != nil {
		b.line.SetCurrent(int64(share * barUnits))
	}
}

// finished prints a failure, or without one a result if there is no bar.
func (b *bar) finished(what, failure, value string, seconds float64) {
	b.done++
	switch {
	case failure != "":
		b.warn(fmt.Sprintf("failed: %s: %s", what, failure))
	case b.container == nil:
		b.print(fmt.Sprintf("[%d/%d] %s%s (%.1f s, %s left)", b.done, b.pending, what, value, seconds, b.left()))
	}
}

func (b *bar) print(line string) { b.printTo(b.out, line) }

// warn prints what --quiet does not leave out.
func (b *bar) warn(line string) { b.printTo(b.errors, line) }

// printTo prints a line above the bar, or to out where there is none.
func (b *bar) printTo(out io.Writer, line string) {
	if b.container != nil {
		fmt.Fprintln(b.container, escape.Message(line))
		return
	}
	fmt.Fprintln(out, line)
}

// headline returns the first test metric of the record.
func headline(r record.Record) string {
	for _, s := range r.Scores {
		if s.Split == protocol.Test {
			m, err := metrics.Lookup(s.Metric)
			if err != nil {
				break
			}
			if !s.Value.Present() {
				return "test " + m.Title + " not defined"
			}
			text := fmt.Sprintf("test %s %.4f", m.Title, float64(s.Value))
			if s.Degenerate != "" {
				text += ", which is uninformative: " + string(s.Degenerate)
			}
			return text
		}
	}
	return "measured"
}

// close ends the bar, also one that is not full.
func (b *bar) close() {
	if b.container == nil {
		return
	}
	b.line.Abort(true)
	b.container.Wait()
	b.container, b.line = nil, nil
}
