package cpu_test

import (
	"fmt"
	"slices"
	"testing"

	"dgsbench/kernels/cpu"
	"dgsbench/kernels/portable"
)

// drawFold has states of n numbers, and rows that read the same state twice.
func drawFold(a *arrays, n int) *portable.Fold[float32] {
	return &portable.Fold[float32]{
		Cols: n, Table: a.normal(6 * n),
		Self: []int32{5, 0, 2, 2, 1}, Other: []int32{0, 5, 2, 3, 2}, Event: []int32{0, 0, 2, 1, 3},
		Keep: a.normal(testRows), Mix: a.normal(testRows), Hit: a.normal(testRows),
	}
}

func histogramCases() []kernelCase {
	cases := []kernelCase{
		{"FoldRows", func(a *arrays, n int) func(cpu.Kernels) {
			dst, f, rows := a.normal(testRows*n), drawFold(a, n), a.normal(4*n)
			return func(k cpu.Kernels) { k.FoldRows(dst, f, rows) }
		}},
		{"FoldBuckets", func(a *arrays, n int) func(cpu.Kernels) {
			dst, f := a.normal(testRows*n), drawFold(a, n)
			features := min(n, 2) // one bucket in each half of the row
			buckets := []int32{0, int32(n) - 1, 0, int32(n) / 2, int32(n-1) / 2, int32(n) - 1, 0, int32(n) - 1}[:4*features]
			return func(k cpu.Kernels) { k.FoldBuckets(dst, f, buckets, features) }
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
		return func(k cpu.Kernels) {
			k.Bucketize(dst, x, edges, first)
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
	edges := []float32{-1, 0, nan, 1, nan, nan}
	x := []float32{-2, -1, inf, 1, 0, 0, inf, -inf, 5, nan, nan, nan}
	want := []int32{0, 10, 20, 2, 11, 20, 2, 10, 20, 0, 10, 20}
	for _, k := range cpu.Available() {
		got := make([]int32, len(x))
		k.Bucketize(got, x, edges, []int32{0, 10, 20})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", k.Level(), got, want)
		}
	}
}

// TestNoSuchRow: rows, events and buckets that do not exist.
func TestNoSuchRow(t *testing.T) {
	const cols = 20
	numbers := func(rows int) []float32 { return make([]float32, rows*cols) }
	fold := func() *portable.Fold[float32] {
		one := []float32{1}
		return &portable.Fold[float32]{Cols: cols, Table: numbers(2), Self: []int32{0}, Other: []int32{1}, Event: []int32{0}, Keep: one, Mix: one, Hit: one}
	}
	for name, f := range map[string]func(k cpu.Kernels, bad int32){
		"sum":    func(k cpu.Kernels, bad int32) { k.SumRows(numbers(1), cols, numbers(2), []int32{0, bad}, 2) },
		"bucket": func(k cpu.Kernels, bad int32) { k.FoldBuckets(numbers(1), fold(), []int32{min(bad, 1) * cols}, 1) },
		"self": func(k cpu.Kernels, bad int32) {
			f := fold()
			f.Self[0] = bad
			k.FoldBuckets(numbers(1), f, []int32{0}, 1)
		},
		"other": func(k cpu.Kernels, bad int32) {
			f := fold()
			f.Other[0] = bad
			k.FoldRows(numbers(1), f, numbers(2))
		},
		"event": func(k cpu.Kernels, bad int32) {
			f := fold()
			f.Event[0] = bad
			k.FoldRows(numbers(1), f, numbers(2))
		},
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
