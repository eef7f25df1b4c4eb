package scale

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/golden"
	"dgsbench/internal/optional"
	"dgsbench/results/table"
)

// fixed is a report whose numbers do not depend on any clock.
func fixed() Result {
	base := Size{Events: 100_000, Nodes: 10_000, Features: 7, Batch: 200, Threads: 2}
	at := func(axis, value string, s Size, us, drift, mb float64) Point {
		return Point{
			Axis: axis, Value: value, Size: s, Met: s.Nodes, Params: 11_101,
			Micros: optional.Number(us), Low: optional.Number(us * .9), High: optional.Number(us * 1.25), Drift: optional.Number(drift),
			Held: optional.Number(mb), Peak: optional.Number(mb + 20), OnCard: optional.Absent(),
		}
	}
	short, long := base, base
	short.Events, long.Events, long.Threads = 10_000, 100_000_000, 8
	r := Result{
		Model: "dgs", Title: "DGS", Task: "nc", Mode: Inference, Device: "cpu", Base: base, Seed: 1, Threads: 2, Machine: "a machine", Code: "abc",
		Command: "bench scale dgs --sweep ...",
		Points: []Point{
			at("length", "10000", short, .5, float64(optional.Absent()), 6.25),
			at("length", "100000000", long, .512345, 1.001, 6.25),
			at("option:embedding", "softmax", base, .5, .999, 6.25),
			at("option:embedding", "sum", base, .3, .999, 1234.5),
		},
	}
	r.Points[1].Peak = optional.Absent()
	r.Points[3].Error = "a score is not finite"
	return r
}

// TestGolden: what is written of a report.
func TestGolden(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"report.txt": func(w io.Writer) error { return table.WriteText(w, table.Screen{Width: 120}, fixed().Table()) },
		"report.md":  func(w io.Writer) error { return table.WriteMarkdown(w, fixed().Table()) },
		"report.csv": fixed().WriteCSV,
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join("testdata", name), got.String())
		})
	}
}

// TestSVG: the figure is XML with two panels for every axis, and no failed
// point in it.
func TestSVG(t *testing.T) {
	svg, err := fixed().SVG()
	if err != nil {
		t.Fatal(err)
	}
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for text, times := range map[string]int{
		">time of an event (µs)<": 2, ">memory of the model (MB)<": 2, ">length of the stream (events), logarithmic<": 2, ">option embedding<": 2, ">softmax<": 2, ">sum<": 0,
		">1e4<": 2, ">1e8<": 2, ">DGS, inference, node classification<": 1, "NaN": 0,
	} {
		if n := strings.Count(string(svg), text); n != times {
			t.Errorf("%q stands %d times in the figure, expected %d", text, n, times)
		}
	}
}

// TestNothingToDraw: a report without a point has no figure.
func TestNothingToDraw(t *testing.T) {
	r := fixed()
	r.Points = r.Points[3:]
	if svg, err := r.SVG(); svg != nil || err != nil {
		t.Errorf("%d bytes, %v", len(svg), err)
	}
}

func TestSummary(t *testing.T) {
	times := []float64{1, 1, 1, 1, 9, 2, 2, 2, 2, 8}
	median, low, high, drift := summary(times)
	if median != 2 || low != 1 || high != 2 || drift != 2 {
		t.Errorf("median %v [%v, %v], drift %v; expected 2 [1, 2], 2", median, low, high, drift)
	}
	if _, _, _, drift := summary(times[:9]); drift.Present() {
		t.Errorf("drift %v of nine chunks", drift)
	}
}

func TestGrouped(t *testing.T) {
	for text, want := range map[string]string{"1": "1", "999": "999", "1000": "1,000", "1234567": "1,234,567", "softmax": "softmax", "0.5": "0.5"} {
		if got := grouped(text); got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}
