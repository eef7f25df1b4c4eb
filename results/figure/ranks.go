package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ranks are values on one axis, named on both sides, the best on the right, as in
// the diagrams of Demšar (2006).
type Ranks struct {
	Group, Title string // see Panel
	X            Axis
	Lower        bool // lower values are better
	Ranked       []Ranked
	// Joined reports whether two of the ranked, by their indices, belong together.
	Joined func(i, j int) bool
}

// Ranked is a value with its name.
type Ranked struct {
	Name, Printed string
	Value         float64
}

// DrawRanks puts diagrams below each other, of a width in centimetres.
func DrawRanks(width float64, all []Ranks) (Figure, error) {
	var alone []page
	var drawings []PanelDrawing
	for _, r := range all {
		alone = append(alone, newRankPage(min(width, narrow), []Ranks{r}))
		drawings = append(drawings, PanelDrawing{Group: r.Group, Title: r.Title})
	}
	return newFigure(newRankPage(width, all), alone, drawings)
}

// rankPage has the diagrams with their heights.
type rankPage struct {
	width    vg.Length
	diagrams []*diagram
}

func newRankPage(width float64, all []Ranks) *rankPage {
	p := &rankPage{width: centimetres(width)}
	for _, r := range all {
		p.diagrams = append(p.diagrams, newDiagram(r, p.width))
	}
	return p
}

func (p *rankPage) size() (width, height vg.Length) {
	for _, d := range p.diagrams {
		height += d.height()
	}
	return p.width, height
}

func (p *rankPage) draw(on draw.Canvas) {
	_, top := p.size()
	for _, d := range p.diagrams {
		d.draw(on, top)
		top -= d.height()
	}
}

// diagram is one with the place of each of its parts.
type diagram struct {
	Ranks             // from the worst, on the left, to the best
	order       []int // their indices before
	title       []string
	label       []string
	width       vg.Length
	left, right vg.Length // ends of the axis
	names       [][]string
	nameRow     vg.Length   // height of a name
	stems       []vg.Length // where the line of each value begins
	bars        [][2]int    // first and last of those joined
	rows        []int       // of the bars
}

func newDiagram(r Ranks, wide vg.Length) *diagram {
	const widest = .3 // share of the diagram that the names on a side take
	rows := 1         // of a name
	d := &diagram{Ranks: r, width: wide}
	for i := range r.Ranked {
		d.order = append(d.order, i)
	}
	slices.SortStableFunc(d.order, func(i, j int) int {
		if r.Lower {
			i, j = j, i
		}
		return cmp.Compare(r.Ranked[i].Value, r.Ranked[j].Value)
	})
	d.Ranked = nil
	var values []float64
	sides := [2]vg.Length{}
	for k, i := range d.order {
		one := r.Ranked[i]
		name := wrap(one.Name+" "+one.Printed, textSize, widest*wide)
		values = append(values, one.Value)
		d.Ranked, d.names = append(d.Ranked, one), append(d.names, name)
		rows = max(rows, len(name))
		for _, line := range name {
			sides[d.side(k)] = max(sides[d.side(k)], width(line, textSize))
		}
	}
	d.nameRow = height(rows, textSize) + 3
	d.X = r.X.fitted(values)
	d.title, d.label = wrap(r.Title, titleSize, wide-2*pad), wrap(r.X.Label, textSize, wide-2*pad)
	d.left, d.right = sides[0]+3*pad, wide-sides[1]-3*pad
	d.spread()
	d.join()
	return d
}

// spread moves the lines of values that are equal, or nearly, apart.
func (d *diagram) spread() {
	const apart = vg.Length(4)
	type cluster struct{ middle, n vg.Length }
	var all []cluster
	for _, one := range d.Ranked {
		c := cluster{d.at(one.Value), 1}
		for len(all) > 0 && c.middle-all[len(all)-1].middle < apart*(c.n+all[len(all)-1].n)/2 {
			before := all[len(all)-1]
			all = all[:len(all)-1]
			c = cluster{(c.n*c.middle + before.n*before.middle) / (c.n + before.n), c.n + before.n}
			half := apart * (c.n - 1) / 2
			c.middle = max(d.left+half, min(d.right-half, c.middle))
		}
		all = append(all, c)
	}
	for _, c := range all {
		for k := range int(c.n) {
			d.stems = append(d.stems, c.middle+apart*(vg.Length(k)-(c.n-1)/2))
		}
	}
}

