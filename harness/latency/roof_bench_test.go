package latency

import (
	"fmt"
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

// BenchmarkRoof times the headline of the suite latency on wikipedia-sim, and says how
// much of the time the model's products and copies of rows would take at the rates that
// this machine reaches in products alone and in copying memory.
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
		for threads, rate := range map[int]func(doctor.Rate) float64{
			1: func(r doctor.Rate) float64 { return r.OneCore },
			2: func(r doctor.Rate) float64 { return r.AllCores },
		} {
			s, err := newSubject(t, loaded, devices.Target{}, threads)
			if err != nil {
				b.Fatal(err)
			}
			var w work
			open := s.Open
			s.Open = func(threads int) (kernels.Device, error) {
				d, err := open(threads)
				return counted{d, &w}, err
			}
			if err := s.prepare(); err != nil || s.Device() == nil {
				continue // it has no products
			}
			answer(b, s, w.reset)
			s.Open = open
			b.Run(fmt.Sprintf("%s/threads=%d", t.Ref(), threads), func(b *testing.B) {
				best := time.Hour
				for b.Loop() {
					best = min(best, answer(b, s, func() {}))
				}
				r := doctor.Measure()
				products := float64(w.flops.Load()) / 1e9 / rate(r.Gemm)
				copies := 4 * float64(w.copied.Load()) / 1e9 / rate(r.Copy)
				b.ReportMetric(100*products/best.Seconds(), "%products")
				b.ReportMetric(100*copies/best.Seconds(), "%copies")
				b.ReportMetric(best.Seconds()*1e3, "best-ms")
			})
		}
	}
}

// answer returns how long a model in the warm state takes to answer the headline's
// events. begin is called before the first of them.
func answer(b *testing.B, s *subject, begin func()) time.Duration {
	at := s.timings[0]
	m, err := s.warmModel(at.batch)
	if err != nil {
		b.Fatal(err)
	}
	defer models.Close(m)
	if err := s.advance(m, at); err != nil {
		b.Fatal(err)
	}
	begin()
	logits, start := make([]float32, at.batch*at.batches), time.Now()
	if err := classify(m, s.stream.Slice(at.start, at.end()), at.batch, logits); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

// work counts the operations of products, and the numbers that are copied.
type work struct{ flops, copied atomic.Int64 }

func (w *work) reset() {
	w.flops.Store(0)
	w.copied.Store(0)
}

// counted is a device whose work is counted.
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
