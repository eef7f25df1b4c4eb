package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// drawFold has states of n numbers, and rows that read the same state twice.
func drawFold(a *arrays, n int) *kernels.Fold {
	return &kernels.Fold{
		Rows: testRows, Cols: n, Nodes: 6, Table: a.buffer(6 * n), Events: 4,
		Self: portable.Ints{5, 0, 2, 2, 1}, Other: portable.Ints{0, 5, 2, 3, 2}, Event: portable.Ints{0, 0, 2, 1, 3},
		Keep: a.buffer(testRows), Mix: a.buffer(testRows), Hit: a.buffer(testRows),
	}
}

func histogramCases() []kernelCase {
	cases := []kernelCase{
		{"FoldRows", func(a *arrays, n int) func(cpu.Kernels) {
			dst, f, rows := a.buffer(testRows*n), drawFold(a, n), a.buffer(4*n)
			return func(k cpu.Kernels) { on(k).FoldRows(f, dst, rows) }
		}},
		{"FoldBuckets", func(a *arrays, n int) func(cpu.Kernels) {
			dst, f := a.buffer(testRows*n), drawFold(a, n)
			features := min(n, 2) // one bucket in each half of the row
			var buckets kernels.Ints = portable.Ints{0, int32(n) - 1, 0, int32(n) / 2, int32(n-1) / 2, int32(n) - 1, 0, int32(n) - 1}[:4*features]
			return func(k cpu.Kernels) { on(k).FoldBuckets(f, dst, buckets, features) }
		}},
	}
	for _, terms := range []int{0, 1, 7} {
		cases = append(cases, kernelCase{fmt.Sprintf("SumRows/%d", terms), func(a *arrays, n int) func(cpu.Kernels) {
			dst, table := a.normal(3*n), a.normal(5*n)
			index := []int32{4, 4, 0, 1, 3, 0, 2, 0, 1, 2, 3, 4, 0, 1, 2, 2, 2, 2, 2, 2, 4}[:3*terms]
			return func(k cpu.Kernels) { k.SumRows(dst, n, table, index, terms) }
		}})
	}
	for _, edgeRows := range []int{0, 1, 9} {
		cases = append(cases, kernelCase{fmt.Sprintf("Bucketize/%d", edgeRows), bucketizeCase(edgeRows)})
	}
	return cases
}

// bucketizeCase has n columns. Some values lie on an edge.
func bucketizeCase(edgeRows int) func(a *arrays, n int) func(cpu.Kernels) {
	return func(a *arrays, n int) func(cpu.Kernels) {
		shown, x, edges := a.normal(testRows*n), a.normal(testRows*n), a.normal(edgeRows*n)
		copy(x, edges)
		first, dst := make([]int32, n), make([]int32, testRows*n)
		for j := range first {
			first[j] = int32(3 * j)
		}
		var values, limits kernels.Buffer = numbers(x), numbers(edges)
		var starts, found kernels.Ints = portable.Ints(first), portable.Ints(dst)
		return func(k cpu.Kernels) {
			on(k).Bucketize(testRows, n, edgeRows, found, values, limits, starts)
			for i, b := range dst {
				shown[i] = float32(b)
			}
		}
	}
}

func TestHistogramConforms(t *testing.T) { conform(t, histogramCases(), 1e-6) }

// TestBucketize: values on an edge go up; an edge that is NaN, and a value
// that is NaN, count for nothing.
func TestBucketize(t *testing.T) {
	nan, inf := specialValues[0], specialValues[1]
	edges := numbers{-1, 0, nan, 1, nan, nan}
	x := numbers{-2, -1, inf, 1, 0, 0, inf, -inf, 5, nan, nan, nan}
	want := []int32{0, 10, 20, 2, 11, 20, 2, 10, 20, 0, 10, 20}
	for _, k := range cpu.Available() {
		got := make(portable.Ints, len(x))
		on(k).Bucketize(4, 3, 2, got, x, edges, portable.Ints{0, 10, 20})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", k.Level(), got, want)
		}
	}
}

// TestNoSuchRow: rows, events and buckets that do not exist.
func TestNoSuchRow(t *testing.T) {
	const cols = 20
	zeros := func(rows int) numbers { return make(numbers, rows*cols) }
	fold := func(self, other, event int32) *kernels.Fold {
		one := numbers{1}
		return &kernels.Fold{
			Rows: 1, Cols: cols, Nodes: 2, Table: zeros(2), Events: 2,
			Self: portable.Ints{self}, Other: portable.Ints{other}, Event: portable.Ints{event}, Keep: one, Mix: one, Hit: one,
		}
	}
	two := portable.Ints{0, 0}
	for name, f := range map[string]func(k cpu.Kernels, bad int32){
		"sum": func(k cpu.Kernels, bad int32) { k.SumRows(zeros(1), cols, zeros(2), []int32{0, bad}, 2) },
		"bucket": func(k cpu.Kernels, bad int32) {
			on(k).FoldBuckets(fold(0, 1, 0), zeros(1), portable.Ints{min(bad, 1) * cols, 0}, 1)
		},
		"self":  func(k cpu.Kernels, bad int32) { on(k).FoldBuckets(fold(bad, 1, 0), zeros(1), two, 1) },
		"other": func(k cpu.Kernels, bad int32) { on(k).FoldRows(fold(0, bad, 0), zeros(1), zeros(2)) },
		"event": func(k cpu.Kernels, bad int32) { on(k).FoldRows(fold(0, 1, bad), zeros(1), zeros(2)) },
	} {
		for _, k := range cpu.Available() {
			for _, bad := range []int32{-1, 2} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, k.Level(), bad), func(t *testing.T) {
					defer func() {
						if recover() == nil {
							t.Error("no panic")
						}
					}()
					f(k, bad)
				})
			}
		}
	}
}
