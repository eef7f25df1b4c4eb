package cli

import (
	"fmt"
	"io"
	"time"

	"dgsbench/harness"
	"dgsbench/internal/escape"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results/record"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// bar shows progress: a bar with the time left on a terminal, one line a
// trial elsewhere.
type bar struct {
	out     io.Writer
	started time.Time
	pending int
	done    int
	share   float64
	// expected is what everything should take, if somebody knows.
	expected time.Duration

	container *mpb.Progress // nil where out is no terminal
	line      *mpb.Bar
}

// barUnits is how finely the bar moves.
const barUnits = 10_000

func newBar(out io.Writer) *bar { return &bar{out: out, started: time.Now()} }

func (b *bar) hooks() harness.Hooks {
	return harness.Hooks{Start: b.start, Progress: b.progress, Done: b.trial, Wait: b.wait, Again: b.again}
}

func (b *bar) start(pending, found int) {
	b.open(pending, fmt.Sprintf("%d trials to measure side by side, %d found measured", pending, found))
}

// open begins with what is to be done, if there is anything.
func (b *bar) open(pending int, line string) {
	b.close()
	b.pending, b.done, b.started = pending, 0, time.Now()
	if pending == 0 {
		return
	}
	fmt.Fprintln(b.out, line)
	b.show()
}

// show draws the bar, on a terminal.
func (b *bar) show() {
	if !isTerminal(b.out) {
		return
	}
	b.container = mpb.New(mpb.WithOutput(under(b.out)), mpb.WithWidth(60))
	b.line = b.container.AddBar(barUnits,
		mpb.BarRemoveOnComplete(),
		mpb.AppendDecorators(decor.Percentage(), decor.Any(func(decor.Statistics) string {
			return fmt.Sprintf("  %s left", b.left())
		})))
}

// left estimates the time to the end from the time so far; at the start it is
// what was expected.
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

// wait says why nothing seems to happen.
func (b *bar) wait(left int) {
	b.print(fmt.Sprintf("%d trials are being measured by another run in the same folder: waiting for it", left))
}

// again says why there is more to do than there seemed to be.
func (b *bar) again(trials int, why string) {
	b.print(fmt.Sprintf("%d trials are measured again: %s", trials, why))
}

// trial is finished or failed.
func (b *bar) trial(r record.Record) {
	if r.Failed() {
		b.failed(fmt.Sprintf("%s: %s", r.Key, r.Error))
		return
	}
	b.finished(fmt.Sprintf("%s: %s", r.Key, headline(r)), r.Durations.Total)
}

// finished says what came of one of the pending things, where there is no
// bar.
func (b *bar) finished(what string, seconds float64) {
	b.done++
	if b.container == nil {
		b.print(fmt.Sprintf("[%d/%d] %s (%.1f s, %s left)", b.done, b.pending, what, seconds, b.left()))
	}
}

// failed says everywhere that one of them failed.
func (b *bar) failed(what string) {
	b.done++
	b.print("failed: " + what)
}

func (b *bar) print(line string) {
	if b.container != nil {
		fmt.Fprintln(b.container, escape.Message(line))
		return
	}
	fmt.Fprintln(b.out, line)
}

// headline is the first test metric of the record.
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
				text += ", which says nothing: " + string(s.Degenerate)
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
