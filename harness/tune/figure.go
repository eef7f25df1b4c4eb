package tune

import (
	"fmt"
	"slices"

	"dgsbench/results/figure"
)

// Draw returns the files of the study's figures, by their suffix: the history
// of the search and the importance of the parameters, as SVG and PNG. A figure
// with nothing to show is left out.
func (h *History) Draw() (map[string][]byte, error) {
	files := map[string][]byte{}
	draw := func(name string, height float64, p figure.Panel) error {
		f, err := figure.Draw(figure.Size{Width: 16, Height: height}, 1, []figure.Panel{p})
		if err != nil {
			return err
		}
		files[name+".svg"] = f.SVG
		files[name+".png"], err = f.PNG()
		return err
	}
	if h.Best().Failed() {
		return files, nil
	}
	err := draw("-history", 8, h.historyPanel())
	if all := h.Importances(); err == nil && len(all) > 0 {
		err = draw("-importance", 0.7*float64(len(all))+2.5, h.importancePanel(all))
	}
	return files, err
}

func (h *History) historyPanel() figure.Panel {
	random := figure.Series{Name: string(Random), Color: figure.Blue, Mark: figure.Ring}
	proposed := figure.Series{Name: string(TPE), Color: figure.Orange, Mark: figure.Triangle}
	best := figure.Series{Name: "best so far", Color: figure.Grey, Line: figure.Steps}
	own := figure.Series{Name: "own options", Color: figure.Grey, Line: figure.Dashed}
	for _, l := range h.trials() {
		if l.Failed() {
			continue
		}
		number, value := float64(l.Trial), *l.Value
		of := &random
		if l.Phase == TPE {
			of = &proposed
		}
		of.Points = append(of.Points, figure.At(number, value))
		if n := len(best.Points); n > 0 && !h.Study.metric().Better(value, best.Points[n-1].Y.Mean) {
			value = best.Points[n-1].Y.Mean
		}
		best.Points = append(best.Points, figure.At(number, value))
	}
	if l := h.own(); !l.Failed() {
		own.Points = []figure.Point{figure.At(0, *l.Value), figure.At(float64(max(1, h.Study.Trials-1)), *l.Value)}
	}
	title := h.Study.String()
	if n := failed(h.trials()); n > 0 {
		title += fmt.Sprintf(" (%d of %d trials failed)", n, len(h.trials()))
	}
	return figure.Panel{
		Title: title, X: figure.Axis{Label: "trial", Scale: figure.Whole}, Y: figure.Axis{Label: "validation " + h.Study.Metric()},
		Series: []figure.Series{random, proposed, best, own},
	}
}

// importancePanel shows a bar for each parameter, the most important on top.
func (h *History) importancePanel(all []Importance) figure.Panel {
	bars, y := figure.Series{Color: figure.Blue, Mark: figure.Box}, figure.Axis{}
	for i, one := range slices.Backward(all) {
		at := float64(len(all) - 1 - i)
		bars.Points = append(bars.Points, figure.Point{
			X: figure.Value{Mean: one.Share, High: one.Share}, Y: figure.Value{Mean: at, Low: at - .25, High: at + .25},
		})
		y.Names = append(y.Names, one.Parameter.Title)
	}
	return figure.Panel{
		Title: fmt.Sprintf("%s, %d trials", h.Study, len(h.trials())),
		X:     figure.Axis{Label: "share of the variance of validation " + h.Study.Metric() + " that the parameter explains alone (1: all)", Max: max(0.1, all[0].Share*1.05)},
		Y:     y, Series: []figure.Series{bars},
	}
}
