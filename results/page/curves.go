package page

import (
	"fmt"
	"html/template"
	"math"

	"dgsbench/metrics"
	"dgsbench/results/table"
)

// learningCurves draws loss and validation of every trial by epoch: a grid of
// charts for each place, one chart a model.
func learningCurves(p Page) (section, error) {
	s := section{
		ID: "learning-curves", Title: "Learning curves",
		Intro: "Thin lines are seeds, the thick one is their mean, as far as all seeds go. Dots mark the epochs whose models were tested. " +
			"Validation has one scale for all models of a place; every loss has its own.",
	}
	for _, cells := range p.byPlace() {
		var trained []curves
		for _, c := range cells {
			if k := newCurves(c); k.epochs() > 0 {
				trained = append(trained, k)
			}
		}
		if len(trained) == 0 {
			continue
		}
		drawn, err := drawCurves(p, cells[0].place(), trained)
		if err != nil {
			return s, err
		}
		s.Parts = append(s.Parts, drawn)
	}
	return s, nil
}

// curves are the epochs of a cell's seeds.
type curves struct {
	cell
	loss, validation [][]point // of each seed; validation in per cent
	chosen           []point   // the epochs that were tested
}

func newCurves(c cell) curves {
	out := curves{cell: c}
	for _, r := range c.records {
		var loss, validation []point
		for e, epoch := range r.Epochs {
			x := float64(e + 1)
			loss = append(loss, point{x, float64(epoch.Loss)})
			validation = append(validation, point{x, 100 * float64(epoch.Validation)})
		}
		if len(loss) == 0 {
			continue
		}
		out.loss, out.validation = append(out.loss, loss), append(out.validation, validation)
		if r.BestEpoch >= 0 && finite(validation[r.BestEpoch].y) {
			out.chosen = append(out.chosen, validation[r.BestEpoch])
		}
	}
	return out
}

// epochs is the number of the longest seed's.
func (c curves) epochs() int {
	most := 0
	for _, line := range c.loss {
		most = max(most, len(line))
	}
	return most
}

// meanLine is the mean of lines, as far as all of them go.
func meanLine(lines [][]point) []point {
	var out []point
	for i := 0; ; i++ {
		sum := 0.0
		for _, line := range lines {
			if i >= len(line) {
				return out
			}
			sum += line[i].y
		}
		out = append(out, point{lines[0][i].x, sum / float64(len(lines))})
	}
}

// heights are the values of all points.
func heights(lines [][]point) []float64 {
	var out []float64
	for _, line := range lines {
		for _, at := range line {
			out = append(out, at.y)
		}
	}
	return out
}

func drawCurves(p Page, at place, trained []curves) (part, error) {
	out := part{ID: "curves-" + at.id(), Title: at.String()}
	metric := metrics.Of(at.task)[0].Title + " %"
	var all []float64
	epochs := 0
	for _, c := range trained {
		all, epochs = append(all, heights(c.validation)...), max(epochs, c.epochs())
	}
	across, up := axis{min: 1, max: float64(epochs), whole: true}, spanning(all)
	out.Texts = thinned(epochs, trained)
	numbers := table.Table{
		Name: out.ID + "-numbers", Title: "Learning curves, " + at.String() + ": means over seeds",
		Columns: columns("model", "seeds", "epochs", "first loss", "last loss", "first validation "+metric, "best validation "+metric, "at epoch", "last validation "+metric),
		Legend:  []string{"as far as all seeds go"}, Blocks: make([][]table.Row, 1),
	}
	for _, c := range trained {
		s := c.summary()
		drawn := newChart("curves-"+c.id(), c.heading(p), "loss", "validation "+metric)
		drawn.Drawn = "Loss on the left, validation on the right, by epoch from 1 on."
		drawn.Says = s.sentence(metric)
		drawn.Panes[0].axes(across, spanning(heights(c.loss)))
		drawn.Panes[1].axes(across, up)
		for i, lines := range [][][]point{c.loss, c.validation} {
			drawn.Panes[i].lines("seeds", thinLines(lines[:min(len(lines), mostSeeds)], epochs)...)
			drawn.Panes[i].lines("mean", thinLines([][]point{meanLine(lines)}, epochs)...)
		}
		drawn.Panes[1].dots("chosen", c.chosen)
		out.Charts = append(out.Charts, drawn)
		numbers.Blocks[0] = append(numbers.Blocks[0], words(append([]string{c.heading(p)}, s.texts()...)...))
	}
	table, err := render(numbers)
	out.Folded = []folded{{"The same as a table", []template.HTML{table}}}
	return out, err
}

// summary is what the mean curves say.
type summary struct {
	seeds, epochs       int
	firstLoss, lastLoss float64
	first, best, last   float64 // validation
	bestEpoch, ofEpochs int
}

func (c curves) summary() summary {
	loss, validation := meanLine(c.loss), meanLine(c.validation)
	s := summary{
		seeds: len(c.loss), epochs: c.epochs(), ofEpochs: len(loss), best: math.Inf(-1),
		firstLoss: loss[0].y, lastLoss: loss[len(loss)-1].y,
		first: validation[0].y, last: validation[len(validation)-1].y,
	}
	for i, at := range validation {
		if at.y > s.best {
			s.best, s.bestEpoch = at.y, i+1
		}
	}
	return s
}

func (s summary) sentence(metric string) string {
	text := fmt.Sprintf("%s: loss from %s to %s in %s; validation %s ",
		count(s.seeds, "seed"), number(s.firstLoss), number(s.lastLoss), count(s.ofEpochs, "epoch"), metric)
	if s.bestEpoch == 0 {
		return text + "is not defined."
	}
	return text + fmt.Sprintf("from %s to %s, best %s at epoch %d.", number(s.first), number(s.last), number(s.best), s.bestEpoch)
}

func (s summary) texts() []string {
	return []string{
		fmt.Sprint(s.seeds), fmt.Sprint(s.epochs), number(s.firstLoss), number(s.lastLoss),
		number(s.first), number(s.best), fmt.Sprint(s.bestEpoch), number(s.last),
	}
}

// number has four digits.
func number(x float64) string {
	if !finite(x) {
		return "–"
	}
	return fmt.Sprintf("%.4g", x)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
