package own

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/datasets"

	"pgregory.net/rapid"
)

// events.csv gives the same stream again, bit for bit.
func TestEventsComeBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		d := description{Bipartite: rapid.Bool().Draw(t, "bipartite"), Labelled: rapid.Bool().Draw(t, "labelled")}
		features := rapid.IntRange(0, 3).Draw(t, "features")
		d.Features = make([]string, features)
		var text bytes.Buffer
		text.WriteString("src,dst,time")
		if d.Labelled {
			text.WriteString(",label")
		}
		for i := range features {
			fmt.Fprintf(&text, ",f%d", i+1)
		}
		at := rapid.Float64Range(-1e12, 1e12).Draw(t, "start")
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			at += rapid.Float64Range(0, 1e9).Draw(t, "gap")
			fmt.Fprintf(&text, "\n%d,%d,%v", rapid.IntRange(0, 9).Draw(t, "src"), rapid.IntRange(0, 9).Draw(t, "dst"), at)
			if d.Labelled {
				fmt.Fprintf(&text, ",%d", rapid.IntRange(-1, 1).Draw(t, "label"))
			}
			for range features {
				fmt.Fprintf(&text, ",%v", rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32).Draw(t, "feature"))
			}
		}
		want := reread(t, dir, text.Bytes(), d)
		text.Reset()
		if err := writeEvents(&text, want, d.layout(), func(int) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if d := diff(want, reread(t, dir, text.Bytes(), d)); d != "" {
			t.Fatal(d)
		}
	})
}

func reread(t *rapid.T, dir string, text []byte, d description) datasets.Stream {
	t.Helper()
	path := filepath.Join(dir, "events.csv")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := datasets.ReadFile(path, d.layout())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// FuzzDescription: any text is a sound description or refused.
func FuzzDescription(f *testing.F) {
	f.Add("version: 1\ntitle: x\nsplit: {train: 0.7, val: 0.85, by: time}\nbipartite: false\nlabelled: true\nfeatures: [a]\ncounts: {events: 3}\nsha256: " + strings.Repeat("0", 64) + "\n")
	f.Add("version: 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := parseDescription("dataset.yaml", []byte(text))
		if err != nil {
			return
		}
		if entry := d.dataset("mine"); entry.Split == (datasets.SplitRule{}) {
			t.Errorf("%+v: %v", d, err)
		}
	})
}

// FuzzSpool: any file is unpacked as a whole or refused.
func FuzzSpool(f *testing.F) {
	f.Add(gzipped([]byte("a,b,t\n")))
	f.Add(append(gzipped([]byte("a,b,t\n")), gzipped([]byte("x,y,1\n"))...))
	f.Add(append(gzipped([]byte("a,b,t\n")), "junk"...))
	f.Add(zstandard([]byte("a,b,t\n")))
	f.Add([]byte("a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		packed, ok := formatOf(data)
		if !ok {
			return
		}
		out, n, err := packed.unpackTo(t.TempDir(), bytes.NewReader(data), int64(len(data)), "log")
		if err != nil {
			return
		}
		defer out.Close()
		if packed.name != "gzip" {
			return
		}
		got, err := os.ReadFile(out.Name())
		if err != nil || int64(len(got)) != n {
			t.Fatalf("%d bytes, expected %d, error %v", len(got), n, err)
		}
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if want, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q, expected %q, error %v", got, want, err)
		}
	})
}
