package results

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// noValue stands for what is not there.
	noValue = "–"
	// textWidth is how wide a printed table should be at most.
	textWidth = 120
)

// WriteText lays the table out for people: within 120 columns where that is
// possible, with bold and underlined entries on a terminal, and with * and +
// elsewhere.
func WriteText(w io.Writer, t Table, terminal bool) error {
	f, err := t.fits()
	if err != nil {
		return err
	}
	s := plainStyle()
	if terminal {
		s = terminalStyle()
	}
	grid, err := t.grid(s, f)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\n\n%s\n", t.Title, grid)
	writeWrapped(&out, t.fullLegend(s), "")
	for i, note := range t.Notes {
		writeWrapped(&out, superscript([]int{i + 1})+" "+note, "  ")
	}
	if t.Command != "" {
		fmt.Fprintf(&out, "Made by: %s\n", t.Command)
	}
	_, err = w.Write(out.Bytes())
	return err
}

// fits is the loosest way to lay the table out within the width. It is the
// same for all styles.
func (t Table) fits() (fit, error) {
	for f := loose; f < folded; f++ {
		grid, err := t.grid(plainStyle(), f)
		if err != nil || widest(grid) <= textWidth {
			return f, err
		}
	}
	return folded, nil
}

// fullLegend is the legend with what the style's marks mean.
func (t Table) fullLegend(s style) string {
	legend := t.Legend
	for _, row := range slices.Concat(t.Blocks...) {
		if slices.ContainsFunc(row, func(e Entry) bool { return e.Place != Unplaced }) {
			legend = append([]string{s.marks}, legend...)
			break
		}
	}
	return strings.Join(legend, "; ")
}
