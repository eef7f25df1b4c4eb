package dgs

import (
	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/models/buckets"
)

// encoder writes E of buckets: ones at the buckets of an event's features.
type encoder struct {
	*buckets.Buckets
	e   []float32 // a row an event
	row []int32
}

func newEncoder(b *buckets.Buckets, s models.Setup) *encoder {
	return &encoder{b, make([]float32, s.MaxBatch*b.Size()), make([]int32, s.NumFeat)}
}

// another is an encoder of the same buckets for so many events.
func (n *encoder) another(events int) *encoder {
	return &encoder{n.Buckets, make([]float32, events*n.Size()), make([]int32, len(n.row))}
}

// encode is E of the batch, whose features are finite.
func (n *encoder) encode(b datasets.Stream) []float32 {
	e := n.e[:b.Len()*n.Size()]
	clear(e)
	for k := range b.Len() {
		if err := n.Row(b.Features(k), n.row); err != nil {
			panic("dgs: " + err.Error())
		}
		for _, bucket := range n.row {
			e[k*n.Size()+int(bucket)] = 1
		}
	}
	return e
}
