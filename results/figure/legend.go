package figure

import (
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legend has a sample and the name of every series, in columns of one width.
type legend struct {
	entries []Series
	columns int
	column  vg.Length // its width
}

const sample = vg.Length(20) // its width

// add adds the named series that it does not have yet.
func (l *legend) add(all []Series) {
	for _, s := range all {
		same := func(other Series) bool {
			return other.Name == s.Name && other.Color == s.Color && other.Mark == s.Mark && other.Line == s.Line
		}
		if s.Name != "" && len(s.Points) > 0 && !slices.ContainsFunc(l.entries, same) {
			l.entries = append(l.entries, s)
		}
	}
}

// fit chooses columns for a width.
func (l *legend) fit(most vg.Length) {
	for i, s := range l.entries {
		l.entries[i].Name = cut(s.Name, textSize, most-sample-3*pad)
		l.column = max(l.column, sample+pad/2+width(l.entries[i].Name, textSize)+2*pad)
	}
	if len(l.entries) > 0 {
		l.columns = max(1, min(int(most/l.column), len(l.entries)))
	}
}

func (l *legend) height() vg.Length {
	if len(l.entries) == 0 {
		return 0
	}
	return height((len(l.entries)+l.columns-1)/l.columns, textSize) + pad
}

// draw draws the legend downwards from its upper left corner.
func (l *legend) draw(on draw.Canvas, at vg.Point) {
	for i, s := range l.entries {
		left, middle := at.X+vg.Length(i%l.columns)*l.column, at.Y-height(i/l.columns, textSize)-.65*textSize
		if s.Line != NoLine {
			on.StrokeLine2(s.stroke(), left, middle, left+sample, middle)
		}
		if s.Mark != NoMark {
			s.drawMark(on, vg.Point{X: left + sample/2, Y: middle})
		}
		write(on, vg.Point{X: left + sample + pad/2, Y: middle - .35*textSize}, s.Name, textSize, dark)
	}
}
