package own

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dgsbench/internal/strictyaml"

	"pgregory.net/rapid"
)

// A small file that unpacks to a large one is refused with the number, and
// nothing is left of it.
func TestImportRefusesBombs(t *testing.T) {
	zeros := make([]byte, alwaysAllowed+1<<20)
	for name, pack := range map[string]func([]byte) []byte{"gzip": gzipped, "zstd": zstandard} {
		dir, src := log(t, string(pack(append([]byte("id,payer,payee,at,amount,fraud\n"), zeros...))))
		info, err := os.Stat(src.Files[0])
		if err != nil {
			t.Fatal(err)
		}
		_, err = Import(t.Context(), dir, src)
		want := fmt.Sprintf("log.csv has %d bytes and unpacks to more than %d (the most for a small file); unpack it with %s and import that", info.Size(), alwaysAllowed, name)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
	}
}

func TestBound(t *testing.T) {
	for _, c := range []struct {
		packed, free int64
		known        bool
		most         int64
		why          string
	}{
		{1, 0, false, 64 << 20, "the most for a small file"},
		{1 << 20, 0, false, 200 << 20, "200 times its size"},
		{1 << 20, 1 << 40, true, 200 << 20, "200 times its size"},
		{1 << 20, 100 << 20, true, 50 << 20, "half of the free disk"},
		{1 << 20, 300 << 20, true, 150 << 20, "half of the free disk"},
		{1 << 20, 0, true, 0, "half of the free disk"},
		{1 << 50, 1 << 40, true, 1 << 39, "half of the free disk"},
	} {
		if most, why := bound(c.packed, c.free, c.known); most != c.most || why != c.why {
			t.Errorf("%+v: %d, %s", c, most, why)
		}
	}
}

// Whatever the columns, the file and the dataset are called, an import is one
// that can be used, or is refused in one line.
func TestAnyNameCanBeReadAgain(t *testing.T) {
	base, ctx := t.TempDir(), t.Context()
	check := func(t rapid.TB, name, title, column string) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		header := "id,payer,payee,at,fraud,\"" + strings.ReplaceAll(column, `"`, `""`) + `"`
		lines := strings.SplitAfter(text(60), "\n")
		for i, line := range lines[1 : len(lines)-1] {
			f := strings.Split(strings.TrimSpace(line), ",")
			lines[i+1] = strings.Join([]string{f[0], f[1], f[2], f[3], f[5], f[4]}, ",") + "\n"
		}
		lines[0] = header + "\n"
		src := Source{Files: []string{filepath.Join(dir, name)}, Title: title, Name: "mine", Layout: payments, Split: DefaultSplit}
		src.Layout.Features, src.Layout.Rest = nil, true
		if err := os.WriteFile(src.Files[0], []byte(strings.Join(lines, "")), 0o644); err != nil {
			return // no such file name
		}
		data := filepath.Join(dir, "data")
		made, err := Import(ctx, data, src)
		if err != nil {
			if strings.Contains(strings.ReplaceAll(err.Error(), src.Files[0], "FILE"), "\n") || strings.Contains(err.Error(), "read again") {
				t.Fatalf("file %q, title %q, column %q: %v", name, title, column, err)
			}
			return
		}
		d, err := readDescription(filepath.Join(data, "mine", descriptionFile))
		if err != nil {
			t.Fatalf("file %q, title %q, column %q: %v", name, title, column, err)
		}
		if l, err := d.dataset("mine").Load(data); err != nil || l.SHA256 != made.SHA256 {
			t.Fatalf("file %q, title %q, column %q: %v", name, title, column, err)
		}
	}
	for _, c := range []struct{ name, title, column string }{
		{"log.csv", "", "h\xf6he"},
		{"\xe9t\xe9.csv", "", "x"},
		{"\xe9t\xe9.csv", "Summer", "x"},
		{"log.csv", "\xe9t\xe9", "x"},
		{"a|b.csv", "", "x"},
		{"log.csv", "a\nb", "x"},
		{"log.csv", "\x1b[31mred", "x"},
		{strings.Repeat("n", 255), "", "x"},
		{"log.csv", strings.Repeat("t", 301), "x"},
		{"log.csv", "<<", "<<"},
		{"log.csv", "~", "~"},
		{"log.csv", "0777", "0x1f"},
		{"log.csv", "yes", "1_000"},
		{"log.csv", ".inf", ".nan"},
		{"log.csv", "- a: b", "? x"},
		{"log.csv", "!!binary x", "&a *a"},
		{"log.csv", "2024-01-01", "="},
		{"log.csv", " x ", " x "},
		{"log.csv", "a # b", "a\u2028b"},
		{"log.csv", "a\u0085b", "\ufeff"},
		{"log.csv", "\ufffe", "\x01\x7f"},
		{"log.csv", "'\"", "\t"},
	} {
		check(t, c.name, c.title, c.column)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(t, rapid.StringN(1, 20, 200).Draw(t, "name"), rapid.String().Draw(t, "title"), rapid.String().Draw(t, "column"))
	})
}

// A dataset whose description cannot be read again is not put in place.
func TestImportEndsByReading(t *testing.T) {
	dir, src := log(t, text(60))
	src.Title = "mine"
	tmp := filepath.Join(dir, "mine")
	if err := os.Mkdir(tmp, 0o755); err != nil {
		t.Fatal(err)
	}
	m := &meter{ctx: t.Context()}
	if err := src.write(m, tmp); err != nil {
		t.Fatal(err)
	}
	l, err := src.load(tmp)
	if err != nil || l.Dataset.Name != "mine" || l.Stream.Len() != 60 {
		t.Fatalf("%v, %+v", err, l)
	}
	for _, file := range []string{eventsFile, descriptionFile} {
		path := filepath.Join(tmp, file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(bytes.Clone(content), '\xff', '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := src.load(tmp); err == nil {
			t.Errorf("%s was changed, and is read", file)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Names that are used in paths are short enough for every file system.
func TestImportRefusesLongNames(t *testing.T) {
	dir, src := log(t, text(60))
	src.Name = strings.Repeat("n", 250)
	if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), "the dataset: expected a name of at most 64 small letters") {
		t.Error(err)
	}
	src.Name = strings.Repeat("n", 64)
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Error(err)
	}
}

// The widest file has a description that can be read.
func TestWidestDescription(t *testing.T) {
	d := description{Version: formatVersion, Title: "wide", Split: DefaultSplit, SHA256: strings.Repeat("0", 64)}
	for i := range 100_000 {
		d.Features = append(d.Features, fmt.Sprintf("f-%d", i))
	}
	yaml, err := strictyaml.Encode(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseDescription("dataset.yaml", yaml)
	if err != nil || len(got.Features) != len(d.Features) {
		t.Errorf("%d features, %v", len(got.Features), err)
	}
}
