package latency

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	_ "dgsbench/datasets/sim"
	"dgsbench/harness"
	"dgsbench/harness/doctor"
	"dgsbench/kernels"
	"dgsbench/kernels/devices"
	"dgsbench/models"
	"dgsbench/specs"
)

// BenchmarkRoof times the headline of the suite latency on wikipedia-sim, and says what
// share of the time the model's products and copies of rows would take at the rates
// that doctor measures, on one thread and on all.
func BenchmarkRoof(b *testing.B) {
	lib, err := specs.NewLibrary("")
	if err != nil {
		b.Fatal(err)
	}
	suite, err := lib.LoadSuite("latency")
	if err != nil {
		b.Fatal(err)
	}
	trials, err := suite.Trials(specs.Filter{Datasets: []string{"wikipedia-sim"}})
	if err != nil {
		b.Fatal(err)
	}
	loaded, err := harness.LoadDataset("wikipedia-sim", "")
	if err != nil {
		b.Fatal(err)
	}
	for _, t := range trials {
		for _, threads := range []int{1, runtime.GOMAXPROCS(0)} {
			b.Run(fmt.Sprintf("%s/threads=%d", t.Ref(), threads), func(b *testing.B) {
				s, err := newSubject(t, loaded, devices.Target{}, threads)
				if err == nil {
					err = s.prepare()
				}
				if err != nil || s.Record.Failed() {
					b.Fatal(err, s.Record.Error)
				}
				if s.Device() == nil {
					b.Skip("it has no products")
				}
				var w work
				open := s.Open
				s.Open = func(threads int) (kernels.Device, error) {
					d, err := open(threads)
					return counted{d, &w}, err
				}
				answer(b, s, &w)
				s.Open = open
				rates, best := doctor.Measure(), time.Hour
				for b.Loop() {
					best = min(best, answer(b, s, new(work)))
				}
				again := doctor.Measure() // others on the machine only ever lower a rate
				gemm, copying := max(rates.Gemm.OneCore, again.Gemm.OneCore), max(rates.Copy.OneCore, again.Copy.OneCore)
				if threads > 1 {
					gemm, copying = max(rates.Gemm.AllCores, again.Gemm.AllCores), max(rates.Copy.AllCores, again.Copy.AllCores)
				}
				b.ReportMetric(0, "ns/op") // with the warm state
				b.ReportMetric(float64(w.flops.Load())/1e7/gemm/best.Seconds(), "%products")
				b.ReportMetric(float64(w.copied.Load())*4/1e7/copying/best.Seconds(), "%copies")
				b.ReportMetric(best.Seconds()*1e3, "best-ms")
			})
		}
	}
}

// answer returns how long a model in the warm state takes to answer the headline's
// events. w then has the work of these alone, if the model's device counts it.
func answer(b *testing.B, s *subject, w *work) time.Duration {
	at := s.timings[0]
	m, err := s.warmModel(at.batch)
	if err != nil {
		b.Fatal(err)
	}
	defer models.Close(m)
	if err := s.advance(m, at); err != nil {
		b.Fatal(err)
	}
	logits, window := make([]float32, at.batch*at.batches), s.stream.Slice(at.start, at.end())
	w.flops.Store(0)
	w.copied.Store(0)
	runtime.GC()
	start := time.Now()
	if err := classify(m, window, at.batch, logits); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// work counts the operations of products, and the numbers that are copied.
type work struct{ flops, copied atomic.Int64 }

// counted is the processor's device, whose Gemm and copies are counted. Products
// within attention are not, and of PutRows all rows are, whether they are put or not.
type counted struct {
	kernels.Device
	*work
}

func (c counted) Thread(i int) kernels.Device { return counted{c.Device.Thread(i), c.work} }

func (c counted) Gemm(op kernels.Op, m, n, k int, a, b, dst, bias kernels.Buffer, relu bool) {
	c.flops.Add(2 * int64(m) * int64(n) * int64(k))
	c.Device.Gemm(op, m, n, k, a, b, dst, bias, relu)
}

func (c counted) Write(dst kernels.Buffer, src []float32) {
	c.copied.Add(int64(len(src)))
	c.Device.Write(dst, src)
}

func (c counted) GatherRows(rows, srcRows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	c.copied.Add(int64(rows * cols))
	c.Device.GatherRows(rows, srcRows, cols, dst, src, index)
}

func (c counted) ScatterRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	c.copied.Add(int64(rows * cols))
	c.Device.ScatterRows(rows, cols, dst, src, index)
}

func (c counted) PutRows(rows, cols int, dst, src kernels.Buffer, index kernels.Ints) {
	c.copied.Add(int64(rows * cols))
	c.Device.PutRows(rows, cols, dst, src, index)
}

func (c counted) CopyRows(rows, cols int, dst kernels.Buffer, dstStride int, src kernels.Buffer, srcStride int) {
	c.copied.Add(int64(rows * cols))
	c.Device.CopyRows(rows, cols, dst, dstStride, src, srcStride)
}

func (c counted) MoveRows(rows, cols int, dst kernels.Buffer, to kernels.Ints, src kernels.Buffer, from kernels.Ints) {
	c.copied.Add(int64(rows * cols))
	c.Device.MoveRows(rows, cols, dst, to, src, from)
}
