package table_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"dgsbench/internal/optional"
	"dgsbench/results/table"
)

// sideTable has a measured column, a text and a column of the paper.
func sideTable(rows ...table.Row) table.Table {
	return table.Table{
		Name: "t", Title: "T", Source: "s",
		Columns: []table.Column{
			{Head: "model"},
			{Kind: table.Measured, Group: "toy", Metric: "AUC", Head: "AUC %", Notes: []int{1}},
			{Head: "events"},
			{Kind: table.Published, Group: "toy", Metric: "AUC", Head: "paper %"},
		},
		Blocks: [][]table.Row{rows}, Notes: []string{"simulated"}, Legend: []string{"shared"},
	}
}

func sideRow(model string, auc float64, events string) table.Row {
	v := &table.Value{Mean: optional.Number(auc), Std: optional.Absent(), Low: optional.Absent(), High: optional.Absent(), Decimals: 1}
	paper := *v
	paper.Mean = 50
	return table.Row{{Text: model}, {Value: v}, {Text: events}, {Value: &paper}}
}

// TestSideBySide: rows meet by name, columns stand beside each other with
// their difference, and what one folder lacks is a dash.
func TestSideBySide(t *testing.T) {
	a := sideTable(sideRow("DGS", 80, "1,000"), sideRow("Raw", 70, "10"))
	b := sideTable(sideRow("Raw", 71.5, "20"), sideRow("Jodie", 60, "few"))
	b.Notes, b.Legend = []string{"measured elsewhere"}, []string{"shared", "own"}
	only := table.Table{Name: "u", Title: "U", Columns: []table.Column{{Head: "x"}, {Head: "y"}}, Blocks: [][]table.Row{{{{Text: "1"}, {Text: "2"}}}}}
	got := table.SideBySide([]string{"A", "B"}, [][]table.Table{{a, only}, {b}})
	if len(got) != 2 || got[1].Title != "U" {
		t.Fatalf("%d tables", len(got))
	}
	want := []string{
		"model | toy AUC % A | toy AUC % B | toy AUC % B − A | events A | events B | events B − A | toy paper AUC % A | toy paper AUC % B | toy paper AUC % B − A",
		"DGS | 80 | – | – | 1,000 | – | – | 50 | – | –",
		"Raw | 70 | 71.5 | +1.5 | 10 | 20 | +10 | 50 | 50 | +0",
		"Jodie | – | 60 | – | – | few | – | – | 50 | –",
	}
	if diff := cmp.Diff(want, linesOf(got[0])); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"simulated", "measured elsewhere"}, got[0].Notes); diff != "" {
		t.Error(diff)
	}
	if legend := strings.Join(got[0].Legend, "; "); !strings.HasSuffix(legend, "shared; B: own") {
		t.Errorf("the legend is %q", legend)
	}
	if got[0].Source != "A: s; B: s" {
		t.Errorf("made of %q", got[0].Source)
	}
}

// linesOf are heads and entries of a table.
func linesOf(t table.Table) []string {
	var heads []string
	for _, c := range t.Columns {
		heads = append(heads, strings.TrimSpace(c.Group+" "+c.Head))
	}
	out := []string{strings.Join(heads, " | ")}
	for _, row := range t.Blocks[0] {
		var texts []string
		for _, e := range row {
			text := e.Text
			switch v := e.Value; {
			case v != nil && v.Signed:
				text = fmt.Sprintf("%+g", float64(v.Mean))
			case v != nil:
				text = fmt.Sprintf("%g", float64(v.Mean))
			case text == "":
				text = "–"
			}
			texts = append(texts, text)
		}
		out = append(out, strings.Join(texts, " | "))
	}
	return out
}

// TestSideBySideSame: a folder beside itself has no differences but zero, and
// shows nothing that was not measured.
func TestSideBySideSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows []table.Row
		for i := range rapid.IntRange(1, 5).Draw(t, "rows") {
			rows = append(rows, sideRow(fmt.Sprint(i), rapid.Float64Range(0, 100).Draw(t, "auc"), rapid.StringMatching(`[0-9a-z]{0,3}`).Draw(t, "events")))
		}
		side := []table.Table{sideTable(rows...)}
		got := table.SideBySide([]string{"A", "B", "C"}, [][]table.Table{side, side, side})
		var heads []string
		for _, c := range got[0].Columns {
			heads = append(heads, c.Head)
		}
		if diff := cmp.Diff([]string{"model", "A", "B", "B − A", "C", "C − A"}, heads); diff != "" {
			t.Fatal(diff)
		}
		for i, row := range got[0].Blocks[0] {
			if row[3].Value.Mean != 0 || row[5].Value.Mean != 0 || row[2].Value.Mean != rows[i][1].Value.Mean {
				t.Fatalf("row %d: %+v", i, row)
			}
		}
	})
}
