package own

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// split writes a log as several files, each with the header.
func split(t *testing.T, text string, cuts ...int) (files []string) {
	t.Helper()
	lines := strings.SplitAfter(text, "\n")
	header, lines := lines[0], lines[1:]
	dir := t.TempDir()
	start := 0
	for i, end := range append(cuts, len(lines)) {
		name := filepath.Join(dir, string(rune('a'+i))+".csv")
		if err := os.WriteFile(name, []byte(header+strings.Join(lines[start:end], "")), 0o644); err != nil {
			t.Fatal(err)
		}
		files, start = append(files, name), end
	}
	return files
}

// TestImportSeveral: files that follow each other, one of them without events and
// one packed, and standard input are the same dataset as one file.
func TestImportSeveral(t *testing.T) {
	dir, src := log(t, text(60))
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	want := filesOf(t, filepath.Join(dir, "mine"))
	whole := src.Files[0]
	several := split(t, text(60), 10, 10, 47)
	if content, err := os.ReadFile(several[2]); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(several[2], gzipped(bytes.TrimSuffix(content, []byte("\n"))), 0o644); err != nil {
		t.Fatal(err)
	}
	packed := gzipped([]byte(text(60)))
	for name, change := range map[string]func(*Source){
		"several":             func(s *Source) { s.Files = several },
		"standard input":      func(s *Source) { s.Files, s.Input = []string{Stdin}, strings.NewReader(text(60)) },
		"packed input":        func(s *Source) { s.Files, s.Input = []string{Stdin}, bytes.NewReader(packed) },
		"with standard input": func(s *Source) { s.Files[2], s.Input = Stdin, mustOpen(t, several[2]) },
	} {
		src.Files, src.Replace = append([]string{}, several...), true
		change(&src)
		if _, err := Import(t.Context(), dir, src); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for file, got := range filesOf(t, filepath.Join(dir, "mine")) {
			if got != want[file] {
				t.Errorf("%s: %s differs", name, file)
			}
		}
	}
	src.Files = []string{whole, several[0]}
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "a.csv:2: column 4 (at): found 1700000000, expected a time not before the last line's 1700212400") {
		t.Error(err)
	}
	if got := filesOf(t, filepath.Join(dir, "mine")); got[eventsFile] != want[eventsFile] {
		t.Error("an import that failed has replaced the old one")
	}
}

