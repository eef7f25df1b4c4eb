package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// byteBar shows a download on a terminal, with its rate and the time left;
// elsewhere it is silent.
type byteBar struct {
	container *mpb.Progress // nil where out is no terminal
	line      *mpb.Bar      // from the first byte on
	started   time.Time
	first     int64 // bytes that an earlier call has brought
}

func newByteBar(out io.Writer) *byteBar {
	b := &byteBar{}
	if isTerminal(out) {
		b.container = mpb.New(mpb.WithOutput(under(out)), mpb.WithWidth(60))
	}
	return b
}

func (b *byteBar) progress(done, all int64) {
	if b.container == nil {
		return
	}
	if b.line == nil {
		b.started, b.first = time.Now(), done
		b.line = b.container.AddBar(all, mpb.BarRemoveOnComplete(), mpb.AppendDecorators(decor.Any(func(s decor.Statistics) string {
			return rate(s.Current, s.Total, b.first, time.Since(b.started))
		})))
	}
	b.line.SetTotal(all, false)
	b.line.SetCurrent(done)
}

// rate says how much of a file is there, how fast what came behind the first
// bytes has come, and how long the rest takes.
func rate(done, all, first int64, spent time.Duration) string {
	const mega = 1e6
	perSecond := float64(done-first) / spent.Seconds()
	text := fmt.Sprintf("  %.1f MB  %.1f MB/s", float64(done)/mega, perSecond/mega)
	if all <= done || perSecond <= 0 {
		return text
	}
	left := time.Duration(float64(all-done) / perSecond * float64(time.Second))
	return fmt.Sprintf("  %.1f of %.1f MB  %.1f MB/s  %v left", float64(done)/mega, float64(all)/mega, perSecond/mega, left.Round(time.Second))
}

func (b *byteBar) close() {
	if b.line != nil {
		b.line.Abort(true)
		b.container.Wait()
	}
}
