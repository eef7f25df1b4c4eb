// Package svgtest measures drawings: the boxes of their texts, and what else is
// drawn there.
package svgtest

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// TB is what a test has, also one of random inputs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Box is a part of a drawing, in its units, with the upper left corner at 0, 0.
type Box struct{ Left, Right, Top, Bottom float64 }

func (b Box) grown(by float64) Box { return Box{b.Left - by, b.Right + by, b.Top - by, b.Bottom + by} }

func (b Box) overlaps(c Box) bool {
	return b.Left < c.Right && c.Left < b.Right && b.Top < c.Bottom && c.Top < b.Bottom
}

func (b Box) leaves(page Box) bool {
	return b.Left < page.Left || b.Top < page.Top || b.Right > page.Right || b.Bottom > page.Bottom
}

// crossed reports whether a line goes through the box: some point of it, a quarter
// of a unit apart, is inside.
func (b Box) crossed(from, to point) bool {
	steps := math.Ceil(4*math.Hypot(to.x-from.x, to.y-from.y)) + 1
	for i := range int(steps) + 1 {
		share := float64(i) / steps
		x, y := from.x+share*(to.x-from.x), from.y+share*(to.y-from.y)
		if b.Left < x && x < b.Right && b.Top < y && y < b.Bottom {
			return true
		}
	}
	return false
}

// Text is a text with its box.
type Text struct {
	Text string
	Box
}

type point struct{ x, y float64 }

// stroke is what a path covers: its lines, or all inside its box.
type stroke struct {
	points []point
	filled bool
	box    Box
}

// The shares of the letters' size above and below their line.
const ascent, descent = .905, .212

// grid is the colour of lines that texts may cross, and white covers nothing.
var unseen = regexp.MustCompile(`(stroke|fill):#(E4E4E4|FFFFFF)`)

// Texts returns the texts of a drawing, with the widths that it gives them.
func Texts(t TB, svg []byte) []Text {
	texts, _, _ := read(t, svg)
	return texts
}

// Check fails for texts that overlap each other, a mark or a line, and for texts, marks
// and lines that leave the page.
func Check(t TB, name string, svg []byte) {
	t.Helper()
	for _, problem := range Problems(t, svg) {
		t.Errorf("%s: %s", name, problem)
	}
}

// Problems returns what Check fails for.
func Problems(t TB, svg []byte) (out []string) {
	texts, strokes, page := read(t, svg)
	if len(texts) == 0 {
		out = append(out, "no text")
	}
	page = page.grown(.05) // numbers are rounded
	for _, s := range strokes {
		if s.box.leaves(page) {
			out = append(out, fmt.Sprintf("what is drawn at %.0f, %.0f leaves the page", s.points[0].x, s.points[0].y))
		}
	}
	for i, a := range texts {
		if a.leaves(page) {
			out = append(out, fmt.Sprintf("%q leaves the page", a.Text))
		}
		for _, b := range texts[i+1:] {
			if a.overlaps(b.Box) {
				out = append(out, fmt.Sprintf("%q overlaps %q", a.Text, b.Text))
			}
		}
		for _, s := range strokes {
			if s.covers(a.Box) {
				out = append(out, fmt.Sprintf("%q covers what is drawn at %.0f, %.0f", a.Text, s.points[0].x, s.points[0].y))
			}
		}
	}
	return out
}

// covers reports whether the stroke is seen in the box of a text, but for the edge.
func (s stroke) covers(text Box) bool {
	text = text.grown(-.25)
	if s.filled {
		return s.box.overlaps(text)
	}
	for i := range s.points[1:] {
		if text.crossed(s.points[i], s.points[i+1]) {
			return true
		}
	}
	return false
}

// element is one of the drawing with its attributes.
type element map[string]string

func (e element) number(t TB, name string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(strings.TrimSuffix(e[name], "pt"), 64)
	if err != nil {
		t.Fatalf("%s of %v: %v", name, e, err)
	}
	return x
}

var (
	moved    = regexp.MustCompile(`translate\((-?[0-9.e-]+), (-?[0-9.e-]+)\)`)
	fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)
	command  = regexp.MustCompile(`[MLA][^MLAZ]+`)
	number   = regexp.MustCompile(`-?[0-9.]+(?:e-?[0-9]+)?`)
)

// read returns what is drawn. Groups move and mirror what is in them.
func read(t TB, svg []byte) (texts []Text, strokes []stroke, page Box) {
	t.Helper()
	type group struct{ point }
	groups := []group{{}}
	var text *Text
	for d := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, strokes, page
		}
		if err != nil {
			t.Fatal(err)
		}
		origin := groups[len(groups)-1].point
		switch token := token.(type) {
		case xml.StartElement:
			e := element{}
			for _, a := range token.Attr {
				e[a.Name.Local] = a.Value
			}
			switch token.Name.Local {
			case "svg":
				page.Right, page.Bottom = e.number(t, "width"), e.number(t, "height")
			case "g":
				if m := moved.FindStringSubmatch(e["transform"]); m != nil {
					x, _ := strconv.ParseFloat(m[1], 64)
					y, _ := strconv.ParseFloat(m[2], 64)
					if strings.HasPrefix(e["transform"], "scale(1, -1)") { // the page's own: upwards from its foot
						x, y = 0, 0
					}
					origin.x, origin.y = origin.x+x, origin.y+y
				}
				groups = append(groups, group{origin})
			case "text":
				size, _ := strconv.ParseFloat(fontSize.FindStringSubmatch(e["style"])[1], 64)
				left, line := origin.x+e.number(t, "x"), page.Bottom-origin.y+e.number(t, "y")
				text = &Text{Box: Box{left, left + e.number(t, "textLength"), line - ascent*size, line + descent*size}}
			case "path":
				if !unseen.MatchString(e["style"]) {
					strokes = append(strokes, readPath(e, origin, page.Bottom))
				}
			}
		case xml.CharData:
			if text != nil {
				text.Text += string(token)
			}
		case xml.EndElement:
			switch token.Name.Local {
			case "g":
				groups = groups[:len(groups)-1]
			case "text":
				texts, text = append(texts, *text), nil
			}
		}
	}
}

// readPath reads lines, polygons and circles.
func readPath(e element, origin point, height float64) stroke {
	s := stroke{filled: !strings.Contains(e["style"], "fill:none"), box: Box{math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)}}
	radius := 0.0
	for _, one := range command.FindAllString(e["d"], -1) {
		numbers := number.FindAllString(one, -1)
		x, _ := strconv.ParseFloat(numbers[len(numbers)-2], 64)
		y, _ := strconv.ParseFloat(numbers[len(numbers)-1], 64)
		if one[0] == 'A' {
			radius, _ = strconv.ParseFloat(numbers[0], 64)
		}
		p := point{origin.x + x, height - origin.y - y}
		s.points = append(s.points, p)
		s.box = Box{min(s.box.Left, p.x), max(s.box.Right, p.x), min(s.box.Top, p.y), max(s.box.Bottom, p.y)}
	}
	s.box.Top, s.box.Bottom = s.box.Top-radius, s.box.Bottom+radius
	return s
}
