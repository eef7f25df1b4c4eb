package own

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// mixed is a log of n events: a category of few texts, one of many, and numbers
// that are missing at times. The last tenth has texts that are not in the train
// part.
func mixed(n int) string {
	var b strings.Builder
	b.WriteString("payer,payee,at,kind,city,amount,age,fraud\n")
	for k := range n {
		kind, city := []string{"web", "app", ""}[k%3], fmt.Sprint("city ", k%40)
		if k >= n*9/10 {
			kind, city = "new", "far away"
		}
		amount, age := fmt.Sprint(k), "NA"
		if k%5 == 2 {
			amount = "null"
		}
		if k%2 == 0 {
			age = "4"
		}
		fmt.Fprintf(&b, "p%d,q%d,%d,%s,%s,%s,%s,%d\n", k%7, k%5, 3600*k, kind, city, amount, age, k%3/2)
	}
	return b.String()
}

// table reads a CSV file as rows by the names of its columns.
func table(t *testing.T, path string) (rows []map[string]string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(string(content))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// TestColumns: categories are columns of 0 and 1, one a text of the train part or
// shared ones, and what is missing has a value and a column that says so. From what
// is kept the texts can be told again.
func TestColumns(t *testing.T) {
	const n = 200
	dir, src := log(t, mixed(n))
	src.Layout.Features = []string{"amount", "age"}
	src.Categories = Categories{Columns: []string{"kind", "city"}, OneHot: 3, Hashed: 8}
	src.MissingOf = []ColumnFill{{"age", Fill{Value: -1}}, {"amount", Fill{Mean: true}}}
	l, err := Import(t.Context(), dir, src)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "mine")
	d, err := readDescription(filepath.Join(folder, descriptionFile))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"amount", "amount is missing", "age", "age is missing", "kind=", "kind=app", "kind=web"}
	for i := range 8 {
		want = append(want, fmt.Sprintf("city#%d", i+1))
	}
	if diff := cmp.Diff(want, d.Features); diff != "" {
		t.Fatal(diff)
	}
	if diff := cmp.Diff([]category{{"kind", 3, 3, false}, {"city", 40, 8, true}}, d.Categories); diff != "" {
		t.Error(diff)
	}
	if len(d.Missing) != 2 || d.Missing[0].Values != 40 || d.Missing[1] != (filled{"age", 100, -1}) {
		t.Errorf("%+v", d.Missing)
	}
	if len(l.Columns) != 4 {
		t.Errorf("%q", l.Columns)
	}
	sum, known := 0.0, 0
	for k := range l.Split.TrainEnd {
		if k%5 != 2 {
			sum, known = sum+float64(k), known+1
		}
	}
	if mean := float32(sum / float64(known)); mean != d.Missing[0].Fill {
		t.Errorf("mean %v, expected %v", d.Missing[0].Fill, mean)
	}
	features := map[[2]string]string{} // of texts
	for _, row := range table(t, filepath.Join(folder, levelsFile)) {
		features[[2]string{row["column"], row["level"]}] = row["feature"]
	}
	if len(features) != 43 {
		t.Errorf("%d texts", len(features))
	}
	for k, row := range table(t, src.Files[0]) {
		x := l.Stream.Features(k)
		on := func(name string) []string {
			var out []string
			for i, f := range d.Features {
				if strings.HasPrefix(f, name) && x[i] == 1 {
					out = append(out, f)
				}
			}
			return out
		}
		kind := on("kind=")
		if want := features[[2]string{"kind", row["kind"]}]; row["kind"] == "new" && len(kind) > 0 || row["kind"] != "new" && !slices.Equal(kind, []string{want}) {
			t.Errorf("event %d of kind %q: %q", k, row["kind"], kind)
		}
		city := on("city#")
		if want := features[[2]string{"city", row["city"]}]; len(city) != 1 || row["city"] != "far away" && city[0] != want {
			t.Errorf("event %d of %q: %q", k, row["city"], city)
		}
		if missing := row["amount"] == "null"; (x[1] == 1) != missing || !missing && fmt.Sprint(x[0]) != row["amount"] || missing && x[0] != d.Missing[0].Fill {
			t.Errorf("event %d with amount %s: %v", k, row["amount"], x[:2])
		}
		if missing := row["age"] == "NA"; (x[3] == 1) != missing || x[2] != map[bool]float32{true: -1, false: 4}[missing] {
			t.Errorf("event %d with age %s: %v", k, row["age"], x[2:4])
		}
	}
}

