// Command claims writes docs/claims.md: what the paper and others claim, what the
// recorded suites say about it, and a verdict that follows from the numbers alone.
//
//	go run ./results/claims results/recorded > docs/claims.md
//
// It reads DIR/SUITE/comparisons.csv and results.csv, which bench all leaves.
package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/specs"

	"gonum.org/v1/gonum/stat/distuv"
)

//go:embed claims.yaml
var claimsYAML []byte

type claim struct {
	Title string   `yaml:"title"`
	Says  string   `yaml:"says"` // the source's words, and where
	Tests []test   `yaml:"tests"`
	Held  []string `yaml:"held"` // tests of this repository, as "package Test"
}

// test compares a model with others, wherever a recorded suite has both; or, with by,
// what it has in one column, its other columns being the same.
type test struct {
	Suites     []string `yaml:"suites"`
	Datasets   []string `yaml:"datasets"` // empty for all
	Task       string   `yaml:"task"`
	Candidates string   `yaml:"candidates"`
	Metric     string   `yaml:"metric"`
	Model      string   `yaml:"model"`       // as id or id+variant
	Over       []string `yaml:"over"`        // models, or with by values of the column
	OverMetric string   `yaml:"over_metric"` // of those, where it is another than metric
	By         string   `yaml:"by" words:"setting dataset"`
	In         string   `yaml:"in"`     // with by: what is compared with over
	Margin     float64  `yaml:"margin"` // in percentage points: level rather than above, if not 0
	Ratio      float64  `yaml:"ratio"`  // of times, instead of a difference: at least so much
}

// finding is what one place says of a test.
type finding struct {
	place, model, over string
	measured           string
	says               answer
}

type answer string

const (
	yes       answer = "yes"
	no        answer = "no"
	undecided answer = "undecided"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: claims DIR, which has the folders of suites")
		os.Exit(2)
	}
	page, err := page(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
	fmt.Print(page)
}

func page(dir string) (string, error) {
	var list struct {
		Claims []claim `yaml:"claims"`
	}
	if err := strictyaml.Unmarshal("claims.yaml", claimsYAML, &list); err != nil {
		return "", err
	}
	var head, body strings.Builder
	head.WriteString(preface)
	for i, c := range list.Claims {
		if len(c.Held) > 0 {
			fmt.Fprintf(&head, "| %d. [%s](#claim-%d) | **held** | by %d tests |\n", i+1, c.Title, i+1, len(c.Held))
			fmt.Fprintf(&body, "\n## Claim %d\n\n**%s:** %s. Held by tests of every commit:\n\n", i+1, c.Title, c.Says)
			for _, name := range c.Held {
				pkg, function, _ := strings.Cut(name, " ")
				fmt.Fprintf(&body, "    go test ./%s -run '^%s$'\n", pkg, function)
			}
			continue
		}
		var all []finding
		for _, t := range c.Tests {
			found, err := t.findings(dir)
			if err != nil {
				return "", err
			}
			all = append(all, found...)
		}
		v, counts := verdict(all)
		fmt.Fprintf(&head, "| %d. [%s](#claim-%d) | **%s** | %s |\n", i+1, c.Title, i+1, v, counts)
		fmt.Fprintf(&body, "\n## Claim %d\n\n**%s:** %s. %s: %s.\n", i+1, c.Title, c.Says, v, counts)
		if len(all) == 0 {
			continue
		}
		body.WriteString("\n| place | compared | measured | as claimed |\n|:--|:--|:--|:--|\n")
		for _, f := range all {
			fmt.Fprintf(&body, "| %s | %s, %s | %s | %s |\n", f.place, f.model, f.over, f.measured, f.says)
		}
	}
	return head.String() + body.String(), nil
}

const preface = `# Claims

What the Deep-Graph-Sprints paper and others claim, and what the recorded suites say. Made by
` + "`go run ./results/claims results/recorded > docs/claims.md`" + `; the claims and what decides about them are in ` + "`results/claims/claims.yaml`" + `.

A difference is the mean of the first model less that of the second, in percentage points, [low, high] its 95% interval over test events and seeds,
paired by event except between settings, and not adjusted for the number of comparisons. *Above* needs an interval above zero, *level* one above minus a
margin, and the contrary one below; anything else is undecided. A claim is **reproduced** if all of its comparisons say so, **not reproduced** if none
does, and otherwise **partly**. Where nothing is recorded it is **not measured**. Nothing is counted that a suite does not have, and no comparison is
left out that it has: a model that gave every event one score has none.

| claim | verdict | comparisons |
|:--|:--|:--|
`

// verdict follows from what the places say.
func verdict(all []finding) (verdict, counts string) {
	n := map[answer]int{}
	for _, f := range all {
		n[f.says]++
	}
	switch {
	case len(all) == 0:
		return "not measured", "no suite with both models is recorded"
	case n[yes] == len(all):
		verdict = "reproduced"
	case n[yes] == 0:
		verdict = "not reproduced"
	default:
		verdict = "partly"
	}
	counts = fmt.Sprintf("%d of %d as claimed", n[yes], len(all))
	if n[no] > 0 {
		counts += fmt.Sprintf(", %d the contrary", n[no])
	}
	if n[undecided] > 0 {
		counts += fmt.Sprintf(", %d undecided", n[undecided])
	}
	return verdict, counts
}

