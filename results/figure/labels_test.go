package figure

import (
	"fmt"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

// TestLabelsAreNearTheirOwn: a label without a leader is nearer to its own mark than
// to the mark and the bars of any other series.
func TestLabelsAreNearTheirOwn(t *testing.T) {
	crowded := 0
	rapid.Check(t, func(t *rapid.T) {
		p := Panel{X: Axis{Min: 0, Max: 10}, Y: Axis{Min: 0, Max: 10}}
		for i := range rapid.IntRange(1, 8).Draw(t, "series") {
			x, y := rapid.Float64Range(3, 6).Draw(t, "x"), rapid.Float64Range(4, 6).Draw(t, "y")
			pt := Point{X: Value{Mean: x, Low: x - .4, High: x + .4}, Y: Exact(y), Label: fmt.Sprint("model ", i)}
			p.Series = append(p.Series, Series{Color: i, Mark: Dot, Points: []Point{pt}})
		}
		f := newPage(Size{Width: 13, Height: 10}, 1, []Panel{p}).frames[0]
		for i, l := range f.labels {
			if l.far {
				crowded++
				continue
			}
			distance := func(k int) vg.Length { // to the mark's middle and its bars
				pt := p.Series[k].Points[0]
				at, low, high := f.at(pt.X.Mean, pt.Y.Mean), f.at(pt.X.Low, pt.Y.Mean), f.at(pt.X.High, pt.Y.Mean)
				mark := l.box.gap(rectangle{at.X, at.X, at.Y, at.Y})
				if k == i {
					return mark
				}
				return min(mark, l.box.gap(rectangle{low.X, high.X, at.Y, at.Y}))
			}
			for k := range p.Series {
				if k != i && distance(k) <= distance(i) {
					t.Errorf("%q is nearer to model %d", l.text, k)
				}
			}
		}
	})
	if crowded == 0 {
		t.Error("no label needed a leader")
	}
}
