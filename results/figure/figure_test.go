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
	"dgsbench/internal/optional"
	"dgsbench/results/figure"
)

// panelOf has a point at each place, every other one hollow, and a deviation
// larger than itself at the first.
func panelOf(title string, places ...[2]float64) figure.Panel {
	p := figure.Panel{Title: title, X: "seconds", Y: "height"}
	for i, place := range places {
		p.Points = append(p.Points, figure.Point{
			Series: i, Label: fmt.Sprint(title, i), Hollow: i%2 == 1,
			X: figure.Value{Mean: place[0], Std: optional.Absent()}, Y: figure.Value{Mean: place[1], Std: optional.Absent()},
		})
	}
	p.Points[0].X.Std, p.Points[0].Y.Std = optional.Number(2*places[0][0]), 1
	return p
}

// TestDraw: both files can be read, and every title, axis and label is drawn
// once a panel.
func TestDraw(t *testing.T) {
	near := panelOf("near", [2]float64{1, 50}, [2]float64{1.1, 50}, [2]float64{1.2, 80})
	far := panelOf("far", [2]float64{1e-3, 5}, [2]float64{1, 99}, [2]float64{1e3, 50})
	level := panelOf("level", [2]float64{2, 50}, [2]float64{2, 50}, [2]float64{2, 50}, [2]float64{2, 50})
	single := panelOf("single", [2]float64{3, 70})
	for _, panels := range [][]figure.Panel{{single}, {near, far}, {level, far, single}} {
		f, err := figure.Draw(panels)
		if err != nil {
			t.Fatal(err)
		}
		drawn := texts(t, f.SVG)
		for _, p := range panels {
			if drawn[p.Title] != 1 || drawn[p.X] != len(panels) || drawn[p.Y] != len(panels) {
				t.Errorf("%s: titles of panel and axes are drawn %d, %d and %d times", p.Title, drawn[p.Title], drawn[p.X], drawn[p.Y])
			}
			for _, point := range p.Points {
				if drawn[point.Label] != 1 {
					t.Errorf("%q is drawn %d times", point.Label, drawn[point.Label])
				}
			}
		}
		if _, err := png.Decode(bytes.NewReader(f.PNG)); err != nil {
			t.Error(err)
		}
	}
}

// TestDrawAgain: the same points give the same bytes.
func TestDrawAgain(t *testing.T) {
	panels := []figure.Panel{panelOf("one", [2]float64{1, 50}, [2]float64{2, 60})}
	first, err := figure.Draw(panels)
	if err != nil {
		t.Fatal(err)
	}
	again, err := figure.Draw(panels)
	if err != nil || !bytes.Equal(again.SVG, first.SVG) || !bytes.Equal(again.PNG, first.PNG) {
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
		p := panelOf(text, [2]float64{1, 50}, [2]float64{2, 60})
		p.X, p.Y, p.Points[0].Label, p.Points[1].Label = text[:10], text[:10], text[:10], text[len(text)-10:]
		f, err := figure.Draw([]figure.Panel{p})
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
