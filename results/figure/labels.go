package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// rectangle is a part of a panel.
type rectangle struct{ left, right, bottom, top vg.Length }

func (b rectangle) overlaps(c rectangle) bool {
	return b.left < c.right && c.left < b.right && b.bottom < c.top && c.bottom < b.top
}

// grown returns the rectangle with a margin around it.
func (b rectangle) grown(by vg.Length) rectangle {
	return rectangle{b.left - by, b.right + by, b.bottom - by, b.top + by}
}

// nearest returns the point of the rectangle that is nearest to another one.
func (b rectangle) nearest(to vg.Point) vg.Point {
	return vg.Point{X: max(b.left, min(b.right, to.X)), Y: max(b.bottom, min(b.top, to.Y))}
}

// gap returns the distance of two rectangles; 0 where they overlap.
func (b rectangle) gap(c rectangle) vg.Length {
	x, y := max(0, c.left-b.right, b.left-c.right), max(0, c.bottom-b.top, b.bottom-c.top)
	return vg.Length(math.Hypot(float64(x), float64(y)))
}

// crossed reports whether a line goes through the rectangle.
func (b rectangle) crossed(line [2]vg.Point) bool {
	from, to := vg.Length(0), vg.Length(1) // the shares of the line that are inside
	for _, side := range [2][4]vg.Length{{line[0].X, line[1].X, b.left, b.right}, {line[0].Y, line[1].Y, b.bottom, b.top}} {
		start, end, low, high := side[0], side[1], side[2], side[3]
		if start == end {
			if start <= low || start >= high {
				return false
			}
			continue
		}
		first, second := (low-start)/(end-start), (high-start)/(end-start)
		from, to = max(from, min(first, second)), min(to, max(first, second))
	}
	return from < to
}

// label is a text near its point.
type label struct {
	text   string
	ink    color.Color
	point  vg.Point
	box    rectangle
	leader [2]vg.Point // from the point to a text that is far from it
	far    bool
}

// place puts the label in a direction from its point, at a distance of the mark's
// middle.
func (l label) place(angle float64, distance vg.Length) label {
	sin, cos := math.Sincos(angle)
	beside := func(x float64) vg.Length { // which end of the box is towards the point
		switch {
		case x > .2:
			return 0
		case x < -.2:
			return 1
		}
		return .5
	}
	w, h := l.box.right-l.box.left, l.box.top-l.box.bottom
	left, bottom := l.point.X+distance*vg.Length(cos)-beside(cos)*w, l.point.Y+distance*vg.Length(sin)-beside(sin)*h
	l.box = rectangle{left, left + w, bottom, bottom + h}
	if l.far = distance > 4*markRadius; l.far {
		end := l.box.grown(1).nearest(l.point)
		towards := end.Sub(l.point)
		start := vg.Length(markRadius+1) / vg.Length(math.Hypot(float64(towards.X), float64(towards.Y)))
		l.leader = [2]vg.Point{l.point.Add(towards.Scale(start)), end}
	}
	return l
}

func (l label) draw(on draw.Canvas) {
	if l.far {
		on.StrokeLines(draw.LineStyle{Color: l.ink, Width: vg.Points(.5)}, l.leader[:])
	}
	write(on, vg.Point{X: l.box.left, Y: l.box.bottom + descent*textSize}, l.text, textSize, l.ink)
}

// legible returns a colour dark enough to be read on white: letters are thinner
// than marks.
func legible(c color.Color) color.Color {
	r, g, b, a := c.RGBA()
	darker := func(x uint32) uint16 { return uint16(x * 3 / 5) }
	return color.RGBA64{darker(r), darker(g), darker(b), uint16(a)}
}

// leaderGap is how far a label with a leader is from the marks of other series, at least.
const leaderGap = vg.Length(4)

// isClear reports whether nobody takes the label for that of one of the others: it has
// a leader, or is nearest to its own mark.
func (l label) isClear(others []rectangle) bool {
	least := leaderGap
	if !l.far {
		least = l.box.gap(rectangle{l.point.X, l.point.X, l.point.Y, l.point.Y})
	}
	return !slices.ContainsFunc(others, func(other rectangle) bool { return l.box.gap(other) < least })
}

