package page

import (
	"fmt"
	"math"

	"dgsbench/metrics"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// No more than this is drawn of a chart's curves. More could not be
// distinguished on a screen, and would make the page of a long training big.
const (
	mostSeeds  = 30
	mostEpochs = 100
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
			if k := newCurves(c); k.epochs > 0 {
				trained = append(trained, k)
			}
		}
		if len(trained) > 0 {
			s.Parts = append(s.Parts, drawCurves(p, trained))
		}
	}
	return s, nil
}

// curves are the epochs of a cell's seeds.
type curves struct {
	seeds
	loss, validation [][]figure.Point // of each seed; validation in per cent
	chosen           []figure.Point   // the epochs that were tested
	epochs           int              // of the longest training
}

func newCurves(c seeds) curves {
	out := curves{seeds: c}
	for _, r := range c.records {
		var loss, validation []figure.Point
		for e, epoch := range r.Epochs {
			loss = append(loss, figure.At(float64(e+1), float64(epoch.Loss)))
			validation = append(validation, figure.At(float64(e+1), 100*float64(epoch.Validation)))
		}
		if len(loss) == 0 {
			continue
		}
		out.loss, out.validation, out.epochs = append(out.loss, loss), append(out.validation, validation), max(out.epochs, len(loss))
		if r.BestEpoch >= 0 && r.Epochs[r.BestEpoch].Validation.Present() {
			out.chosen = append(out.chosen, validation[r.BestEpoch])
		}
	}
	return out
}

// meanLine returns the mean of lines, as far as all of them go.
func meanLine(lines [][]figure.Point) []figure.Point {
	var out []figure.Point
	for i := 0; ; i++ {
		sum := 0.0
		for _, line := range lines {
			if i >= len(line) {
				return out
			}
			sum += line[i].Y.Mean
		}
		out = append(out, figure.At(lines[0][i].X.Mean, sum/float64(len(lines))))
	}
}

// heights returns the values of all points.
func heights(lines [][]figure.Point) []float64 {
	var out []float64
	for _, line := range lines {
		for _, at := range line {
			out = append(out, at.Y.Mean)
		}
	}
	return out
}

func drawCurves(p Page, trained []curves) part {
	place := trained[0].place()
	out := part{ID: "curves-" + placeID(place), Title: placeTitle(place)}
	metric := metrics.Of(place.Task)[0].Title + " %"
	var validations []float64
	epochs, most := 0, 0
	for _, c := range trained {
		validations = append(validations, heights(c.validation)...)
		epochs, most = max(epochs, c.epochs), max(most, len(c.loss))
	}
	if step := stepOf(epochs); step > 1 {
		out.Texts = append(out.Texts, fmt.Sprintf("Of %d epochs, one in %d is drawn, and the last.", epochs, step))
	}
	if most > mostSeeds {
		out.Texts = append(out.Texts, fmt.Sprintf("Of up to %d seeds, the first %d are drawn; means, dots and numbers are of all.", most, mostSeeds))
	}
	across := figure.Axis{Min: 1, Max: float64(epochs), Scale: figure.Whole}
	loss, validation := figure.Panel{Title: "loss", X: across}, figure.Panel{Title: "validation " + metric, X: across}
	validation.Y.Min, validation.Y.Max = figure.Around(validations)
	numbers := table.New("model", "seeds", "epochs", "first loss", "last loss", "first validation "+metric, "best validation "+metric,
		"at epoch", "last validation "+metric)
	numbers.Name, numbers.Title = out.ID+"-numbers", "Learning curves, "+out.Title+": means over seeds"
	numbers.Legend = []string{"as far as all seeds go"}
	for _, c := range trained {
		loss.Y.Min, loss.Y.Max = figure.Around(heights(c.loss))
		loss.Series = drawnLines(c.loss, epochs)
		validation.Series = append(drawnLines(c.validation, epochs), figure.Series{Class: "chosen", Mark: figure.Dot, Points: c.chosen})
		s := c.summary()
		out.Charts = append(out.Charts, figure.Chart{
			ID: "curves-" + c.id(), Title: c.heading(p), Description: "Loss on the left, validation on the right, by epoch from 1 on.",
			Summary: s.sentence(metric), Panels: []figure.Panel{loss, validation},
		})
		numbers.Add(c.heading(p), s.seeds, c.epochs, number(s.firstLoss), number(s.lastLoss),
			number(s.first), number(s.best), s.bestEpoch, number(s.last))
	}
	out.Folded = []folded{{"The same as a table", []table.Table{numbers}}}
	return out
}

// drawnLines returns the lines of seeds and their mean, as far as they are
// drawn.
func drawnLines(lines [][]figure.Point, epochs int) []figure.Series {
	var out []figure.Series
	for _, line := range thinLines(lines[:min(len(lines), mostSeeds)], epochs) {
		out = append(out, figure.Series{Class: "seeds", Line: figure.Solid, Points: line})
	}
	mean := thinLines([][]figure.Point{meanLine(lines)}, epochs)[0]
	return append(out, figure.Series{Class: "mean", Line: figure.Solid, Points: mean})
}

// stepOf returns the distance between the epochs that are drawn.
func stepOf(epochs int) int { return max(1, (epochs+mostEpochs-1)/mostEpochs) }

// thinLines returns the epochs of lines that are drawn: the first one and those
// at a multiple of the distance from it, and the last one of each line.
func thinLines(lines [][]figure.Point, epochs int) [][]figure.Point {
	step := stepOf(epochs)
	var out [][]figure.Point
	for _, line := range lines {
		var thinned []figure.Point
		for i, at := range line {
			if i%step == 0 || i == len(line)-1 {
				thinned = append(thinned, at)
			}
		}
		out = append(out, thinned)
	}
	return out
}

// summary has the numbers of the mean curves.
type summary struct {
	seeds, epochs       int // epochs that all seeds have
	firstLoss, lastLoss float64
	first, best, last   float64 // validation
	bestEpoch           int
}

func (c curves) summary() summary {
	loss, validation := meanLine(c.loss), meanLine(c.validation)
	last := len(loss) - 1
	s := summary{
		seeds: len(c.loss), epochs: len(loss), firstLoss: loss[0].Y.Mean, lastLoss: loss[last].Y.Mean,
		first: validation[0].Y.Mean, best: math.Inf(-1), last: validation[last].Y.Mean,
	}
	for i, at := range validation {
		if at.Y.Mean > s.best {
			s.best, s.bestEpoch = at.Y.Mean, i+1
		}
	}
	return s
}

func (s summary) sentence(metric string) string {
	text := fmt.Sprintf("%s: loss from %s to %s in %s; validation %s ",
		results.Count(s.seeds, "seed"), number(s.firstLoss), number(s.lastLoss), results.Count(s.epochs, "epoch"), metric)
	if s.bestEpoch == 0 {
		return text + "is not defined."
	}
	return text + fmt.Sprintf("from %s to %s, best %s at epoch %d.", number(s.first), number(s.last), number(s.best), s.bestEpoch)
}
