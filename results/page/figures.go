package page

import (
	"cmp"
	"slices"

	"dgsbench/internal/lists"
	"dgsbench/results/figure"
	"dgsbench/results/table"
)

// figures returns the panels about a dataset of every figure but the first, which
// the summary has; of no dataset, those that are about none.
func figures(p Page, dataset string) ([]part, error) {
	var out []part
	for i := range p.Folders {
		f := &p.Folders[i]
		for k, drawn := range f.Figures {
			here := slices.DeleteFunc(slices.Clone(drawn.Panels), func(d figure.PanelDrawing) bool { return d.Group != dataset })
			if k > 0 && (len(here) > 0 || dataset == "" && len(drawn.Panels) == 0) {
				out = append(out, f.part(drawn, here, dataset))
			}
		}
	}
	return out, nil
}

// part returns a figure, or some of its panels, with a link to the table of its numbers.
func (f Folder) part(drawn figure.Figure, panels []figure.PanelDrawing, dataset string) part {
	numbers := cmp.Or(drawn.Table, drawn.Name)
	if f.before != "" {
		numbers = f.ownName(numbers)
	}
	drawings := lists.Map(panels, func(d figure.PanelDrawing) drawing { return drawing{d.Group, d.Inline()} })
	if len(panels) == 0 {
		drawings = []drawing{{SVG: drawn.Inline()}}
	}
	id := table.Identifier(lists.NonEmpty(f.label, drawn.Name, dataset)...)
	return part{
		ID: "figure-" + id, Title: f.before + drawn.Title, Open: true,
		Figures: []illustration{{"caption-" + id, drawn.Caption + ".", drawings, numbers}},
	}
}
