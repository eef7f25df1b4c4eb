package table

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

const (
	// NoValue stands for what is not there.
	NoValue = "–"
	// textWidth is how wide a printed table should be at most.
	textWidth = 120
)

// WriteText lays the table out for people: within 120 columns where that is
// possible, with bold and underlined entries on a terminal, and with * and +
// elsewhere. What stays too wide is cut into parts that stand below each other.
func WriteText(w io.Writer, t Table, terminal bool) error {
	s := plainStyle()
	if terminal {
		s = terminalStyle()
	}
	parts, f, err := t.fits()
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, strings.Join(wrap(s.text(t.Title), textWidth), "\n"))
	for _, part := range parts {
		grid, err := part.grid(s, f)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "\n%s", grid)
	}
	fmt.Fprintln(&out)
	writeWrapped(&out, t.fullLegend(s), "")
	for i, note := range t.Notes {
		writeWrapped(&out, superscript([]int{i + 1})+" "+s.text(note), "  ")
	}
	for _, line := range t.origin() {
		fmt.Fprintf(&out, "%s: %s\n", line.What, s.text(line.Text))
	}
	_, err = w.Write(out.Bytes())
	return err
}

// fits is the loosest way to lay the table out within the width, and the
// parts in which it does. It is the same for all styles.
func (t Table) fits() (parts []Table, f fit, err error) {
	fitting := func(part Table) bool {
		grid, gridErr := part.grid(plainStyle(), f)
		err = cmp.Or(err, gridErr)
		return widest(grid) <= textWidth
	}
	for _, f = range fits {
		if fitting(t) || err != nil {
			return []Table{t}, f, err
		}
	}
	f = fit{stacked, narrowest}
	return t.narrow(fitting), f, err
}

// fullLegend is the legend with what the style's marks mean.
func (t Table) fullLegend(s style) string {
	legend := []string{}
	for _, row := range slices.Concat(t.Blocks...) {
		if slices.ContainsFunc(row, func(e Entry) bool { return e.Place != Unplaced }) {
			legend = append(legend, s.marks+" of "+s.text(t.Among))
			break
		}
	}
	for _, line := range t.Legend {
		legend = append(legend, s.text(line))
	}
	return strings.Join(legend, "; ")
}
