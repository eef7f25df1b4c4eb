package figure_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/svgtest"
	"dgsbench/results/figure"

	"pgregory.net/rapid"
)

// manyNames are long, of other alphabets, and more than there are colours.
var manyNames = []string{
	"TGN-attn (two layers, all neighbours, embedding of size 172)", "DGS", "JODIE", "DyRep", "Graph-Sprints", "GraphMixer", "CAWN", "Raw", "TGAT",
	"EdgeBank (tw)", "Popularity", "Временной граф", "時系列グラフ",
}

const longTitle = "a very long title that goes on and on about the dataset with all of its features, and about what was left out of it"

// hard are panels in which texts have little room.
func hard() map[string][]figure.Panel {
	time := figure.Axis{Label: "time of 200 batches of 200 events (s)"}
	percent := figure.Axis{Label: "recall (% of positives)", Max: 100}
	cloud, spot := figure.Panel{Title: "a cloud", X: time}, figure.Panel{Title: "a spot", X: time}
	lines := figure.Panel{Title: longTitle, X: figure.Axis{Label: longTitle, Max: 100}, Y: percent}
	equal := figure.Panel{Title: "equal times", X: figure.Axis{Label: "time of a batch", Scale: figure.Times}, Y: percent}
	decades := figure.Panel{X: figure.Axis{Scale: figure.Log}, Y: figure.Axis{Scale: figure.Log, Label: "µs an event"}}
	bars := figure.Panel{X: figure.Axis{Label: longTitle}, Y: figure.Axis{Names: manyNames}}
	columns := figure.Panel{X: figure.Axis{Names: manyNames}}
	for i, name := range manyNames {
		x := float64(i)
		point := func(x, y float64) figure.Series {
			return figure.Series{Color: i, Mark: figure.Dot + figure.Mark(i%2), Points: []figure.Point{{X: figure.Exact(x), Y: figure.Value{Mean: y, Low: y - .3, High: y + .3}, Label: name}}}
		}
		cloud.Series = append(cloud.Series, point(1+.02*float64(i*i%7), 80+.5*float64(i%5)))
		spot.Series = append(spot.Series, point(1, 80))
		var curve []figure.Point
		for x := 0.; x <= 100; x += 2 {
			curve = append(curve, figure.At(x, 100*math.Pow(x/100, 1/float64(i+1))))
		}
		lines.Series = append(lines.Series, figure.Series{Name: name, Color: i, Line: figure.Solid, Points: curve})
		equal.Series = append(equal.Series, figure.Series{Name: name, Color: i, Line: figure.Solid, Points: []figure.Point{figure.At(2.1e6, 0), figure.At(2.1e6, 100)}})
		decades.Series = append(decades.Series, figure.Series{Name: name, Color: i, Mark: figure.Dot, Points: []figure.Point{figure.At(math.Pow(10, x), math.Pow(10, -x))}})
		bars.Series = append(bars.Series, figure.Series{Color: figure.Blue, Mark: figure.Box, Points: []figure.Point{{X: figure.Value{High: x}, Y: figure.Value{Mean: x, Low: x - .25, High: x + .25}}}})
		columns.Series = append(columns.Series, figure.Series{Mark: figure.Dot, Points: []figure.Point{figure.At(x, 1e9*x)}})
	}
	single := figure.Panel{X: figure.Axis{Label: "seconds"}, Series: []figure.Series{{Mark: figure.Dot, Points: []figure.Point{{X: figure.Exact(3), Y: figure.Exact(-1e-7), Label: "DGS"}}}}}
	return map[string][]figure.Panel{"points": {cloud, spot}, "lines": {lines, equal}, "axes": {decades, bars, columns}, "single": {single}}
}

// ranks are 13 models with equal and nearly equal ranks.
func ranks() []figure.Ranks {
	r := figure.Ranks{Title: longTitle, X: figure.Axis{Label: longTitle}, Lower: true, Joined: func(i, j int) bool { return max(i, j)-min(i, j) < 4 }}
	for i, name := range manyNames {
		r.Ranked = append(r.Ranked, figure.Ranked{Name: name, Printed: fmt.Sprint(1 + i/3), Value: float64(1 + i/3)})
	}
	wide := r
	wide.X.Min, wide.X.Max, wide.X.Scale = 1, 13, figure.Whole
	return []figure.Ranks{r, wide}
}

// TestTextsAreApart: in the figure and in each panel by itself, no text covers
// another one, a mark, a line or the edge.
func TestTextsAreApart(t *testing.T) {
	drawn := map[string]figure.Figure{}
	for name, panels := range hard() {
		for _, size := range []figure.Size{{Width: 13, Height: 9}, {Width: 8, Height: 6}} {
			f, err := figure.Draw(size, 2, panels)
			if err != nil {
				t.Fatal(err)
			}
			drawn[fmt.Sprint(name, size)] = f
		}
	}
	for _, width := range []float64{18, 12} {
		f, err := figure.DrawRanks(width, ranks())
		if err != nil {
			t.Fatal(err)
		}
		drawn[fmt.Sprint("ranks", width)] = f
	}
	for name, f := range drawn {
		svgtest.Check(t, name, f.SVG)
		for i, p := range f.Panels {
			svgtest.Check(t, fmt.Sprintf("%s, panel %d", name, i), p.SVG)
		}
		if folder := os.Getenv("DGSBENCH_FIGURES"); folder != "" { // to look at them
			_ = os.WriteFile(filepath.Join(folder, name+".png"), pngOf(t, f), 0o644)
		}
	}
}

