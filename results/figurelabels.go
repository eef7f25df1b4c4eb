package results

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// box is where a label lies within the panel; lengths from its lower left.
type box struct{ left, right, bottom, top vg.Length }

func (b box) overlaps(c box) bool {
	return b.left < c.right && c.left < b.right && b.bottom < c.top && c.bottom < b.top
}

// label writes the points' names beside them, from the highest down, each as
// far below its place as the names before it make necessary.
func (p panel) label(on *plot.Plot) error {
	labels, err := plotter.NewLabels(plotter.XYLabels{XYs: make(plotter.XYs, len(p.points)), Labels: make([]string, len(p.points))})
	if err != nil {
		return err
	}
	points := slices.Clone(p.points)
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(b.y.Mean, a.y.Mean) })
	var taken []box
	for i, pt := range points {
		at, style := plotter.XY{X: float64(pt.x.Mean), Y: float64(pt.y.Mean)}, &labels.TextStyle[i]
		b := place2(on, at, pt.label, style)
		for slices.ContainsFunc(taken, b.overlaps) {
			b.bottom, b.top = b.bottom-1, b.top-1
		}
		taken = append(taken, b)
		labels.XYs[i], labels.Labels[i] = at, pt.label
	}
	on.Add(labels)
	return nil
}
