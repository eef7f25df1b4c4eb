// Package metrics computes metrics from the raw facts of an evaluated part: ranking
// metrics of links, and of classified events AUC, average precision, points of
// ROC, PR and calibration curves, precision by day and the Brier score; and
// intervals from resampled events. All functions are pure.
//
// All metrics are pooled: a mean or a curve over all events of the part, not
// a mean over batches.
package metrics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dgsbench/protocol"
)

// Errors for a metric that the facts do not define.
var (
	// ErrUndefined is about a mean over no events, and a curve without positives
	// or without negatives.
	ErrUndefined = errors.New("not defined: no events, no positives or no negatives")
	// ErrNoDays is about a metric by day of facts without Days.
	ErrNoDays = errors.New("not defined: the record has no days, which older ones and parts of more than 10,000 days lack")
	// ErrNoLogOdds is about a metric of probabilities.
	ErrNoLogOdds = errors.New("not defined: the scores are no log-odds, or of an older record that does not say so")
)

// Weighted evaluates a metric with event k counted weights[k] times; nil
// counts every event once. It returns NaN if the metric is not defined.
// It may be called from several goroutines at once.
type Weighted func(weights []uint8) float64

// Metric is one entry of the table of metrics, or one of a family.
type Metric struct {
	Name           string // in records and CSV files
	Title          string // at the head of a table's column
	Unit           string // "1" for a fraction
	HigherIsBetter bool
	Printed        bool          // also in tables
	Task           protocol.Task // lp needs ranking facts, nc needs scores
	// OfCurve marks a point of a curve or a day of a series: nothing is selected
	// or ranked by it.
	OfCurve bool
	// Days and LogOdds say that it is undefined without those of Facts.
	Days, LogOdds bool
	// Prepare does the work that is needed once, such as sorting, so that a draw
	// costs one pass over the events.
	Prepare func(Facts) Weighted
}

// table holds the metrics that every record has. The first one of a task is its
// headline: models are selected and ranked by it where nothing else is chosen.
var table = []Metric{
	{Name: "mrr", Title: "MRR", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.LinkPrediction, Prepare: prepareMRR},
	{Name: "recall@10", Title: "Recall@10", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.LinkPrediction, Prepare: prepareRecall(10)},
	{Name: "auc", Title: "AUC", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.NodeClassification, Prepare: prepareAUC},
	{Name: "ap", Title: "AP", Unit: "1", HigherIsBetter: true, Task: protocol.NodeClassification, Prepare: prepareAP},
}

// family is a set of metrics that differ in numbers of their names. They are
// evaluated where a spec names them.
type family struct {
	form    string         // as messages call it; empty for points of curves
	pattern *regexp.Regexp // its groups are the numbers
	// metric returns the one with these numbers, and its zero value if there is none.
	metric func(n []float64) Metric
}

var families = []family{
	{"recall@K", regexp.MustCompile(`^recall@(\d+)$`), func(n []float64) Metric {
		return Metric{Name: Name("recall@", n[0]), Title: Name("Recall@", n[0]), HigherIsBetter: true, Task: protocol.LinkPrediction,
			Prepare: prepareRecall(n[0])}.when(n[0] >= 1)
	}},
	{"recall@R%fpr", regexp.MustCompile(`^recall@([\d.]+)%fpr$`), func(n []float64) Metric {
		return Metric{Name: Name("recall@", n[0], "%fpr"), Title: Name("Recall@", n[0], "%FPR"), HigherIsBetter: true,
			Prepare: along(recallAtFPR).at(n[0])}.when(n[0] > 0 && n[0] < 100)
	}},
	{"precision@R%recall", regexp.MustCompile(`^precision@([\d.]+)%recall$`), func(n []float64) Metric {
		return Metric{Name: Name("precision@", n[0], "%recall"), Title: Name("P@", n[0], "%recall"), HigherIsBetter: true,
			Prepare: along(precisionAtRecall).at(n[0])}.when(n[0] > 0 && n[0] <= 100)
	}},
	{"precision@K/day", regexp.MustCompile(`^precision@(\d+)/day$`), func(n []float64) Metric {
		return Metric{Name: Name("precision@", n[0], "/day"), Title: Name("Precision@", n[0], "/day"), HigherIsBetter: true,
			Prepare: prepareDailyPrecision(n[0]), Days: true}.when(n[0] >= 1)
	}},
	{"brier", regexp.MustCompile(`^brier$`), func([]float64) Metric {
		return Metric{Name: "brier", Title: "Brier", Prepare: prepareBrier, LogOdds: true}.when(true)
	}},
	{"", regexp.MustCompile(`^auc@day(\d+)-(\d+)$`), func(n []float64) Metric {
		return Metric{Name: Name("auc@day", n[0], "-", n[1]), Title: Name("AUC of days ", n[0], "-", n[1]), HigherIsBetter: true, OfCurve: true,
			Prepare: prepareDailyAUC(int(n[0]), int(n[1])), Days: true}.when(n[0] >= 1 && n[1] >= n[0] && n[1] <= MostDays)
	}},
	{"", regexp.MustCompile(`^predicted@(\d+)/(\d+)$`), func(n []float64) Metric {
		return Metric{Name: Name("predicted@", n[0], "/", n[1]), Title: Name("Predicted ", n[0], "/", n[1]), OfCurve: true,
			Prepare: prepareGroup(int(n[0]), int(n[1]), predicted), LogOdds: true}.when(n[0] >= 1 && n[1] >= n[0])
	}},
	{"", regexp.MustCompile(`^observed@(\d+)/(\d+)$`), func(n []float64) Metric {
		return Metric{Name: Name("observed@", n[0], "/", n[1]), Title: Name("Observed ", n[0], "/", n[1]), OfCurve: true,
			Prepare: prepareGroup(int(n[0]), int(n[1]), observed), LogOdds: true}.when(n[0] >= 1 && n[1] >= n[0])
	}},
}

