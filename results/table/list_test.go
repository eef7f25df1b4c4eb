package table_test

import (
	"bytes"
	"testing"

	"dgsbench/internal/optional"
	"dgsbench/results/table"
)

// TestWriteList: columns are aligned, to the right where they say so, and
// control characters are no part of a text.
func TestWriteList(t *testing.T) {
	list := table.New("MODEL", "TRIALS", "VALUE")
	list.Columns[1].Right = true
	list.Add("dgs", 20, table.Number(1234.5, 1))
	list.Add("gs\x1b[2J", 5, table.Entry{})
	list.Add("raw", 5, table.NewValue(2.25, 1))
	var got bytes.Buffer
	if err := table.WriteList(&got, list); err != nil {
		t.Fatal(err)
	}
	want := "MODEL   TRIALS  VALUE\n" +
		"dgs         20  1,234.5\n" +
		"gs␛[2J       5  \n" +
		"raw          5  2.2\n"
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
	got.Reset()
	facts := table.New("", "")
	facts.Add("machine", "fast")
	if err := table.WriteList(&got, facts); err != nil || got.String() != "machine  fast\n" {
		t.Errorf("%q, %v", &got, err)
	}
}

// TestMarkdownGrid has nothing above and below the rows.
func TestMarkdownGrid(t *testing.T) {
	grid := table.New("model", "gain")
	grid.Columns[1].Right = true
	grid.Add("a|b", "+1.25")
	var got bytes.Buffer
	if err := table.WriteMarkdownGrid(&got, grid); err != nil {
		t.Fatal(err)
	}
	if want := "| model |  gain |\n|:------|------:|\n| a\\|b  | +1.25 |\n"; got.String() != want {
		t.Errorf("got\n%swant\n%s", &got, want)
	}
}

// TestNumber: absent numbers are dashes, and halves are rounded up.
func TestNumber(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     string
	}{
		{2.5, 0, "3"}, {-1234567, 0, "-1,234,567"}, {1e3, 2, "1,000.00"}, {1234.56, 1, "1,234.6"}, {.04, 1, "0.0"},
		{999.96, 1, "1,000.0"}, {6.25, 1, "6.3"}, {float64(optional.Absent()), 1, table.NoValue},
	} {
		if got := table.Number(optional.Number(c.x), c.decimals); got != c.want {
			t.Errorf("%g with %d decimals is %s, want %s", c.x, c.decimals, got, c.want)
		}
	}
}
