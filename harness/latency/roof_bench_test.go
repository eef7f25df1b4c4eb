package latency

import (
	"fmt"
	"runtime"
	"slices"
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

// roofTime is how long each rate is measured before and after the model.
const roofTime = 10 * time.Millisecond

// BenchmarkRoof times the headline of the suite latency on wikipedia-sim, and says what
// share of the time the model's products and copies of rows would take at the rates
// of the machine before and after, on one thread and on all: the median over
// the runs. Rates of other moments do not compare, as what a machine leaves to a
// thread can differ twofold from one second to the next.
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
	loads := doctor.NewLoads()
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
				best, product, copied := time.Hour, []float64{}, []float64{}
				for b.Loop() {
					gemm, memory := loads.Now(roofTime)
					took := answer(b, s, new(work))
					again, memoryAgain := loads.Now(roofTime)
					share := func(of *atomic.Int64, each float64, before, after doctor.Rate) float64 {
						rate := (before.OneCore + after.OneCore) / 2
						if threads > 1 {
							rate = (before.AllCores + after.AllCores) / 2
						}
						return 100 * float64(of.Load()) * each / 1e9 / rate / took.Seconds()
					}
					best, product = min(best, took), append(product, share(&w.flops, 1, gemm, again))
					copied = append(copied, share(&w.copied, 4, memory, memoryAgain))
				}
				slices.Sort(product)
				slices.Sort(copied)
				b.ReportMetric(0, "ns/op") // with the warm state
				b.ReportMetric(product[len(product)/2], "%products")
				b.ReportMetric(copied[len(copied)/2], "%copies")
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