// when returns the metric of a family, with what all of them share, if its
// numbers are in range.
func (m Metric) when(inRange bool) Metric {
	if !inRange {
		return Metric{}
	}
	m.Unit, m.Task = "1", cmp.Or(m.Task, protocol.NodeClassification)
	return m
}

// Name joins words and numbers to the name of a metric: a number has one
// spelling there.
func Name(parts ...any) (text string) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			text += p
		case int:
			text += strconv.Itoa(p)
		case float64:
			text += strconv.FormatFloat(p, 'f', -1, 64)
		}
	}
	return text
}

// Of lists the metrics of a task that every record has, the headline first.
func Of(task protocol.Task) []Metric {
	return slices.DeleteFunc(slices.Clone(table), func(m Metric) bool { return m.Task != task })
}

// Lookup finds a metric by name: one of the table, or one of a family.
func Lookup(name string) (Metric, error) {
	var known []string
	for _, m := range table {
		if m.Name == name {
			return m, nil
		}
		known = append(known, m.Name)
	}
	for _, f := range families {
		switch m := f.of(name); m.Name {
		case "":
		case name:
			return m, nil
		default:
			return Metric{}, fmt.Errorf("no metric %q (did you mean %q?)", name, m.Name)
		}
		if f.form != "" {
			known = append(known, f.form)
		}
	}
	return Metric{}, fmt.Errorf("no metric %q; known: %s", name, strings.Join(known, ", "))
}

// of returns the metric of the family that has the name, up to the spelling of
// numbers, or the zero Metric.
func (f family) of(name string) Metric {
	groups := f.pattern.FindStringSubmatch(name)
	if groups == nil {
		return Metric{}
	}
	numbers := make([]float64, len(groups)-1)
	for i, g := range groups[1:] {
		var err error
		if numbers[i], err = strconv.ParseFloat(g, 64); err != nil || numbers[i] > mostOfFamily {
			return Metric{}
		}
	}
	return f.metric(numbers)
}

// mostOfFamily is the largest number in a name.
const mostOfFamily = 1e9

// Better reports whether a is a better value than b.
func (m Metric) Better(a, b float64) bool {
	if m.HigherIsBetter {
		return a > b
	}
	return a < b
}

// Undefined returns why facts that give no value do not.
func (m Metric) Undefined(f Facts) error {
	switch {
	case f.Len() > 0 && m.Days && f.Days == nil:
		return ErrNoDays
	case f.Len() > 0 && m.LogOdds && !f.LogOdds:
		return ErrNoLogOdds
	}
	return ErrUndefined
}

// Value returns the metric with every event counted once, or why it is
// undefined.
func (m Metric) Value(f Facts) (float64, error) {
	v := m.Prepare(f)(nil)
	if math.IsNaN(v) {
		return v, m.Undefined(f)
	}
	return v, nil
}