// side returns 0 for the worse half, which is named on the left.
func (d *diagram) side(k int) int { return 2 * k / max(2, len(d.order)) }

// join finds the longest runs of neighbours that all belong together, and puts each
// into the first row where it touches no other one.
func (d *diagram) join() {
	last := 0
	var ends []int // of the last bar of each row
	for first := range d.order {
		end := first
		for end+1 < len(d.order) && d.together(first, end+1) {
			end++
		}
		if end == first || end <= last {
			continue
		}
		last = end
		row := slices.IndexFunc(ends, func(e int) bool { return e < first })
		if row < 0 {
			row, ends = len(ends), append(ends, 0)
		}
		ends[row] = end
		d.bars, d.rows = append(d.bars, [2]int{first, end}), append(d.rows, row)
	}
}

// together reports whether one belongs to all that begin with first.
func (d *diagram) together(first, one int) bool {
	for k := first; k < one; k++ {
		if !d.Joined(d.order[k], d.order[one]) {
			return false
		}
	}
	return true
}

const barRow = vg.Length(6)

// head is the height of what is above the axis.
func (d *diagram) head() vg.Length {
	return pad + height(len(d.title), titleSize) + height(len(d.label), textSize) + height(1, textSize) + pad
}

// stem is the distance from the axis to the first name.
func (d *diagram) stem() vg.Length {
	rows := 0
	for _, row := range d.rows {
		rows = max(rows, row+1)
	}
	return pad + vg.Length(rows)*barRow + pad
}

func (d *diagram) height() vg.Length {
	return d.head() + d.stem() + vg.Length((len(d.order)+1)/2)*d.nameRow + pad
}

func (d *diagram) at(value float64) vg.Length {
	share := vg.Length(d.X.Share(value))
	if d.Lower {
		share = 1 - share
	}
	return d.left + share*(d.right-d.left)
}

// draw draws the diagram below a line.
func (d *diagram) draw(on draw.Canvas, top vg.Length) {
	writeLines(on, pad, top-pad, d.title, titleSize, dark)
	below := top - pad - height(len(d.title), titleSize)
	writeLines(on, pad, below, d.label, textSize, faint)
	axis := top - d.head()
	on.StrokeLine2(axisLine, d.left, axis, d.right, axis)
	free := -pad // where the last label ends
	ticks := d.X.ticks()
	if d.Lower {
		slices.Reverse(ticks)
	}
	for _, t := range ticks {
		x, w := d.at(t.Value), width(t.Label, textSize)
		on.StrokeLine2(axisLine, x, axis, x, axis+3)
		if x-w/2 >= free+pad {
			write(on, vg.Point{X: x - w/2, Y: axis + 5}, t.Label, textSize, faint)
			free = x + w/2
		}
	}
	for k := range d.Ranked {
		d.drawName(on, axis, k)
	}
	for i, bar := range d.bars {
		y := axis - pad - vg.Length(d.rows[i])*barRow
		on.StrokeLine2(draw.LineStyle{Color: dark, Width: 3}, d.stems[bar[0]]-1.5, y, d.stems[bar[1]]+1.5, y)
	}
}

// drawName draws the line from a value to its name: the worst and the best ones
// have the first.
func (d *diagram) drawName(on draw.Canvas, axis vg.Length, k int) {
	line := draw.LineStyle{Color: palette[0], Width: vg.Points(.75)}
	level, end := k, d.left-pad
	if d.side(k) == 1 {
		level, end = len(d.order)-1-k, d.right+pad
	}
	y := axis - d.stem() - (vg.Length(level)+.5)*d.nameRow
	on.StrokeLines(line, []vg.Point{{X: d.at(d.Ranked[k].Value), Y: axis}, {X: d.stems[k], Y: axis - pad/2}, {X: d.stems[k], Y: y}, {X: end, Y: y}})
	top := y + height(len(d.names[k]), textSize)/2
	for i, text := range d.names[k] {
		left := end + 3
		if d.side(k) == 0 {
			left = end - 3 - width(text, textSize)
		}
		writeLines(on, left, top-height(i, textSize), []string{text}, textSize, dark)
	}
}
