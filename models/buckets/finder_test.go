package buckets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/kernels/cpu"
	"dgsbench/kernels/reference"

	"pgregory.net/rapid"
)

func devices() []kernels.Device {
	all := []kernels.Device{reference.New()}
	for _, k := range cpu.Available() {
		all = append(all, cpu.NewDevice(k, 2))
	}
	return all
}

// read shows a list on a device: each of its numbers is hit once in a row of
// zeros.
func read(d kernels.Device, found kernels.Ints, rows, cols, size int) []int32 {
	one, none := d.NewBuffer(rows), d.NewBuffer(rows)
	d.Write(one, slices.Repeat([]float32{1}, rows))
	zeros, events := d.NewInts(rows), d.NewInts(rows)
	order := make([]int32, rows)
	for i := range order {
		order[i] = int32(i)
	}
	d.WriteInts(events, order)
	dst := d.NewBuffer(rows * size)
	d.FoldBuckets(&kernels.Fold{
		Rows: rows, Cols: size, Nodes: 1, Table: d.NewBuffer(size), Self: zeros, Other: zeros,
		Events: rows, Event: events, Keep: none, Mix: none, Hit: one,
	}, dst, found, cols)
	hits := make([]float32, rows*size)
	d.Read(hits, dst)
	var out []int32
	for i, h := range hits {
		if h == 1 {
			out = append(out, int32(i%size))
		}
	}
	return out
}

// TestFindAgreesWithRow: on every device, for values on, just below and just
// above edges that are no float32 numbers, and columns with different
// numbers of edges.
func TestFindAgreesWithRow(t *testing.T) {
	value := rapid.OneOf(
		rapid.Float32Range(-2, 2), rapid.SampledFrom([]float32{0, 1, 2, 3, math.MaxFloat32, -math.MaxFloat32, 1e-45, float32(math.Inf(1)), float32(math.Inf(-1))}),
	)
	rapid.Check(t, func(t *rapid.T) {
		cols, rows := rapid.IntRange(1, 40).Draw(t, "columns"), rapid.IntRange(1, 4).Draw(t, "rows")
		b := &Buckets{}
		for range cols {
			edges := rapid.SliceOfN(rapid.Float64Range(-2, 2), 0, 6).Draw(t, "edges")
			slices.Sort(edges)
			b.add(slices.Compact(edges))
		}
		s := datasets.Stream{Src: make([]int32, rows), Dst: make([]int32, rows), NumFeat: cols}
		for i := range rows * cols {
			v := value.Draw(t, "feature")
			if own := b.Edges[i%cols]; len(own) > 0 && rapid.Bool().Draw(t, "at an edge") {
				v = float32(own[rapid.IntRange(0, len(own)-1).Draw(t, "edge")])
				v = rapid.SampledFrom([]float32{v, math.Nextafter32(v, 9), math.Nextafter32(v, -9)}).Draw(t, "neighbour")
			}
			s.Feat = append(s.Feat, v)
		}
		want := make([]int32, rows*cols)
		for k := range rows {
			b.Row(s.Features(k), want[k*cols:][:cols])
		}
		for _, d := range devices() {
			found, err := b.On(d, rows).Find(s)
			if err != nil {
				t.Fatal(err)
			}
			if got := read(d, found, rows, cols, b.Size()); !slices.Equal(got, want) {
				t.Fatalf("%s: buckets %v, expected %v", d.Name(), got, want)
			}
		}
	})
}

// TestFindRefusesNaN and says where; infinities are in the outer buckets.
func TestFindRefusesNaN(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	s := datasets.Stream{
		Src: make([]int32, 3), Dst: make([]int32, 3), Time: make([]float64, 3), Label: make([]int8, 3),
		NumFeat: 2, Feat: []float32{1, 2, inf, -inf, 5, nan},
	}
	b := New(datasets.Stream{Src: make([]int32, 3), Feat: []float32{1, 2, 3, 4, 5, 6}, NumFeat: 2, Dst: make([]int32, 3)}, 3)
	for _, d := range devices() {
		f := b.On(d, 3)
		if _, err := f.Find(s); err == nil || !strings.Contains(err.Error(), "event 2: feature 1 is NaN") {
			t.Errorf("%s: error %v, expected one that names event 2 and feature 1", d.Name(), err)
		}
		found, err := f.Find(s.Slice(0, 2))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(read(d, found, 2, 2, b.Size())), "[0 3 2 3]"; got != want {
			t.Errorf("%s: buckets %s, expected %s", d.Name(), got, want)
		}
	}
}
