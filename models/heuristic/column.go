package heuristic

import (
	"cmp"
	"fmt"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
)

func init() {
	models.Register(models.Kind{
		Name: "single-column", Class: protocol.SingleColumn, Features: models.FeaturesRequired,
		Tasks:   []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &models.NoOptions{} },
		Choices: func(features int) int { return features },
		New: func(s models.Setup, _ models.Options) (models.Model, error) {
			c := &singleColumn{columns: slices.Clone(s.Columns), numFeat: s.NumFeat}
			c.rule[sign] = 1
			return c, nil
		},
	})
}

// singleColumn classifies an event by one of its features, or by minus that:
// whichever has the AUC of at least .5 on the labels of the training.
type singleColumn struct {
	models.Offline
	models.NoLinks
	columns []string // names, where they are known
	numFeat int
	rule    [2]float32 // column and sign
	seen    []example  // since the column was chosen
	settled int        // how many of them the sign is of
}

// The numbers of a rule.
const (
	column = iota
	sign   // 1 or -1
)

// example is a labelled event of the training.
type example struct {
	value    float32
	positive bool
}

// Choose makes feature i the column.
func (c *singleColumn) Choose(i int) {
	c.rule = [2]float32{column: float32(i), sign: 1}
	c.seen, c.settled = c.seen[:0], 0
}

// Chosen names the column, as "amount" or "minus amount".
func (c *singleColumn) Chosen() string {
	c.settle()
	i := int(c.rule[column])
	name := fmt.Sprintf("feature %d", i+1)
	if i < len(c.columns) {
		name = c.columns[i]
	}
	if c.rule[sign] < 0 {
		return "minus " + name
	}
	return name
}

// values returns an error for a value of the column that is out of range.
func (c *singleColumn) values(b datasets.Stream, use func(k int, x float32)) error {
	at := int(c.rule[column])
	for k := range b.Len() {
		if !nn.Within(b.Features(k)[at:][:1]) {
			return models.BadFeature(b)
		}
	}
	for k := range b.Len() {
		use(k, b.Features(k)[at])
	}
	return nil
}

// Train keeps the values of the column with their labels.
func (c *singleColumn) Train(b datasets.Stream, _ []int32) (float64, error) {
	return 0, c.values(b, func(k int, x float32) {
		if b.Label[k] != datasets.Unlabelled {
			c.seen = append(c.seen, example{x, b.Label[k] == 1})
		}
	})
}

// settle finds the sign, if more was seen: it counts the pairs of a positive and a
// negative event that the column orders rightly, less those that it orders
// wrongly.
func (c *singleColumn) settle() {
	if c.settled == len(c.seen) {
		return
	}
	c.settled = len(c.seen)
	slices.SortFunc(c.seen, func(a, b example) int { return cmp.Compare(a.value, b.value) })
	negatives := 0
	for _, e := range c.seen {
		if !e.positive {
			negatives++
		}
	}
	excess, below := 0, 0 // below: negatives of lower values
	for lo := 0; lo < len(c.seen); {
		hi, positives := lo, 0
		for ; hi < len(c.seen) && c.seen[hi].value == c.seen[lo].value; hi++ {
			if c.seen[hi].positive {
				positives++
			}
		}
		level := hi - lo - positives
		excess += positives * (below - (negatives - below - level))
		below += level
		lo = hi
	}
	c.rule[sign] = 1
	if excess < 0 {
		c.rule[sign] = -1
	}
}

// Classify scores by the column.
func (c *singleColumn) Classify(b datasets.Stream, logits []float32) error {
	c.settle()
	return c.values(b, func(k int, x float32) { logits[k] = c.rule[sign] * x })
}

// There is no state.

func (c *singleColumn) Observe(datasets.Stream) error { return nil }
func (c *singleColumn) Reset()                        {}

func (c *singleColumn) Snapshot(what models.Part) models.Snapshot {
	c.settle()
	return models.Take(what, c.fields(), nil)
}

// Restore replaces column and sign. What was seen in training is forgotten.
func (c *singleColumn) Restore(s models.Snapshot) error {
	err := models.Put(s, c.fields(), nil)
	if err == nil {
		c.seen, c.settled = c.seen[:0], 0
	}
	return err
}

// NumParams is 0: the rule is chosen, not learned.
func (c *singleColumn) NumParams() int { return 0 }

func (c *singleColumn) fields() models.Fields {
	f := models.Floats("rule", c.rule[:])
	f.Check = func(saved []models.Tensor) error {
		at, s := saved[0].F32[column], saved[0].F32[sign]
		if at < 0 || at >= float32(c.numFeat) || at != float32(int(at)) || s != 1 && s != -1 {
			return fmt.Errorf("the snapshot has column %v and sign %v, expected one of %d and 1 or -1", at, s, c.numFeat)
		}
		return nil
	}
	return models.Fields{f}
}
