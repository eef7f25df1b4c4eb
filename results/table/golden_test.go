package table_test

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"dgsbench/internal/golden"
	"dgsbench/internal/optional"
	"dgsbench/results/table"
)

// measured is a mean with deviation and interval.
func measured(mean, std float64) *table.Value {
	return &table.Value{
		Mean: optional.Number(mean), Std: optional.Number(std),
		Low: optional.Number(mean - 2*std), High: optional.Number(mean + 1.5*std), Decimals: 2,
	}
}

// published is a mean with its deviation.
func published(mean, std float64) *table.Value {
	return &table.Value{Mean: optional.Number(mean), Std: optional.Number(std), Low: optional.Absent(), High: optional.Absent(), Decimals: 1}
}

// rank is an average rank.
func rank(mean float64) *table.Value { return published(mean, float64(optional.Absent())) }

// example has everything that a table may have: kinds of columns, groups,
// places, signs, footnotes, and entries that are not there.
func example() table.Table {
	difference := measured(1.25, .5)
	difference.Signed = true
	about := published(97.5, float64(optional.Absent()))
	about.Approximate = true
	fast, slow := measured(88.25, .25), measured(9.5, .0625)
	return table.Table{
		Name: "example", Title: "An example", Among: "the learned models",
		Columns: []table.Column{
			{Head: "model"},
			{Kind: table.Measured, Group: "toy", Metric: "AUC", Head: "AUC %", Notes: []int{1}},
			{Kind: table.Published, Group: "toy", Metric: "AUC", Head: "paper %"},
			{Kind: table.Measured, Group: "tea", Metric: "AUC", Head: "Δ AUC pp"},
			{Head: "seeds"},
			{Kind: table.Ranks, Head: "average rank", Notes: []int{3}},
		},
		Blocks: [][]table.Row{
			{
				{{Text: "A|B"}, {Value: fast, Mark: table.Best}, {Value: published(88, 1.5)}, {Value: difference}, {Text: "10/3"}, {Value: rank(1), Mark: table.Best}},
				{{Text: "<C> & D_1"}, {Value: slow, Mark: table.Second, Level: true, Notes: []int{2}}, {Value: about}, {}, {Text: "1,234"}, {Value: rank(2.5)}},
			},
			{{{Text: "rule", Notes: []int{2, 3}}, {Value: &table.Value{Mean: 7, Std: optional.Absent(), Low: 6.5, High: 7.5, Decimals: -1}}, {}, {}, {Text: "1"}, {}}},
		},
		Legend:  []string{"±: standard deviation", table.LevelSign + ": level", table.NoValue + ": no value"},
		Notes:   []string{"simulated data", "one seed failed", "over all datasets"},
		Command: "bench tables --suite made-up", Source: "made-up.yaml; 3 records",
	}
}

// TestLayouts compares each layout with its file in testdata.
func TestLayouts(t *testing.T) {
	text := func(made table.Table, terminal bool) func(io.Writer) error {
		return func(w io.Writer) error { return table.WriteText(w, table.Screen{Width: 120, Terminal: terminal}, made) }
	}
	for file, write := range map[string]func(io.Writer) error{
		"example.txt":  text(example(), false),
		"example.ansi": text(example(), true),
		"example.md":   func(w io.Writer) error { return table.WriteMarkdown(w, example()) },
		"example.csv":  func(w io.Writer) error { return table.WriteCSV(w, example()) },
		"example.tex":  func(w io.Writer) error { return table.WriteLaTeX(w, []table.Table{example()}) },
		"example.html": func(w io.Writer) error {
			text, err := example().HTML()
			io.WriteString(w, string(text))
			return err
		},
		"grid.txt": text(gridTable(), false),
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", file), got.String())
	}
}
