package table_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"dgsbench/results/table"
)

// TestNarrowTables: parts of a table that is too wide have all of its columns,
// once, fit a terminal, and each begins with what names the rows.
func TestNarrowTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "datasets")
		made := table.Table{Title: "T", Columns: []table.Column{{Head: "model"}}}
		row := table.Row{{Text: "Raw"}}
		for i := range n {
			made.Columns = append(made.Columns, table.Column{Kind: table.Measured, Group: fmt.Sprintf("dataset-%d", i), Head: "AUC %"})
			row = append(row, table.Entry{Value: measured(50+float64(i)/10, 1)})
		}
		made.Blocks = [][]table.Row{{row}}
		var text bytes.Buffer
		if err := table.WriteText(&text, table.Screen{Width: 120}, made); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if value := fmt.Sprintf("%.2f ± 1.00", 50+float64(i)/10); strings.Count(text.String(), value) != 1 {
				t.Fatalf("%s is there %d times in\n%s", value, strings.Count(text.String(), value), &text)
			}
		}
		parts := math.MaxInt
		for _, name := range []string{" model ", " Raw "} {
			parts = min(parts, strings.Count(text.String(), "\n"+name))
		}
		if rules := strings.Count(text.String(), "\n─"); parts != rules {
			t.Fatalf("%d parts, %d of them with the rows' names:\n%s", rules, parts, &text)
		}
		for line := range strings.Lines(text.String()) {
			if width := len([]rune(line)) - 1; width > 120 {
				t.Fatalf("%d columns wide:\n%s", width, line)
			}
		}
	})
}
