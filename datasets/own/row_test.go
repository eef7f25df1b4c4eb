package own

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dgsbench/datasets"

	"github.com/google/go-cmp/cmp"
)

// TestRowsAreThoseOfTheImport: every record of a source is encoded as it was
// imported, whatever the form of its times.
func TestRowsAreThoseOfTheImport(t *testing.T) {
	colours := []string{"red", "green", "blue", `a "b", c`, ""}
	for name, c := range map[string]struct {
		unit datasets.Unit
		time func(k int) string
	}{
		"whole":    {datasets.FindUnit, func(k int) string { return fmt.Sprint(1_700_000_003 + 3600*(k^1)) }},
		"fraction": {datasets.FindUnit, func(k int) string { return fmt.Sprintf("%d.%d", 10+(k^1), k%7) }},
		"ms":       {datasets.Milliseconds, func(k int) string { return fmt.Sprint(1_700_000_000_001 + 977*(k^1)) }},
		"date":     {datasets.FindUnit, func(k int) string { return fmt.Sprintf("2024-03-%02dT%02d:17:00.%03d+02:00", 1+k/24, k%24^1, k) }},
		"day":      {datasets.Seconds, func(k int) string { return fmt.Sprintf("2024-%02d-%02d", 1+k/20, 1+(k%20^1)) }},
	} {
		t.Run(name, func(t *testing.T) {
			var records [][]string
			lines := []string{"who,to,when,fraud,amount,age,colour,city"}
			for k := range 80 {
				age := fmt.Sprint(k % 40)
				if k%9 == 4 {
					age = []string{"", "NA", "null"}[k%3]
				}
				r := []string{fmt.Sprintf("p %d", k%7), fmt.Sprintf("q%d", k%5), c.time(k), fmt.Sprintf("%d.1e-3", k), age, colours[k*k%5], fmt.Sprintf("city %d", k%60)}
				records = append(records, r)
				lines = append(lines, fmt.Sprintf(`%s,%s,%s,%d,%s,%s,"%s",%s`, r[0], r[1], r[2], k%3/2, r[3], r[4], strings.ReplaceAll(r[5], `"`, `""`), r[6]))
			}
			dir, src := log(t, strings.Join(lines, "\n"))
			src.Layout = datasets.Layout{Src: "who", Dst: "to", Time: "when", Label: "fraud", Features: []string{"amount", "age"}, Unit: c.unit, Sort: true}
			src.Categories = Categories{Columns: []string{"colour", "city"}, OneHot: 6, Hashed: 4}
			src.MissingOf = []ColumnFill{{"age", Fill{Mean: true}}}
			if _, err := Import(t.Context(), dir, src); err != nil {
				t.Fatal(err)
			}
			l := lookup(t, dir, "mine")
			names, err := Names(dir, "mine")
			if err != nil {
				t.Fatal(err)
			}
			row, err := NewRow(dir, "mine")
			if err != nil {
				t.Fatal(err)
			}
			if row, err = ParseRow(row.String()); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]string{"who", "to", "when", "amount", "age", "colour", "city"}, row.Columns()); d != "" || row.Width() != l.Stream.NumFeat || row.Label() != "fraud" {
				t.Errorf("width %d, label %s: %s", row.Width(), row.Label(), d)
			}
			type event struct {
				Src, Dst string
				Time     float64
				Features []float32
			}
			var want, got []event
			s := l.Stream
			for k := range s.Len() {
				want = append(want, event{names[s.Src[k]], names[s.Dst[k]], s.Time[k], slices.Clone(s.Features(k))})
			}
			for _, r := range records {
				e := event{Features: slices.Repeat([]float32{float32(math.NaN())}, row.Width())}
				if e.Src, e.Dst, e.Time, err = row.Encode(r, e.Features); err != nil {
					t.Fatal(err)
				}
				got = append(got, e)
			}
			slices.SortStableFunc(got, func(a, b event) int {
				switch {
				case a.Time < b.Time:
					return -1
				case a.Time > b.Time:
					return 1
				}
				return 0
			})
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// smallRow has a column of each kind.
const smallRow = `{"src":"a","dst":"b","time":"t","times":{"first":"5","start":0,"unit":"s"},"features":[{"column":"x"},{"column":"y","fill":2},{"column":"c","category":true,"levels":["u","v"]},{"column":"h","category":true,"hashed":3}]}`

// TestRowRefuses fields that the import would have refused, and names the column.
func TestRowRefuses(t *testing.T) {
	row, err := ParseRow(smallRow)
	if err != nil {
		t.Fatal(err)
	}
	good := []string{"p", "q", "6", "1", "NA", "w", "z"}
	features := make([]float32, row.Width())
	if _, _, at, err := row.Encode(good, features); err != nil || at != 1 || features[1] != 2 || features[2] != 1 || features[3]+features[4] != 0 {
		t.Errorf("%v at %v: %v", features, at, err)
	}
	for i, c := range []struct{ field, want string }{
		{"", `column a: "", expected a node`},
		{"", `column b: "", expected a node`},
		{"noon", `column t: "noon", expected a number from -1e19 to 1e19`},
		{"", `column x: "", expected a finite number (no value was missing at the import)`},
		{"1e99", `column y: "1e99", expected a finite number within the range of float32`},
		{"\xff", `column c: "\xff", expected text in UTF-8`},
	} {
		record := slices.Clone(good)
		record[i] = c.field
		if _, _, _, err := row.Encode(record, features); err == nil || err.Error() != c.want {
			t.Errorf("error %v, expected %s", err, c.want)
		}
	}
	if _, _, _, err := row.Encode(good[1:], features); err == nil || !strings.Contains(err.Error(), "6 fields for 8 features, expected 7 for 8") {
		t.Error(err)
	}
}

// TestParseRowRefuses descriptions of no import.
func TestParseRowRefuses(t *testing.T) {
	for change, want := range map[string]string{
		`"unit":"s"|"unit":"h"`:                      `a unit "h"`,
		`"first":"5"|"first":"soon"`:                 `a first time "soon"`,
		`"start":0|"start":1e300`:                    "a start at 1e+300",
		`"hashed":3|"hashed":-1`:                     "column h is neither",
		`"hashed":3|"hashed":3,"levels":["x"]`:       "column h is neither",
		`"hashed":3|"hashed":9000000000`:             "column h is neither",
		`"fill":2|"hashed":2`:                        "column y is neither",
		`["u","v"]|["u","u"]`:                        "column c has a level twice",
		`{"column":"x"}|{"colum":"x"}`:               "unknown field",
		`"hashed":3}]}|"hashed":3}]}{}`:              "something follows",
		`{"column":"x"}|{"column":"x","fill":1e300}`: "cannot unmarshal",
	} {
		from, to, _ := strings.Cut(change, "|")
		text := strings.Replace(smallRow, from, to, 1)
		if _, err := ParseRow(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, expected %s", text, err, want)
		}
	}
}

// TestRowOfAnOlderImport says that it has to be imported again.
func TestRowOfAnOlderImport(t *testing.T) {
	dir, src := log(t, text(60))
	if _, err := Import(t.Context(), dir, src); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "mine", descriptionFile)
	yaml, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old, _, found := strings.Cut(string(yaml), "source:")
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil || !found {
		t.Fatal(err, string(yaml))
	}
	if _, err := NewRow(dir, "mine"); err == nil || !strings.Contains(err.Error(), "import it again") {
		t.Error(err)
	}
}

// FuzzParseRow: what is read is written as it can be read again, and encodes any
// record or says why not.
func FuzzParseRow(f *testing.F) {
	f.Add(smallRow, "2024-05-31")
	f.Add(strings.Replace(smallRow, `"5"`, `"2024-05-31 08:15"`, 1), "7")
	f.Fuzz(func(t *testing.T, text, field string) {
		row, err := ParseRow(text)
		if err != nil {
			return
		}
		if again, err := ParseRow(row.String()); err != nil || again.String() != row.String() {
			t.Errorf("%s: %v, then %v", text, row, err)
		}
		_, _, at, err := row.Encode(slices.Repeat([]string{field}, len(row.Columns())), make([]float32, row.Width()))
		if err == nil && (math.IsNaN(at) || math.IsInf(at, 0)) {
			t.Errorf("%q is the time %v", field, at)
		}
	})
}