// findings are those of every place that has the models.
func (t test) findings(dir string) (all []finding, err error) {
	for _, suite := range t.Suites {
		file, find := "comparisons.csv", t.differences
		if t.Ratio > 0 || t.By != "" {
			file, find = "results.csv", t.pairs
		}
		lines, err := read(filepath.Join(dir, suite, file))
		if err != nil {
			return nil, err
		}
		for _, over := range t.Over {
			all = append(all, find(lines, over)...)
		}
	}
	return all, nil
}

// line is one of a CSV file, by column.
type line map[string]string

// read returns the lines of a file; none where it is not there.
func read(path string) (lines []line, err error) {
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	rows, errCSV := csv.NewReader(bytes.NewReader(raw)).ReadAll()
	if err := cmp.Or(err, errCSV); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, row := range rows[min(1, len(rows)):] {
		l := line{}
		for k, name := range rows[0] {
			l[name] = row[k]
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func (l line) number(column string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(l[column], 64)
	return x, err == nil
}

func (l line) place() string {
	return strings.Join(lists.NonEmpty(l["dataset"], l["setting"], l["case"]), ", ") + " (`" + l["suite"] + "`)"
}

func (l line) has(t test) bool {
	return l["task"] == t.Task && l["metric"] == t.Metric && l["candidates"] == t.Candidates && l["split"] != "validation" &&
		(len(t.Datasets) == 0 || slices.Contains(t.Datasets, l["dataset"]))
}

// differences are those of pairs that have an interval.
func (t test) differences(lines []line, over string) (all []finding) {
	for _, l := range lines {
		better, other := specs.JoinRef(l["better"], l["better_variant"]), specs.JoinRef(l["other"], l["other_variant"])
		reverse := better == over && other == t.Model
		d, _ := l.number("difference")
		high, _ := l.number("ci_high")
		low, ok := l.number("ci_low")
		if !ok || !l.has(t) || !reverse && (better != t.Model || other != over) {
			continue
		}
		if reverse {
			d, low, high = -d, -high, -low
		}
		all = append(all, t.difference(finding{place: l.place(), model: t.Model, over: over}, d, low, high))
	}
	return all
}

// difference completes a finding with a difference and its interval.
func (t test) difference(f finding, d, low, high float64) finding {
	f.measured, f.says = fmt.Sprintf("%+.2f [%+.2f, %+.2f]", 100*d, 100*low, 100*high), undecided
	least := -t.Margin / 100
	switch {
	case low > least:
		f.says = yes
	case high < least:
		f.says = no
	}
	return f
}

// pairs are those of lines that differ in what the test compares alone.
func (t test) pairs(lines []line, over string) (all []finding) {
	for _, a := range lines {
		if !a.has(t) || a.model() != t.Model || t.By != "" && a[t.By] != t.In {
			continue
		}
		f, want := finding{place: a.place(), model: t.Model, over: over}, maps.Clone(a)
		if t.By == "" {
			want["model"], want["variant"] = specs.SplitRef(over)
		} else {
			want[t.By] = over
			f.model, f.over = t.Model+" in "+t.In, "in "+over
		}
		other := t
		other.Metric = cmp.Or(t.OverMetric, t.Metric)
		x, okX := a.interval()
		for _, b := range lines {
			if !b.has(other) || b.model() != want.model() || b.place() != want.place() {
				continue
			}
			y, okY := b.interval()
			switch {
			case t.Ratio > 0 && x[1] > 0 && y[1] > 0:
				f.measured, f.says = fmt.Sprintf("%.2f times as fast", y[1]/x[1]), no
				if y[1]/x[1] >= t.Ratio {
					f.says = yes
				}
				all = append(all, f)
			case t.Ratio == 0 && okX && okY: // independent
				d := x[1] - y[1]
				all = append(all, t.difference(f, d, d-math.Hypot(x[1]-x[0], y[2]-y[1]), d+math.Hypot(x[2]-x[1], y[1]-y[0])))
			}
		}
	}
	return all
}

func (l line) model() string { return specs.JoinRef(l["model"], l["variant"]) }

// interval returns low end, mean and high end, the interval of the events widened by
// that of the mean over seeds; the mean alone, and not ok, where either is unknown.
func (l line) interval() (x [3]float64, ok bool) {
	x[1], _ = l.number("mean")
	low, okLow := l.number("ci_low")
	high, _ := l.number("ci_high")
	deviation, ok := l.number("std") // of three seeds or more
	if !ok || !okLow {
		return x, false
	}
	n, _ := l.number("n")
	seeds := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(.975) * deviation / math.Sqrt(n)
	x[0], x[2] = x[1]-math.Hypot(x[1]-low, seeds), x[1]+math.Hypot(high-x[1], seeds)
	return x, true
}
