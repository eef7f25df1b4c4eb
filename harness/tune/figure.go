package tune

import (
	"bytes"
	"fmt"
	"image/color"
	"slices"

	"dgsbench/internal/escape"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Size of the figures.
const (
	figureWidth  = 16 * vg.Centimeter
	figureHeight = 8 * vg.Centimeter
	rowHeight    = 0.7 * vg.Centimeter // of a parameter
)

// Colours that people with any kind of colour vision tell apart, on white.
var (
	blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	grey   = color.RGBA{0x60, 0x60, 0x60, 0xff}
)

// Draw gives the files of the study's figures, by their suffix: the history
// of the search and the importance of the parameters, as SVG and PNG. A figure
// with nothing to show is left out.
func (h *History) Draw() (map[string][]byte, error) {
	out := map[string][]byte{}
	if _, ok := h.Best(); !ok {
		return out, nil
	}
	p, err := h.drawHistory()
	if err != nil {
		return nil, err
	}
	if err := render(out, "-history", p, figureHeight); err != nil {
		return nil, err
	}
	all := h.Importances()
	if len(all) == 0 {
		return out, nil
	}
	if p, err = h.drawImportances(all); err != nil {
		return nil, err
	}
	return out, render(out, "-importance", p, rowHeight*vg.Length(len(all))+2.5*vg.Centimeter)
}

func render(into map[string][]byte, name string, p *plot.Plot, height vg.Length) error {
	for _, format := range []string{"svg", "png"} {
		w, err := p.WriterTo(figureWidth, height, format)
		if err != nil {
			return err
		}
		var buf bytes.Buffer
		if _, err := w.WriteTo(&buf); err != nil {
			return err
		}
		into[name+"."+format] = buf.Bytes()
	}
	return nil
}

// drawHistory shows every trial, the best so far and the model's own options.
func (h *History) drawHistory() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = escape.Text(h.Study.String() + h.without())
	p.X.Label.Text, p.Y.Label.Text = "trial", "validation "+h.Study.Metric()
	p.Legend.Left, p.Legend.YOffs = false, 2*vg.Millimeter
	p.Add(plotter.NewGrid())
	byPhase := map[Phase]plotter.XYs{}
	var best plotter.XYs
	for _, l := range h.trials() {
		if l.Failed() {
			continue
		}
		at := plotter.XY{X: float64(l.Trial), Y: *l.Value}
		byPhase[l.Phase] = append(byPhase[l.Phase], at)
		if len(best) > 0 && best[len(best)-1].Y > at.Y {
			at.Y = best[len(best)-1].Y
		}
		best = append(best, at)
	}
	for _, mark := range []struct {
		phase Phase
		color color.Color
		shape draw.GlyphDrawer
	}{{Random, blue, draw.RingGlyph{}}, {TPE, orange, draw.PyramidGlyph{}}} {
		if err := addPoints(p, string(mark.phase), byPhase[mark.phase], mark.color, mark.shape); err != nil {
			return nil, err
		}
	}
	line, err := plotter.NewLine(best)
	if err != nil {
		return nil, err
	}
	line.StepStyle, line.Color = plotter.PostStep, grey
	p.Add(line)
	p.Legend.Add("best so far", line)
	if err := h.addOwn(p); err != nil {
		return nil, err
	}
	room := 0.05 * max(p.Y.Max-p.Y.Min, 1e-6)
	p.Y.Min, p.Y.Max = p.Y.Min-room, p.Y.Max+room
	return p, nil
}

// without says how many trials have no value to show.
func (h *History) without() string {
	failed := h.failed()
	if failed == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of %d trials failed)", failed, len(h.trials()))
}

func addPoints(p *plot.Plot, name string, at plotter.XYs, c color.Color, shape draw.GlyphDrawer) error {
	if len(at) == 0 {
		return nil
	}
	points, err := plotter.NewScatter(at)
	if err != nil {
		return err
	}
	points.Color, points.Shape, points.Radius = c, shape, 2.5*vg.Millimeter/2
	p.Add(points)
	p.Legend.Add(name, points)
	return nil
}

// addOwn draws a level line where the model's own options are.
func (h *History) addOwn(p *plot.Plot) error {
	own, ok := h.Default()
	if !ok || own.Failed() {
		return nil
	}
	line, err := plotter.NewLine(plotter.XYs{{X: 0, Y: *own.Value}, {X: float64(max(1, h.Study.Trials-1)), Y: *own.Value}})
	if err != nil {
		return err
	}
	line.Dashes, line.Color = []vg.Length{vg.Points(4), vg.Points(3)}, grey
	p.Add(line)
	p.Legend.Add("own options", line)
	return nil
}

// drawImportances shows a bar for each parameter, the most important on top.
func (h *History) drawImportances(all []Importance) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = escape.Text(fmt.Sprintf("%s, %d trials", h.Study, len(h.trials())))
	p.X.Label.Text = "share of the variance of validation " + h.Study.Metric() + " that it explains alone"
	var shares plotter.Values
	var names []string
	for _, i := range slices.Backward(all) {
		shares = append(shares, i.Share)
		names = append(names, escape.Text(i.Parameter.Title))
	}
	bars, err := plotter.NewBarChart(shares, rowHeight/2)
	if err != nil {
		return nil, err
	}
	bars.Horizontal, bars.Color, bars.LineStyle.Width = true, blue, 0
	p.Add(bars)
	p.NominalY(names...)
	p.X.Min, p.X.Max = 0, max(0.1, slices.Max(shares)*1.05)
	return p, nil
}