// TestAnyTextsAreApart: whatever the values, the scales and the names are.
func TestAnyTextsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching("[A-Za-z0-9 (),%-]{0,40}")
		scale := rapid.SampledFrom([]figure.Scale{figure.Linear, figure.Whole, figure.Log, figure.Times})
		p := figure.Panel{
			Title: text.Draw(t, "title"), X: figure.Axis{Label: text.Draw(t, "x"), Scale: scale.Draw(t, "scale")},
			Y: figure.Axis{Label: "y" + text.Draw(t, "y"), Scale: scale.Draw(t, "scale")},
		}
		value := rapid.OneOf(rapid.Float64Range(1e-3, 1e6), rapid.Float64Range(100, 101), rapid.Just(5.))
		for i := range rapid.IntRange(1, 16).Draw(t, "series") {
			y := value.Draw(t, "y")
			p.Series = append(p.Series, figure.Series{Color: i, Mark: figure.Mark(i%3) + figure.Dot, Points: []figure.Point{{
				X: figure.Exact(value.Draw(t, "x")), Y: figure.Value{Mean: y, Low: .9 * y, High: 1.2 * y}, Label: text.Draw(t, "label"),
			}}})
		}
		f, err := figure.Draw(figure.Size{Width: rapid.Float64Range(8, 26).Draw(t, "width"), Height: 7}, 1, []figure.Panel{p})
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range svgtest.Problems(t, f.SVG) {
			t.Errorf("%s", problem)
		}
	})
}

// TestAnyValues: panels of any values and ends are drawn, and nothing is off the page.
func TestAnyValues(t *testing.T) {
	value := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1.75e308, -1e308, 1e308, 1e17, 1e17 + 32, 1e-320}))
	rapid.Check(t, func(t *rapid.T) {
		axis := func() figure.Axis {
			a := figure.Axis{Scale: rapid.SampledFrom([]figure.Scale{figure.Linear, figure.Whole, figure.Log, figure.Times}).Draw(t, "scale")}
			if rapid.Bool().Draw(t, "no end") {
				a.Max = math.NaN()
			}
			return a
		}
		p := figure.Panel{X: axis(), Y: axis(), Title: "values"}
		s := figure.Series{Mark: figure.Dot, Line: figure.Solid}
		for range rapid.IntRange(1, 6).Draw(t, "points") {
			x, y := value.Draw(t, "x"), value.Draw(t, "y")
			s.Points = append(s.Points, figure.Point{X: figure.Exact(x), Y: figure.Value{Mean: y, Low: value.Draw(t, "low"), High: y}})
		}
		p.Series = []figure.Series{s}
		f, err := figure.Draw(size, 1, []figure.Panel{p})
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range svgtest.Problems(t, f.SVG) {
			if strings.Contains(problem, "leaves the page") {
				t.Errorf("%s", problem)
			}
		}
		if strings.Contains(string(f.SVG), "NaN") || strings.Contains(string(f.SVG), "Inf") {
			t.Error("a place that is no number")
		}
		if _, err := (figure.Chart{Panels: []figure.Panel{p}}).HTML(); err != nil {
			t.Error(err)
		}
	})
}

// TestLabelsOrLegend: labels are near their points where there is room, and in the
// legend where there is none.
func TestLabelsOrLegend(t *testing.T) {
	for name, near := range map[string]bool{"single": true, "points": false} {
		panels := hard()[name]
		f, err := figure.Draw(size, 2, panels[len(panels)-1:])
		if err != nil {
			t.Fatal(err)
		}
		label := panels[0].Series[0].Points[0].Label
		for _, text := range svgtest.Texts(t, f.SVG) {
			if text.Text == label && (text.Bottom < 200) != near {
				t.Errorf("%s: %q is at %.0f", name, label, text.Top)
			}
		}
	}
}

// TestJoined: a thick line is drawn for each longest run of neighbours of which every
// pair is joined, and for no other pairs.
func TestJoined(t *testing.T) {
	for _, c := range []struct {
		pairs string // by the names of the models, from the best
		want  int
	}{{"", 0}, {"AB", 1}, {"AB BC", 2}, {"AB BC AC", 1}, {"AC", 0}, {"AB CD", 2}, {"AB AC BC AD BD CD", 1}, {"BC BD CD AB", 2}} {
		r := figure.Ranks{Lower: true, Joined: func(i, j int) bool {
			return strings.Contains(c.pairs, string([]byte{'A' + byte(min(i, j)), 'A' + byte(max(i, j))}))
		}}
		for i := range 4 {
			r.Ranked = append(r.Ranked, figure.Ranked{Name: string(rune('A' + i)), Value: float64(i + 1)})
		}
		f, err := figure.DrawRanks(12, []figure.Ranks{r})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(f.SVG), "stroke-width:3\""); got != c.want {
			t.Errorf("%q: %d lines, expected %d", c.pairs, got, c.want)
		}
	}
}

// TestCommittedFigures: those of the documents, too.
func TestCommittedFigures(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "docs", "figures", "*.svg"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		svgtest.Check(t, file, svg)
	}
}
