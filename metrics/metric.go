// Package metrics computes metrics from the raw facts of an evaluated part: MRR,
// Recall@k, AUC and average precision, and intervals from resampled events. All
// functions are pure.
//
// All metrics are pooled: a mean or a curve over all events of the part, not
// a mean over batches.
package metrics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"dgsbench/protocol"
)

// ErrUndefined is the error for a metric that the facts do not define: a mean
// over no events, a curve without positives or without negatives.
var ErrUndefined = errors.New("not defined: no events, no positives or no negatives")

// Weighted evaluates a metric with event k counted weights[k] times; nil
// counts every event once. It returns NaN if the metric is not defined.
// It may be called from several goroutines at once.
type Weighted func(weights []int32) float64

// Metric is one entry of the table of metrics.
type Metric struct {
	Name           string // in records and CSV files
	Title          string // at the head of a table's column
	Unit           string // "1" for a fraction
	HigherIsBetter bool
	Printed        bool          // also in tables
	Task           protocol.Task // lp needs ranking facts, nc needs scores
	// Prepare does the work that is needed once, such as sorting, so that a draw
	// costs one pass over the events.
	Prepare func(Facts) Weighted
}

// table holds all metrics. The first one of a task is its headline: models
// are selected and ranked by it.
var table = []Metric{
	{Name: "mrr", Title: "MRR", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.LinkPrediction, Prepare: prepareMRR},
	{Name: "recall@10", Title: "Recall@10", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.LinkPrediction, Prepare: prepareRecall(10)},
	{Name: "auc", Title: "AUC", Unit: "1", HigherIsBetter: true, Printed: true, Task: protocol.NodeClassification, Prepare: prepareAUC},
	{Name: "ap", Title: "AP", Unit: "1", HigherIsBetter: true, Task: protocol.NodeClassification, Prepare: prepareAP},
}

// Of lists the metrics of a task, the headline first.
func Of(task protocol.Task) []Metric {
	return slices.DeleteFunc(slices.Clone(table), func(m Metric) bool { return m.Task != task })
}

// Lookup finds a metric by name.
func Lookup(name string) (Metric, error) {
	var known []string
	for _, m := range table {
		if m.Name == name {
			return m, nil
		}
		known = append(known, m.Name)
	}
	return Metric{}, fmt.Errorf("no metric %q; known: %s", name, strings.Join(known, ", "))
}

// Value returns the metric with every event counted once, or ErrUndefined.
func (m Metric) Value(f Facts) (float64, error) {
	v := m.Prepare(f)(nil)
	if math.IsNaN(v) {
		return v, ErrUndefined
	}
	return v, nil
}
