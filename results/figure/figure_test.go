package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"strings"
	"testing"

	"dgsbench/internal/escape"
	"dgsbench/internal/escapetest"
	"dgsbench/results/figure"
)

// panelOf has a point at each place, every other one hollow, with a wide
// interval at the first.
func panelOf(title string, places ...[2]float64) figure.Panel {
	p := figure.Panel{Title: title, X: figure.Axis{Label: "seconds"}, Y: figure.Axis{Label: "height"}}
	least, most := places[0][0], places[0][0]
	for i, place := range places {
		point := figure.At(place[0], place[1])
		point.Label = fmt.Sprint(title, i)
		p.Series = append(p.Series, figure.Series{Color: i, Mark: []figure.Mark{figure.Dot, figure.Ring}[i%2], Points: []figure.Point{point}})
		least, most = min(least, place[0]), max(most, place[0])
	}
	if most > 3*least {
		p.X.Scale = figure.Log
	}
	at := &p.Series[0].Points[0]
	at.X.Low, at.X.High, at.Y.Low, at.Y.High = at.X.Mean/10, 3*at.X.Mean, at.Y.Mean-1, at.Y.Mean+1
	return p
}

// size is that of a panel in these tests.
var size = figure.Size{Width: 13, Height: 9}

// TestDraw: both files can be read, and every title, axis and label is drawn
// once a panel.
func TestDraw(t *testing.T) {
	near := panelOf("near", [2]float64{1, 50}, [2]float64{1.1, 50}, [2]float64{1.2, 80})
	far := panelOf("far", [2]float64{1e-3, 5}, [2]float64{1, 99}, [2]float64{1e3, 50})
	level := panelOf("level", [2]float64{2, 50}, [2]float64{2, 50}, [2]float64{2, 50}, [2]float64{2, 50})
	single := panelOf("single", [2]float64{3, 70})
	for _, panels := range [][]figure.Panel{{single}, {near, far}, {level, far, single}} {
		f, err := figure.Draw(size, 2, panels)
		if err != nil {
			t.Fatal(err)
		}
		drawn := texts(t, f.SVG)
		for _, p := range panels {
			if drawn[p.Title] != 1 || drawn[p.X.Label] != len(panels) || drawn[p.Y.Label] != len(panels) {
				t.Errorf("%s: titles of panel and axes are drawn %d, %d and %d times", p.Title, drawn[p.Title], drawn[p.X.Label], drawn[p.Y.Label])
			}
			for _, s := range p.Series {
				if label := s.Points[0].Label; drawn[label] != 1 {
					t.Errorf("%q is drawn %d times", label, drawn[label])
				}
			}
		}
		if _, err := png.Decode(bytes.NewReader(pngOf(t, f))); err != nil {
			t.Error(err)
		}
		for i, p := range panels {
			if alone := texts(t, f.Panels[i].SVG); f.Panels[i].Title != p.Title || alone[p.Title] != 1 || alone[p.X.Label] != 1 {
				t.Errorf("%s by itself has %v", p.Title, alone)
			}
			if bytes.Contains(f.Panels[i].SVG, []byte(" id=")) {
				t.Error("identifiers of panels in one page would collide")
			}
		}
	}
}

// TestLegend: named series are in the legend, and names are below an axis.
func TestLegend(t *testing.T) {
	line := []figure.Point{figure.At(0, 1), figure.At(1, 3), figure.At(2, 2)}
	box := figure.Point{X: figure.Value{Mean: .5, High: .5}, Y: figure.Value{Low: -.25, High: .25}}
	f, err := figure.Draw(size, 1, []figure.Panel{
		{X: figure.Axis{Names: []string{"small", "large", "huge"}}, Series: []figure.Series{
			{Name: "random", Color: figure.Blue, Mark: figure.Ring, Points: line}, {Name: "best", Color: figure.Grey, Line: figure.Steps, Points: line},
			{Name: "own", Line: figure.Dashed, Points: line}, {Name: "none", Points: nil},
		}},
		{Y: figure.Axis{Names: []string{"rate"}}, Series: []figure.Series{{Color: figure.Orange, Mark: figure.Box, Points: []figure.Point{box}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	drawn := texts(t, f.SVG)
	for _, text := range []string{"random", "best", "own", "small", "large", "huge", "rate"} {
		if drawn[text] != 1 {
			t.Errorf("%q is drawn %d times", text, drawn[text])
		}
	}
	if drawn["none"] != 0 {
		t.Error("a series without points is in the legend")
	}
}

func pngOf(t *testing.T, f figure.Figure) []byte {
	t.Helper()
	data, err := f.PNG()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestDrawAgain: the same points give the same bytes.
func TestDrawAgain(t *testing.T) {
	panels := []figure.Panel{panelOf("one", [2]float64{1, 50}, [2]float64{2, 60})}
	first, err := figure.Draw(size, 2, panels)
	if err != nil {
		t.Fatal(err)
	}
	again, err := figure.Draw(size, 2, panels)
	if err != nil || !bytes.Equal(again.SVG, first.SVG) || !bytes.Equal(pngOf(t, again), pngOf(t, first)) {
		t.Errorf("drawn again it is another one (%v)", err)
	}
}

// texts counts the texts of a drawing.
func texts(t *testing.T, svg []byte) map[string]int {
	t.Helper()
	out := map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			out[strings.TrimSpace(string(text))]++
		}
	}
}

// TestInline: the drawing is named for those who cannot see it, and the name
// is no markup.
func TestInline(t *testing.T) {
	f := figure.Figure{Title: `a "<b>"`, SVG: []byte(`<?xml version="1.0"?><svg width="1"></svg>`)}
	if got, want := string(f.Inline()), `<svg role="img" aria-label="a &#34;&lt;b&gt;&#34;" width="1"></svg>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHostileLabels: titles and labels are text in both files, whatever they
// hold.
func TestHostileLabels(t *testing.T) {
	elements := func(text string) int {
		p := panelOf(text[:20], [2]float64{1, 50}, [2]float64{2, 60})
		p.X.Label, p.Y.Label, p.Series[0].Points[0].Label, p.Series[1].Points[0].Label = text[:10], text[:10], text[:10], text[len(text)-10:]
		f, err := figure.Draw(size, 2, []figure.Panel{p})
		if err != nil {
			t.Fatal(err)
		}
		texts(t, f.SVG) // is XML
		escapetest.Plain(t, "the drawing", strings.ReplaceAll(string(f.SVG), "\t", ""))
		if n := strings.Count(string(f.SVG), escape.HTML(text[:10])); n != 4 {
			t.Errorf("%q is drawn %d times, expected title, axes and label", text[:10], n)
		}
		return strings.Count(escapetest.Shape(t, string(f.SVG)), "\n")
	}
	if got, want := elements(escapetest.Hostile), elements(escapetest.Harmless); got != want {
		t.Errorf("%d elements, expected %d", got, want)
	}
}