// TestTrainPartAlone: what comes after the train part changes neither which columns
// there are, nor the mean.
func TestTrainPartAlone(t *testing.T) {
	features := func(text string) ([]string, []filled) {
		dir, src := log(t, text)
		src.Layout.Features = []string{"amount"}
		src.Categories = Categories{Columns: []string{"kind"}, OneHot: 3, Hashed: 8}
		src.Missing = &Fill{Mean: true}
		if _, err := Import(t.Context(), dir, src); err != nil {
			t.Fatal(err)
		}
		d, err := readDescription(filepath.Join(dir, "mine", descriptionFile))
		if err != nil {
			t.Fatal(err)
		}
		return d.Features, d.Missing
	}
	lines := strings.SplitAfter(mixed(200), "\n")
	for k := 160; k <= 200; k++ {
		f := strings.Split(lines[k], ",")
		f[3] = "kind " + strconv.Itoa(k)
		if f[5] != "null" {
			f[5] = "1e6"
		}
		lines[k] = strings.Join(f, ",")
	}
	before, fillBefore := features(mixed(200))
	after, fillAfter := features(strings.Join(lines, ""))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(fillBefore, fillAfter); diff != "" {
		t.Error(diff)
	}
}

// TestSortedIsTheSame: the columns do not depend on the order of the lines.
func TestSortedIsTheSame(t *testing.T) {
	lines := strings.SplitAfter(mixed(200), "\n")
	slices.Reverse(lines[1:201])
	files := func(text string) map[string]string {
		dir, src := log(t, text)
		src.Layout.Sort, src.Layout.Features, src.Missing = true, []string{"amount"}, &Fill{}
		src.Categories = Categories{Columns: []string{"kind", "city"}, OneHot: 3, Hashed: 8}
		if _, err := Import(t.Context(), dir, src); err != nil {
			t.Fatal(err)
		}
		files := filesOf(t, filepath.Join(dir, "mine"))
		files[descriptionFile], _, _ = strings.Cut(files[descriptionFile], "  times:") // how the first line was read
		return files
	}
	if diff := cmp.Diff(files(mixed(200)), files(strings.Join(lines, ""))); diff != "" {
		t.Error(diff)
	}
}

func TestColumnsRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Source)
		want   string
	}{
		{"no mean", func(s *Source) { s.Missing = &Fill{Mean: true} }, "log.csv: column age: every value of the train part is missing, so there is no mean; expected a number, --missing age=0"},
		{"too many columns", func(s *Source) {
			s.Missing, s.Categories = &Fill{}, Categories{Columns: []string{"city", "kind"}, OneHot: 0, Hashed: 60_000}
		}, "the features take more than 100000 columns"},
		{"limits", func(s *Source) { s.Categories = Categories{Columns: []string{"kind"}, OneHot: -1, Hashed: 3} }, "expected --one-hot from 0 and --hashed from 1, to 100000"},
		{"limits", func(s *Source) { s.Categories = Categories{Columns: []string{"kind"}, OneHot: 3} }, "3 columns of their own and 0 hashed ones"},
		{"category and number", func(s *Source) { s.Categories, s.Missing = Categories{[]string{"amount"}, 3, 3}, &Fill{} }, `found two uses, "amount" for a feature and "amount" for a feature`},
	} {
		dir, src := log(t, strings.NewReplacer(",4,0\n", ",,0\n", ",4,1\n", ",,1\n").Replace(mixed(200)))
		src.Layout.Features = []string{"amount", "age"}
		c.change(&src)
		if _, err := Import(t.Context(), dir, src); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
		if left := entries(t, dir); len(left) > 0 {
			t.Errorf("%s: %v is left", c.name, left)
		}
	}
}

func TestParseFill(t *testing.T) {
	for text, want := range map[string]Fill{"mean": {Mean: true}, "0": {}, "-2.5": {Value: -2.5}} {
		if got, err := ParseFill(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "median", "nan", "inf", "1e99", "0,1"} {
		if _, err := ParseFill(text); err == nil || !strings.Contains(err.Error(), "expected mean or a number") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
