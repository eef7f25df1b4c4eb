package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Size is that of a panel, in centimetres; a legend comes below it.
type Size struct{ Width, Height float64 }

const (
	pixelsInch = 150
	pad        = vg.Length(8) // around a panel and between its parts
	// narrow is the width of a panel drawn by itself, in centimetres, so that it can be
	// read on a phone.
	narrow = 10.5
)

// Draw puts panels side by side, at most columns in a row. A figure needs at
// least one panel, and a panel at least one point.
func Draw(size Size, columns int, panels []Panel) (Figure, error) {
	var alone []page
	var drawings []PanelDrawing
	for _, p := range panels {
		alone = append(alone, newPage(Size{min(size.Width, narrow), size.Height}, 1, []Panel{p}))
		drawings = append(drawings, PanelDrawing{Group: p.Group, Title: p.Title})
	}
	return newFigure(newPage(size, columns, panels), alone, drawings)
}

// page is what is drawn into a file.
type page interface {
	size() (width, height vg.Length)
	draw(on draw.Canvas)
}

// drawSVG and drawPNG draw a page on white, so that it can be read anywhere.
func drawSVG(p page) ([]byte, error) {
	width, height := p.size()
	svg, err := drawOn(vgsvg.New(width, height), p)
	return fixWidths(svg), err
}

func drawPNG(p page) ([]byte, error) {
	width, height := p.size()
	return drawOn(vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pixelsInch))}, p)
}

func drawOn(canvas vg.CanvasWriterTo, p page) ([]byte, error) {
	width, height := p.size()
	on := draw.NewCanvas(canvas, width, height)
	on.SetColor(color.White)
	on.Fill(on.Rectangle.Path())
	p.draw(on)
	var out bytes.Buffer
	_, err := canvas.WriteTo(&out)
	return out.Bytes(), err
}

// newFigure draws a page in both formats, and the same of its panels by themselves.
func newFigure(all page, alone []page, drawings []PanelDrawing) (f Figure, err error) {
	if f.SVG, err = drawSVG(all); err != nil {
		return f, err
	}
	f.png = func() ([]byte, error) { return drawPNG(all) }
	for i, p := range alone {
		if drawings[i].SVG, err = drawSVG(p); err != nil {
			return f, err
		}
	}
	f.Panels = drawings
	return f, nil
}

var svgText = regexp.MustCompile(`(<text [^>]*?)font-family:[^>]*?font-size:([0-9.]+)px([^>]*)>([^<]*)</text>`)

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&#34;", `"`, "&#39;", "'", "&amp;", "&")

// fixWidths names fonts that viewers have, and the width of each text, which is
// kept whatever font is used.
func fixWidths(svg []byte) []byte {
	svg = bytes.Replace(svg, []byte("<svg "), []byte(`<svg style="font-family:`+families+`" `), 1)
	return svgText.ReplaceAllFunc(svg, func(element []byte) []byte {
		m := svgText.FindSubmatch(element)
		size, _ := strconv.ParseFloat(string(m[2]), 64)
		w := width(unescape.Replace(string(m[4])), vg.Length(size))
		return fmt.Appendf(nil, `%sfont-size:%spx%s textLength="%.5g" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], m[2], m[3], float64(w), m[4])
	})
}

func centimetres(x float64) vg.Length { return vg.Length(x) * vg.Centimeter }

// panelPage has panels in rows of the same columns, and the legend of all below.
type panelPage struct {
	width, height vg.Length
	frames        []*frame
	legend        legend
}

func newPage(size Size, columns int, panels []Panel) *panelPage {
	columns = min(columns, len(panels))
	rows := (len(panels) + columns - 1) / columns
	cell := vg.Point{X: centimetres(size.Width), Y: centimetres(size.Height)}
	p := &panelPage{width: vg.Length(columns) * cell.X}
	left, right := make([]vg.Length, columns), make([]vg.Length, columns)
	above, below := make([]vg.Length, rows), make([]vg.Length, rows)
	for i, panel := range panels {
		f := newFrame(panel, cell)
		p.frames = append(p.frames, f)
		row, column := i/columns, i%columns
		left[column], right[column] = max(left[column], f.left), max(right[column], f.right)
		above[row], below[row] = max(above[row], f.above), max(below[row], f.below)
	}
	for i, f := range p.frames {
		row, column := i/columns, i%columns
		f.left, f.right, f.above, f.below = left[column], right[column], above[row], below[row]
		f.thin()
		if !f.placeLabels() {
			f.nameLabels()
		}
		p.legend.add(f.Series)
	}
	p.legend.fit(p.width - 2*pad)
	p.height = vg.Length(rows)*cell.Y + p.legend.height()
	for i, f := range p.frames {
		row, column := i/columns, i%columns
		f.origin = vg.Point{X: vg.Length(column) * cell.X, Y: p.height - vg.Length(row+1)*cell.Y}
	}
	return p
}

func (p *panelPage) size() (width, height vg.Length) { return p.width, p.height }

func (p *panelPage) draw(on draw.Canvas) {
	for _, f := range p.frames {
		f.draw(on)
	}
	p.legend.draw(on, vg.Point{X: pad, Y: p.legend.height()})
}
