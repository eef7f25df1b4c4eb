package results

import (
	"cmp"
	"slices"

	"dgsbench/protocol"
	"dgsbench/results/table"
)

// grid makes a table column by column: entries follow from what their row is
// about.
type grid[R any] struct {
	table.Table
	entries []func(R) table.Entry // of each column
}

// add adds a column.
func (g *grid[R]) add(c table.Column, entry func(R) table.Entry) {
	g.Columns, g.entries = append(g.Columns, c), append(g.entries, entry)
}

// rows returns a row of entries for each element of about.
func (g *grid[R]) rows(about []R) []table.Row {
	var rows []table.Row
	for _, a := range about {
		var row table.Row
		for _, entry := range g.entries {
			row = append(row, entry(a))
		}
		rows = append(rows, row)
	}
	return rows
}

// addBlock adds a block of rows.
func (g *grid[R]) addBlock(about ...R) { g.Blocks = append(g.Blocks, g.rows(about)) }

// addClasses adds a block of rows for each class of models that there is. It
// calls compare with the rows of the learned models.
func (g *grid[R]) addClasses(about []R, class func(R) protocol.Class, compare func([]table.Row)) {
	for _, c := range protocol.Classes {
		rows := g.rows(slices.DeleteFunc(slices.Clone(about), func(a R) bool { return class(a) != c }))
		if len(rows) == 0 {
			continue
		}
		if c == protocol.Learned {
			compare(rows)
		}
		g.Blocks = append(g.Blocks, rows)
	}
}

// text returns an entry of a text, or the sign for an absent one.
func text(s string) table.Entry { return table.Entry{Text: cmp.Or(s, table.NoValue)} }
