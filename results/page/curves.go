package page

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/metrics"
	"dgsbench/protocol"
	"dgsbench/results"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// No more than this is drawn of a chart's curves. More could not be
// distinguished on a screen, and would make the page of a long training big.
const (
	maxSeeds  = 30
	maxEpochs = 100
)

// learningCurves draws loss and validation of every trial on a dataset by epoch:
// a grid of charts for each place, one chart a model.
func learningCurves(p Page, dataset string) ([]part, error) {
	var out []part
	for _, cells := range p.byPlace(dataset) {
		var trained []curves
		for _, c := range cells {
			if k := newCurves(c); k.epochs > 0 {
				trained = append(trained, k)
			}
		}
		if len(trained) > 0 {
			out = append(out, drawCurves(trained))
		}
	}
	return out, nil
}

// curves are the epochs of a cell's seeds.
type curves struct {
	seeds
	loss, validation [][]figure.Point // of each seed; validation in per cent
	chosen           []figure.Point   // the epochs that were tested
	epochs           int              // of the longest training
}

// by returns the metric of the validation.
func (c curves) by() metrics.Metric { return c.records[0].SelectedBy() }

func newCurves(c seeds) curves {
	out := curves{seeds: c}
	for _, r := range c.records {
		var loss, validation []figure.Point
		for e, epoch := range r.Epochs {
			loss = append(loss, figure.At(float64(e+1), float64(epoch.Loss)))
			validation = append(validation, figure.At(float64(e+1), 100*float64(epoch.Validation)))
		}
		if len(loss) == 0 || r.ModelClass == protocol.SingleColumn { // whose epochs are columns
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

func drawCurves(trained []curves) part {
	place := trained[0].place()
	out := part{
		ID: "curves-" + placeID(place), Title: "Learning curves, " + taskTitle(place), Open: true,
		Texts: []string{"Thin lines are seeds, the thick one is their mean, as far as all seeds go. Dots mark the epochs whose models were tested. " +
			"Each model has its own axes, for most of its values; an arrow gives the most extreme value beyond them."},
	}
	var titles []string // one, unless models of the place are selected by different metrics
	epochs, seeds := 0, 0
	for _, c := range trained {
		if title := c.by().Title; !slices.Contains(titles, title) {
			titles = append(titles, title)
		}
		epochs, seeds = max(epochs, c.epochs), max(seeds, len(c.loss))
	}
	metric := strings.Join(titles, " or ") + " %"
	step := stepOf(epochs)
	if step > 1 {
		out.Texts = append(out.Texts, fmt.Sprintf("Of %d epochs, one in %d is drawn, and the last.", epochs, step))
	}
	if seeds > maxSeeds {
		out.Texts = append(out.Texts, fmt.Sprintf("Of up to %d seeds, the first %d are drawn; means, dots and numbers are of all.", seeds, maxSeeds))
	}
	across := figure.Axis{Min: 1, Max: float64(epochs), Scale: figure.Whole}
	loss, validation := figure.Panel{Title: "loss", X: across}, figure.Panel{Title: "validation " + metric, X: across}
	numbers := table.New("model", "seeds", "epochs", "first loss", "last loss", "first validation "+metric, "best validation "+metric,
		"at epoch", "last validation "+metric)
	numbers.Name, numbers.Title = out.ID+"-numbers", out.Title+" on "+place.Dataset+": means over seeds"
	numbers.Legend = []string{"as far as all seeds go"}
	for _, c := range trained {
		var losses, validations []float64 // of the model in all folders
		for _, other := range trained {
			if other.key() == c.key() {
				losses, validations = append(losses, heights(other.loss)...), append(validations, heights(other.validation)...)
			}
		}
		loss.Y.Min, loss.Y.Max = withoutOutliers(losses)
		validation.Y.Min, validation.Y.Max = withoutOutliers(validations)
		loss.Series = drawnLines(c.loss, step)
		validation.Series = append(drawnLines(c.validation, step), figure.Series{Class: "chosen", Mark: figure.Dot, Points: c.chosen})
		row, sentence := c.summary(metric)
		out.Charts = append(out.Charts, chart{c.title(), figure.Chart{
			ID: "curves-" + c.id(), Title: c.heading(), Description: "Loss on the left, validation on the right, by epoch from 1 on.",
			Summary: sentence, Panels: []figure.Panel{loss, validation},
		}})
		numbers.Add(append([]any{c.heading()}, row...)...)
	}
	out.Note = results.Count(len(trained), "model")
	out.Folded = []folded{{Summary: "The same as a table", Tables: []table.Table{numbers}}}
	return out
}

// withoutOutliers returns the ends of an axis for values most of which are close
// together: those of a training after its first epochs. What lies further from the
// middle half of them than 1.5 times its width, or a quarter of the whole range if
// that is more, is left out where the axis becomes half as long by it.
func withoutOutliers(values []float64) (low, high float64) {
	values = slices.DeleteFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
	if len(values) == 0 {
		return figure.Around(values)
	}
	slices.Sort(values)
	n := len(values) - 1
	low, high = values[0], values[n]
	q1, q3 := values[n/4], values[(3*n+3)/4]
	reach := max(1.5*(q3-q1), (high-low)/4)
	if from, to := max(low, q1-reach), min(high, q3+reach); 2*(to-from) <= high-low {
		low, high = from, to
	}
	return figure.Around([]float64{low, high})
}

// drawnLines returns the lines of seeds and their mean, as far as they are
// drawn.
func drawnLines(lines [][]figure.Point, step int) []figure.Series {
	out := lists.Map(lines[:min(len(lines), maxSeeds)], func(line []figure.Point) figure.Series {
		return figure.Series{Class: "seeds", Line: figure.Solid, Points: thin(line, step)}
	})
	return append(out, figure.Series{Class: "mean", Line: figure.Solid, Points: thin(meanLine(lines), step)})
}

// stepOf returns the distance between the epochs that are drawn.
func stepOf(epochs int) int { return max(1, (epochs+maxEpochs-1)/maxEpochs) }

// thin returns the epochs of a line that are drawn: the first one, those at a
// multiple of the distance from it, and the last one.
func thin(line []figure.Point, step int) []figure.Point {
	var out []figure.Point
	for i, at := range line {
		if i%step == 0 || i == len(line)-1 {
			out = append(out, at)
		}
	}
	return out
}

// summary returns the numbers of the mean curves, as a row and in a sentence.
func (c curves) summary(metric string) (row []any, sentence string) {
	loss, validation := meanLine(c.loss), meanLine(c.validation)
	last := len(loss) - 1 // of the epochs that all seeds have
	at := func(line []figure.Point, epoch int) string { return number(line[epoch].Y.Mean) }
	best, bestEpoch := math.NaN(), 0
	for i, v := range validation {
		if y := v.Y.Mean; !math.IsNaN(y) && (bestEpoch == 0 || c.by().Better(y, best)) {
			best, bestEpoch = v.Y.Mean, i+1
		}
	}
	row = []any{
		len(c.loss), c.epochs, at(loss, 0), at(loss, last), at(validation, 0), number(best), bestEpoch, at(validation, last),
	}
	sentence = fmt.Sprintf("%s: loss from %s to %s in %s; validation %s ",
		results.Count(len(c.loss), "seed"), at(loss, 0), at(loss, last), results.Count(len(loss), "epoch"), metric)
	if bestEpoch == 0 {
		return row, sentence + "is not defined."
	}
	return row, sentence + fmt.Sprintf("from %s to %s, best %s at epoch %d.", at(validation, 0), at(validation, last), number(best), bestEpoch)
}