func mustOpen(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestSeveralRefused: the place is that in the file where it is.
func TestSeveralRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, files []string) []string
		want   string
	}{
		{"damage", func(t *testing.T, f []string) []string { edit(t, f[2], "50.5", "x"); return f }, `c.csv:6: column 5 (amount): found "x"`},
		{"first line of a file", func(t *testing.T, f []string) []string { edit(t, f[1], "10.5", "x"); return f }, `b.csv:2: column 5 (amount): found "x"`},
		{"last line of a file", func(t *testing.T, f []string) []string { edit(t, f[0], "9.5", "x"); return f }, `a.csv:11: column 5 (amount): found "x"`},
		{"other columns", func(t *testing.T, f []string) []string { edit(t, f[1], "payer,payee", "payee,payer"); return f }, `b.csv:1: found the columns "id,payee,payer,at,amount,fraud", expected those of `},
		{"other kind", func(t *testing.T, f []string) []string {
			if err := os.WriteFile(f[1], parquetOf(t, 1, logFields(5)[:4]), 0o644); err != nil {
				t.Fatal(err)
			}
			return f
		}, `expected a column named "fraud"`},
		{"an empty file", func(t *testing.T, f []string) []string {
			if err := os.WriteFile(f[1], nil, 0o644); err != nil {
				t.Fatal(err)
			}
			return f
		}, `b.csv:1: found the columns "", expected those of `},
		{"no such file", func(t *testing.T, f []string) []string { f[1] += "x"; return f }, "no such file"},
		{"order", func(t *testing.T, f []string) []string { f[1], f[2] = f[2], f[1]; return f }, "b.csv:2: column 4 (at): found 1700036000, expected a time not before the last line's 1700212400"},
	} {
		dir, src := log(t, "")
		src.Files = c.change(t, split(t, text(60), 10, 46))
		_, err := Import(t.Context(), dir, src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("%s: %v is left", c.name, left)
		}
	}
	dir, src := log(t, "")
	src.Files = split(t, csvOf(60), 10)
	src.Missing = &Fill{}
	if err := os.WriteFile(src.Files[1], parquetOf(t, 1, logFields(60)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "b.csv is a Parquet file, expected CSV like ") {
		t.Error(err)
	}
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(content), old) {
		t.Fatalf("%v, no %q in %s", err, old, content)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(content), old, new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSeveralParquet: Parquet files follow each other, too, and rows are those of
// their file.
func TestSeveralParquet(t *testing.T) {
	dir, src := log(t, csvOf(60))
	src.Missing = &Fill{Value: 3}
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	want := filesOf(t, filepath.Join(dir, "mine"))
	src.Files, src.Replace = nil, true
	part := func(lo, hi int) []field {
		fields := logFields(60)
		for i, f := range fields {
			switch v := f.values.(type) {
			case []string:
				fields[i].values = v[lo:hi]
			case []int64:
				fields[i].values = v[lo:hi]
			case []int32:
				fields[i].values = v[lo:hi]
			case []float64:
				fields[i].values, fields[i].absent = v[lo:hi], f.absent[lo:hi]
			}
		}
		return fields
	}
	for i, at := range [][2]int{{0, 20}, {20, 60}} {
		src.Files = append(src.Files, filepath.Join(t.TempDir(), string(rune('a'+i))))
		if err := os.WriteFile(src.Files[i], parquetOf(t, 1, part(at[0], at[1])), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	for file, got := range filesOf(t, filepath.Join(dir, "mine")) {
		if got != want[file] {
			t.Errorf("%s differs", file)
		}
	}
	src.Missing = nil
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "a: row 4: column amount: found nothing") {
		t.Error(err)
	}
	src.Missing, src.Layout.Features = &Fill{}, []string{"amount"}
	src.Files[0], src.Files[1] = src.Files[1], src.Files[0]
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "a: row 1: column at: found 1700000000, expected a time not before the last row's 1700212400") {
		t.Error(err)
	}
}

// TestJoined: pieces read at any offset are the text with line ends between them.
func TestJoined(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pieces []piece
		var texts []string
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			text := rapid.StringOfN(rapid.RuneFrom([]rune("ab\n")), 0, 9, -1).Draw(t, "text")
			texts = append(texts, text)
			pieces = append(pieces, piece{r: strings.NewReader("xx" + text + "yy"), start: 2, end: int64(2 + len(text))})
		}
		want := strings.Join(texts, "\n")
		j := joined(pieces)
		if j.size() != int64(len(want)) {
			t.Fatalf("size %d of %q", j.size(), want)
		}
		off := rapid.IntRange(0, len(want)).Draw(t, "off")
		buf := make([]byte, rapid.IntRange(0, len(want)+2).Draw(t, "n"))
		n, err := j.ReadAt(buf, int64(off))
		expected := want[off:min(len(want), off+len(buf))]
		if string(buf[:n]) != expected || (err != nil) != (n < len(buf)) {
			t.Fatalf("%q at %d: %q, %v, expected %q", want, off, buf[:n], err, expected)
		}
	})
}

// FuzzHeader: the first line of any file is found, and what follows starts after it.
func FuzzHeader(f *testing.F) {
	f.Add([]byte("a,b\n1,2"), []byte("\ufeffa,b\r\n1,2"))
	f.Add([]byte(""), []byte("\n"))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		p := piece{r: bytes.NewReader(first), end: int64(len(first))}
		q := piece{r: bytes.NewReader(second), end: int64(len(second))}
		if err := errors.Join(p.trim(), q.trim()); err != nil {
			t.Fatal(err)
		}
		if q.follow(p, false) != nil {
			return
		}
		if q.start > q.end || q.start > 0 && q.start < q.end && second[q.start-1] != '\n' {
			t.Errorf("%q after %q: from %d to %d", second, first, q.start, q.end)
		}
	})
}