// placeLabels puts every label where it covers nothing and is clear, the nearer the
// better; false if there is no such place for one of them.
func (f *frame) placeLabels() bool {
	marks, strokes := f.covered()
	size := f.data()
	inner := rectangle{f.left, f.left + size.X, f.below, f.below + size.Y}
	free := func(l label) bool {
		b := l.box
		if b.left < inner.left || b.right > inner.right || b.bottom <= inner.bottom || b.top > inner.top {
			return false
		}
		return !slices.ContainsFunc(marks, b.grown(1).overlaps) && !slices.ContainsFunc(strokes, b.grown(1).crossed) &&
			!slices.ContainsFunc(f.labels, func(other label) bool {
				return b.grown(1).overlaps(other.box) || other.far && b.grown(1).crossed(other.leader) || l.far && other.box.grown(1).crossed(l.leader)
			})
	}
	for i, s := range f.Series {
		others := f.marksBeside(i)
		for _, pt := range s.Points {
			if pt.Label == "" || !finitePoint(pt) {
				continue
			}
			l := label{text: pt.Label, ink: legible(s.ink()), point: f.at(pt.X.Mean, pt.Y.Mean)}
			l.box = rectangle{0, width(pt.Label, textSize), 0, (ascent + descent) * textSize}
			placed, ok := l.nearestFree(func(l label) bool { return free(l) && l.isClear(others) })
			if !ok {
				return false
			}
			f.labels = append(f.labels, placed)
		}
	}
	return true
}

// nearestFree tries places around the point, first on the right.
func (l label) nearestFree(free func(label) bool) (label, bool) {
	const directions = 16
	for distance := markRadius + 3; distance < 150; distance *= 1.25 {
		for i := range directions {
			turn := float64((i+1)/2) * float64(1-2*(i%2)) // 0, -1, 1, -2 ...
			if placed := l.place(turn*2*math.Pi/directions, distance); free(placed) {
				return placed, true
			}
		}
	}
	return l, false
}

// marksBeside returns the marks and bars of all series but one.
func (f *frame) marksBeside(i int) (out []rectangle) {
	for k, s := range f.Series {
		for _, pt := range s.Points {
			if k == i || s.Mark == NoMark || !finitePoint(pt) {
				continue
			}
			at := f.at(pt.X.Mean, pt.Y.Mean)
			out = append(out, rectangle{at.X, at.X, at.Y, at.Y}.grown(markRadius))
			for _, b := range f.bars(pt) {
				out = append(out, rectangle{b[0].X, b[1].X, b[0].Y, b[1].Y})
			}
		}
	}
	return out
}

// covered returns the marks and the strokes between the axes.
func (f *frame) covered() (marks []rectangle, strokes [][2]vg.Point) {
	for _, s := range f.Series {
		for _, line := range f.lines(s) {
			for i := range line[1:] {
				strokes = append(strokes, [2]vg.Point{line[i], line[i+1]})
			}
		}
		for _, pt := range s.Points {
			if !finitePoint(pt) {
				continue
			}
			at := f.at(pt.X.Mean, pt.Y.Mean)
			switch s.Mark {
			case NoMark:
			case Box:
				low, high := f.at(pt.X.Low, pt.Y.Low), f.at(pt.X.High, pt.Y.High)
				marks = append(marks, rectangle{low.X, high.X, low.Y, high.Y})
			default:
				marks = append(marks, rectangle{at.X, at.X, at.Y, at.Y}.grown(markRadius+1))
			}
			strokes = append(strokes, f.bars(pt)...)
		}
	}
	return marks, strokes
}

// nameLabels puts labels into the legend: one a series.
func (f *frame) nameLabels() {
	f.labels = nil
	for i, s := range f.Series {
		for _, pt := range s.Points {
			if pt.Label != "" && s.Name == "" {
				f.Series[i].Name = pt.Label
			}
		}
	}
}
