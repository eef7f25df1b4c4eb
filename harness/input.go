package harness

import (
	"slices"
	"strconv"

	"dgsbench/datasets"
	"dgsbench/datasets/own"
	"dgsbench/metrics"
	"dgsbench/models"
)

// source is how records of a dataset's source become events.
type source struct {
	row   *own.Row
	names []string // of nodes, by number
	sides []int8   // of models.Nodes
}

// readSource returns the source of an import. In that of any other dataset nodes go by
// their numbers.
func readSource(l *datasets.Loaded, columns []string, dir string) (s source, err error) {
	if s.row, s.names, err = own.RowAndNames(dir, l.Dataset.Name); err != nil {
		return s, err
	}
	if users := l.Stream.Users; s.row != nil && users > 0 {
		s.sides = slices.Concat(make([]int8, users), slices.Repeat([]int8{int8(datasets.Destination)}, len(s.names)-users))
	}
	if s.row != nil {
		return s, nil
	}
	for n := range l.Stream.NumNodes {
		s.names = append(s.names, strconv.Itoa(n))
	}
	s.row = own.NumberedRow(columns)
	return s, nil
}

// input returns what makes events of records for a model that was trained on the
// parts, and whose state has met all events before the test part.
func (c *Cutter) input(p datasets.Parts, validation metrics.Facts) (*models.Input, error) {
	met, d := c.loaded.Stream.Slice(0, p.Whole.Len()-p.Test.Len()), p.Deriver()
	c.sourceOnce.Do(func() { c.source, c.sourceError = readSource(c.loaded, d.File(), c.dir) })
	if c.sourceError != nil {
		return nil, c.sourceError
	}
	if err := d.Add(met); err != nil {
		return nil, err
	}
	in := &models.Input{
		Source: c.source.row.String(), Features: d.String(), Together: p.Batch > 0, History: d.State(),
		Scores: validation.Score, Labels: validation.Label,
		Nodes: models.Nodes{Names: c.source.names, Sides: c.source.sides, Seen: make([]int64, len(c.source.names))},
	}
	for n := range in.Nodes.Seen {
		in.Nodes.Seen[n] = -1
	}
	for k, u := range met.Src {
		in.Nodes.Seen[u], in.Nodes.Seen[met.Dst[k]] = int64(k), int64(k)
	}
	if n := p.Val.Len(); n > 0 {
		in.ValidationSeconds = p.Val.Time[n-1] - p.Val.Time[0]
	}
	return in, nil
}
