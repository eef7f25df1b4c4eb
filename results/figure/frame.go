package figure

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// frame is a panel with the place of each of its parts.
type frame struct {
	Panel                          // with the ends of its axes
	cell                  vg.Point // size of all
	origin                vg.Point // of the cell, on the page
	left, right           vg.Length
	above, below          vg.Length // around the data
	title, yLabel, xLabel []string
	xTicks, yTicks        []plot.Tick
	labels                []label
}

// newFrame measures what is around the data.
func newFrame(p Panel, cell vg.Point) *frame {
	const widest = .4 // share of the panel that labels of ticks take
	f := &frame{Panel: p, cell: cell}
	f.Series = p.drawable()
	f.X, f.Y = p.fitted()
	f.xTicks, f.yTicks = f.X.ticks(), f.Y.ticks()
	most := cell.X - 2*pad
	f.title, f.yLabel, f.xLabel = wrap(p.Title, titleSize, most), wrap(f.Y.Label, textSize, most), wrap(f.X.Label, textSize, most)
	for i, t := range f.yTicks {
		f.yTicks[i].Label = cut(t.Label, textSize, widest*cell.X)
		f.left = max(f.left, width(f.yTicks[i].Label, textSize))
	}
	for _, t := range f.xTicks {
		f.right = max(f.right, min(width(t.Label, textSize)/2, 3*pad))
	}
	f.left, f.right = f.left+pad+pad/2, f.right+pad/2
	f.above = pad + height(len(f.title), titleSize) + height(len(f.yLabel), textSize) + pad + 2
	f.below = tickGap + height(1, textSize) + height(len(f.xLabel), textSize) + pad
	return f
}

// data returns the size of what is between the axes.
func (f *frame) data() vg.Point {
	return vg.Point{X: f.cell.X - f.left - f.right, Y: f.cell.Y - f.above - f.below}
}

// at returns a place in the cell.
func (f *frame) at(x, y float64) vg.Point {
	size := f.data()
	return vg.Point{X: f.left + vg.Length(f.X.Share(x))*size.X, Y: f.below + vg.Length(f.Y.Share(y))*size.Y}
}

// thin leaves out labels of ticks that would touch each other. Names are
// shortened first.
func (f *frame) thin() {
	size := f.data()
	if n := vg.Length(len(f.X.Names)); n > 1 {
		for i, t := range f.xTicks {
			f.xTicks[i].Label = cut(t.Label, textSize, max(size.X/n-pad/2, 2*textSize))
		}
	}
	f.xTicks = f.X.fewer(f.xTicks, func(a, b plot.Tick) bool {
		return f.tickLabel(b).left-f.tickLabel(a).right >= pad
	})
	f.yTicks = f.Y.fewer(f.yTicks, func(a, b plot.Tick) bool {
		return f.at(f.X.Min, b.Value).Y-f.at(f.X.Min, a.Value).Y >= spacing*textSize
	})
}

// fewer removes labels until neighbours are apart: those between powers of ten,
// and then every other one, and so on.
func (a Axis) fewer(ticks []plot.Tick, apart func(a, b plot.Tick) bool) []plot.Tick {
	labelled := func(t plot.Tick) bool { return t.Label != "" }
	fits := func(ticks []plot.Tick) bool {
		var before *plot.Tick
		for i, t := range ticks {
			if !labelled(t) {
				continue
			}
			if before != nil && !apart(*before, t) {
				return false
			}
			before = &ticks[i]
		}
		return true
	}
	if a.logarithmic() && !fits(ticks) {
		if powers, n := a.digitTicks(1); n > 1 {
			ticks = powers
		}
	}
	for step, all := 2, ticks; !fits(ticks) && step <= len(all); step++ {
		ticks = slices.Clone(all)
		n := 0
		for i := range ticks {
			if labelled(ticks[i]) {
				if n%step > 0 {
					ticks[i].Label = ""
				}
				n++
			}
		}
	}
	return ticks
}

// tickLabel returns where the label of a tick of X is: in the middle below it, or
// as near to that as the cell has room.
func (f *frame) tickLabel(t plot.Tick) rectangle {
	w := width(t.Label, textSize)
	left := max(0, min(f.cell.X-w, f.at(t.Value, f.Y.Min).X-w/2))
	return rectangle{left: left, right: left + w}
}

const (
	mostTicks = 60           // that are told apart
	tickGap   = vg.Length(6) // between an axis and its labels
)

var (
	gridLine = draw.LineStyle{Color: color.Gray{0xe4}, Width: vg.Points(.5)}
	axisLine = draw.LineStyle{Color: color.Gray{0x80}, Width: vg.Points(.75)}
)

func (f *frame) draw(on draw.Canvas) {
	on.Push()
	defer on.Pop()
	on.Translate(f.origin)
	size := f.data()
	inner := rectangle{f.left, f.left + size.X, f.below, f.below + size.Y}
	top := f.cell.Y - pad
	writeLines(on, pad, top, f.title, titleSize, dark)
	writeLines(on, pad, f.cell.Y-f.above+pad+height(len(f.yLabel), textSize)-1, f.yLabel, textSize, faint)
	for _, t := range f.xTicks {
		x := f.at(t.Value, f.Y.Min).X
		switch {
		case t.Label != "":
			on.StrokeLine2(gridLine, x, inner.bottom, x, inner.top)
			write(on, vg.Point{X: f.tickLabel(t).left, Y: inner.bottom - tickGap - textSize}, t.Label, textSize, faint)
		case f.X.logarithmic() && len(f.xTicks) < mostTicks:
			on.StrokeLine2(axisLine, x, inner.bottom, x, inner.bottom-2)
		}
	}
	for _, t := range f.yTicks {
		if t.Label != "" {
			y := f.at(f.X.Min, t.Value).Y
			on.StrokeLine2(gridLine, inner.left, y, inner.right, y)
			write(on, vg.Point{X: inner.left - pad/2 - width(t.Label, textSize), Y: y - .35*textSize}, t.Label, textSize, faint)
		}
	}
	on.StrokeLine2(axisLine, inner.left, inner.bottom, inner.right, inner.bottom)
	for i, line := range f.xLabel {
		w := width(line, textSize)
		left := max(pad, min(f.cell.X-pad-w, inner.left+(size.X-w)/2))
		write(on, vg.Point{X: left, Y: inner.bottom - tickGap - height(i+1, textSize) - textSize}, line, textSize, faint)
	}
	on.Rectangle = vg.Rectangle{Min: vg.Point{X: inner.left, Y: inner.bottom}, Max: vg.Point{X: inner.right, Y: inner.top}}
	for _, s := range f.Series {
		f.drawLines(on, s)
	}
	for _, s := range f.Series {
		f.drawPoints(on, s)
	}
	for _, l := range f.labels {
		l.draw(on)
	}
}
