package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var (
	history = filepath.Join("..", "recorded", "speed.csv")
	drawing = filepath.Join("..", "..", "docs", "figures", "speed.svg")
)

// The figure of the documentation is that of the recorded history.
func TestRecorded(t *testing.T) {
	var got bytes.Buffer
	if err := draw(history, &got); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(drawing)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s is another drawing: go run ./results/speed results/recorded/speed.csv > docs/figures/speed.svg", drawing)
	}
}

func TestPanels(t *testing.T) {
	panels, err := panelsOf([][]string{
		{"2026-11-25", "aaaa", "0000", "a machine", "training", "dgs", "1.5", "1.4", "1.6"},
		{"2026-11-25", "aaaa", "0000", "a machine", "single events", "tgn-id", "1", "1", "1"},
		{"2026-11-26", "bbbb", "0000", "a machine", "training", "tgn-id", "2", "1", "3"},
		{"2026-11-26", "bbbb", "0000", "a machine", "training", "dgs", "1.7", "1.6", "1.8"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(panels) != 2 || panels[0].Title != "training" || len(panels[0].Series) != 2 || len(panels[1].Series) != 1 {
		t.Fatalf("panels %+v", panels)
	}
	dgs, tgn := panels[0].Series[0], panels[0].Series[1]
	if p := dgs.Points; len(p) != 2 || p[1].X.Mean != 1 || p[1].Y.Mean != 1.7 || p[1].Y.Low != 1.6 || p[1].Y.High != 1.8 {
		t.Errorf("points of dgs %+v", p)
	}
	if p := tgn.Points; len(p) != 1 || p[0].X.Mean != 1 {
		t.Errorf("points of tgn-id %+v", p)
	}
	if other := panels[1].Series[0]; other.Color != tgn.Color || tgn.Color == dgs.Color {
		t.Errorf("colours %d and %d of tgn-id, %d of dgs", tgn.Color, other.Color, dgs.Color)
	}
}

func TestBadHistory(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "expected a row",
		"date,commit\n2026-11-25,aaaa\n": "expected a row",
		strings.Join(columns, ",") + "\n2026-11-25,a,0,m,training,dgs,fast,1,1\n": `line 2: strconv.ParseFloat: parsing "fast"`,
	} {
		file := filepath.Join(t.TempDir(), "speed.csv")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := draw(file, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), file+": ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}
