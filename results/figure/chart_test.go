package figure

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// numbersIn are those of a path.
var numbersIn = regexp.MustCompile(`-?[0-9.]+`)

// TestLinesStayInside: whatever is drawn lies in its panel.
func TestLinesStayInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.Just(math.NaN()), rapid.Just(5.)), 1, 30).Draw(t, "values")
		var line []Point
		for i, v := range values {
			line = append(line, At(float64(i+1), v))
		}
		v := Chart{Panels: []Panel{{}, {X: Axis{Scale: Whole}, Series: []Series{{Class: "mean", Line: Solid, Points: line}}}}}.view()
		p := v.Panes[1]
		if len(p.XTicks) == 0 || len(p.YTicks) == 0 {
			t.Fatalf("no numbers beside %v", values)
		}
		for _, path := range p.Paths {
			for _, command := range regexp.MustCompile(`[ML][^MLh]+`).FindAllString(path.D, -1) {
				at := numbersIn.FindAllString(command, -1)
				x, _ := strconv.ParseFloat(at[0], 64)
				y, _ := strconv.ParseFloat(at[1], 64)
				if x < 0 || x > float64(v.Inner) || y < topMargin || y > chartHeight-footMargin {
					t.Fatalf("%s is outside", command)
				}
			}
		}
		for _, tick := range p.XTicks {
			if strings.Contains(tick.Label, ".") {
				t.Fatalf("epoch %s", tick.Label)
			}
		}
	})
}

// TestLines: a gap interrupts a line, and a point by itself is a dot.
func TestLines(t *testing.T) {
	v := Chart{Panels: []Panel{{
		X: Axis{Max: 2}, Y: Axis{Max: 1},
		Series: []Series{{Class: "mean", Line: Solid, Points: []Point{At(0, 0), At(1, math.NaN()), At(2, 1)}}},
	}}}.view()
	if want := fmt.Sprintf("M0 %dh0M%d %dh0", chartHeight-footMargin, v.Inner, topMargin); v.Panes[0].Paths[0].D != want {
		t.Errorf("%s, expected %s", v.Panes[0].Paths[0].D, want)
	}
}

// TestMarks: steps keep the level until the next point, triangles stand around
// their point, and boxes have the corners of both intervals.
func TestMarks(t *testing.T) {
	p := pane{x: Axis{Max: 10}, y: Axis{Max: 1}, width: 100}
	points := []Point{At(0, 0), At(5, 1)}
	for _, c := range []struct {
		series Series
		want   string
	}{
		{Series{Line: Steps, Points: points}, "M0 122h0L50 122L50 18"},
		{Series{Mark: Dot, Points: points}, "M0 122h0M50 18h0"},
		{Series{Mark: Triangle, Points: points}, "M0 118l4 7h-8zM50 14l4 7h-8z"},
		{Series{Mark: Box, Points: []Point{{X: Value{5, 2, 8}, Y: Value{.5, 0, 1}}}}, "M20 122V18H80V122z"},
	} {
		if got := p.data(c.series); got != c.want {
			t.Errorf("%+v: %s, expected %s", c.series, got, c.want)
		}
	}
}

// TestDigits: zero has no sign.
func TestDigits(t *testing.T) {
	if got := digits(math.Copysign(0, -1)); got != "0" {
		t.Errorf("-0 is written as %s", got)
	}
}

// TestDuration has three digits.
func TestDuration(t *testing.T) {
	for ns, want := range map[float64]string{240: "240ns", 7213: "7.21µs", 1.8437e6: "1.84ms", 1e9: "1s"} {
		if got := Duration(ns); got != want {
			t.Errorf("%g ns are %s, expected %s", ns, got, want)
		}
	}
}

// TestLogTicks: 1, 2 and 5 are labelled as long as there is room.
func TestLogTicks(t *testing.T) {
	for _, c := range []struct {
		axis Axis
		want string
	}{
		{Axis{Min: .04, Max: 3, Scale: Log}, "0.05 0.1 0.2 0.5 1 2"},
		{Axis{Min: 1, Max: 1000, Scale: Log}, "1 2 5 10 20 50 100 200 500 1000"},
		{Axis{Min: 900, Max: 2e7, Scale: Log}, "1000 1e4 1e5 1e6 1e7"},
		{Axis{Min: 900, Max: 3e4, Scale: Times}, "1µs 2µs 5µs 10µs 20µs"},
		{Axis{Min: 900, Max: 3e6, Scale: Times}, "1µs 10µs 100µs 1ms"},
	} {
		var labels []string
		for _, tick := range c.axis.ticks() {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.axis, got, c.want)
		}
	}
}

// TestAnyTicks: an axis of any ends has few ticks, all between them; of ends that no
// axis can have, it has at most one.
func TestAnyTicks(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(1e9, 1e9+10), rapid.SampledFrom([]float64{
		0, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 1.75e308, 1e-310, 1e17, 1e17 + 32, -1e308,
	}))
	rapid.Check(t, func(t *rapid.T) {
		a := Axis{Min: number.Draw(t, "min"), Scale: rapid.SampledFrom([]Scale{Linear, Whole, Log, Times}).Draw(t, "scale")}
		a.Max = rapid.OneOf(number, rapid.SampledFrom([]float64{math.Nextafter(a.Min, math.Inf(1)), a.Min * (1 + 1e-11), 2 * a.Min})).Draw(t, "max")
		a.Min, a.Max = min(a.Min, a.Max), max(a.Min, a.Max)
		if rapid.Bool().Draw(t, "fitted") {
			a = Axis{Scale: a.Scale}.fitted([]float64{a.Min, a.Max})
		}
		ticks := a.ticks()
		if n := len(ticks); n > 9*24 || n > 8 && !a.logarithmic() || n > 1 && !a.spans() {
			t.Errorf("%d ticks", n)
		}
		for _, tick := range ticks {
			if share := a.Share(tick.Value); tick.Value < a.Min || tick.Value > a.Max || !(share >= 0 && share <= 1) {
				t.Errorf("a tick at %g, at %g of the axis from %g to %g", tick.Value, share, a.Min, a.Max)
			}
		}
	})
}

// TestCut: of what lies beyond an axis the most extreme value is written at the edge.
func TestCut(t *testing.T) {
	c := Chart{Panels: []Panel{{
		X: Axis{Min: 1, Max: 4}, Y: Axis{Min: 70, Max: 80},
		Series: []Series{{Class: "mean", Line: Solid, Points: []Point{At(1, 50.5), At(2, 60), At(3, 75), At(4, 90)}}},
	}}}
	var labels []string
	for _, cut := range c.view().Panes[0].Cut {
		labels = append(labels, cut.Label+" "+cut.Anchor)
	}
	if got := strings.Join(labels, ", "); got != "↓ 50.5 start, ↑ 90 end" {
		t.Errorf("%q is written", got)
	}
	drawn, err := c.HTML()
	if err != nil || !strings.Contains(string(drawn), `<svg x="-3"`) {
		t.Errorf("lines are not cut off: %v\n%s", err, drawn)
	}
	c.Panels[0].Y = Axis{}
	if got := c.view().Panes[0].Cut; got != nil {
		t.Errorf("%v is written where the axis has all values", got)
	}
}
