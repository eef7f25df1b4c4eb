package heuristic

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/protocol"
)

// RateOptions of label-rate.
type RateOptions struct {
	// Of is whose events count: those of the same source, destination or pair.
	Of RateOf `yaml:"of"`
	// HalfLife is the age in seconds at which an event counts half; 0 for no decay.
	HalfLife float64 `yaml:"half_life"`
	// Prior is the number of events, with the rate of all, that every rate is
	// mixed with.
	Prior float64 `yaml:"prior"`
}

// RateOf names the side of an event, or both.
type RateOf string

// What a rate may be of.
const (
	OfSource      RateOf = "source"
	OfDestination RateOf = "destination"
	OfPair        RateOf = "pair"
)

// Validate returns an error for a value that is out of range.
func (o *RateOptions) Validate() error {
	return cmp.Or(
		models.OneOf("of", o.Of, OfSource, OfDestination, OfPair),
		models.InRange("half_life", o.HalfLife, 0, 1e12),
		models.Expect(o.Prior > 0 && o.Prior <= 1e6, "prior", o.Prior, "0 < prior <= 1e6"),
	)
}

func init() {
	models.Register(models.Kind{
		Name: "label-rate", Class: protocol.ZeroParameter, Memory: true, LogOdds: true, Tasks: []protocol.Task{protocol.NodeClassification},
		Options: func() models.Options { return &RateOptions{Of: OfSource, HalfLife: 30 * 86_400, Prior: 1} },
		Bytes: func(s models.Setup, o models.Options) int64 { // entries, and their places in a map that is half full
			entries := s.Events
			if o.(*RateOptions).Of != OfPair {
				entries = min(entries, s.NumNodes)
			}
			return (40 + 40) * int64(entries)
		},
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			return &labelRate{RateOptions: *o.(*RateOptions), nodes: int64(s.NumNodes), position: map[int64]int32{}}, nil
		},
	})
}

// labelRate classifies an event by the rate of positives among the labels that
// are known of its source, destination or pair, each with a weight that halves
// with its age. The score is the rate's log-odds.
type labelRate struct {
	models.NoLinks
	RateOptions
	nodes    int64
	rates    []rate
	position map[int64]int32 // of a key in rates
	labels   [2]int64        // negative and positive ones of all
}

// rate is what is known of a source, destination or pair.
type rate struct {
	key               int64
	labels, positives float64 // their weights at the time
	time              float64 // of the last of its events with a known label, seconds
}

// keyOf returns that of event k. It has node 0 in place of the one that does not
// count.
func (r *labelRate) keyOf(s datasets.Stream, k int) int64 {
	switch r.Of {
	case OfSource:
		return key(s.Src[k], 0)
	case OfDestination:
		return key(0, s.Dst[k])
	}
	return key(s.Src[k], s.Dst[k])
}

// decay returns the weight that an event has after some seconds.
func (r *labelRate) decay(seconds float64) float64 {
	if r.HalfLife == 0 {
		return 1
	}
	return math.Exp2(-max(0, seconds) / r.HalfLife)
}

// Classify scores by the labels that were known before the batch.
func (r *labelRate) Classify(b datasets.Stream, logits []float32) error {
	all := float64(r.labels[1]+1) / float64(r.labels[0]+r.labels[1]+2)
	for k, t := range b.Time {
		positives, negatives := r.Prior*all, r.Prior*(1-all)
		if i, ok := r.position[r.keyOf(b, k)]; ok {
			known := &r.rates[i]
			weight := r.decay(t - known.time)
			positives += weight * known.positives
			negatives += weight * (known.labels - known.positives)
		}
		logits[k] = float32(math.Log(positives / negatives))
	}
	return models.CheckScores(b, logits[:b.Len()])
}

// Learn counts labels.
func (r *labelRate) Learn(events datasets.Stream, labels []int8) error {
	for k, label := range labels {
		if label == datasets.Unlabelled {
			continue
		}
		key := r.keyOf(events, k)
		i, ok := r.position[key]
		if !ok {
			i = int32(len(r.rates))
			r.position[key] = i
			r.rates = append(r.rates, rate{key: key, time: events.Time[k]})
		}
		known := &r.rates[i]
		weight := r.decay(events.Time[k] - known.time)
		known.labels = weight*known.labels + 1
		known.positives = weight*known.positives + float64(label)
		known.time = max(known.time, events.Time[k])
		r.labels[label]++
	}
	return nil
}

// Train counts the labels of the batch: there is nothing to learn.
func (r *labelRate) Train(b datasets.Stream, _ []int32) (float64, error) {
	return 0, r.Learn(b, b.Label)
}

// Observe does nothing: an event without a label says nothing.
func (r *labelRate) Observe(datasets.Stream) error { return nil }

// Reset forgets all labels.
func (r *labelRate) Reset() {
	r.rates = r.rates[:0]
	clear(r.position)
	r.labels = [2]int64{}
}

func (r *labelRate) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, nil, r.fields())
}

func (r *labelRate) Restore(s models.Snapshot) error { return models.Put(s, nil, r.fields()) }

func (r *labelRate) NumParams() int { return 0 }

// fields are the tables in snapshots. A rate is five numbers: its two nodes, and
// the bits of its weights and of its time.
func (r *labelRate) fields() models.Fields {
	bits := func(x float64) int64 { return int64(math.Float64bits(x)) }
	return models.Fields{
		{
			Name: "rates", Shape: []int{len(r.rates), 5}, AnyRows: true,
			Ints: func() (rows []int64) {
				for _, x := range r.rates {
					rows = append(rows, x.key>>32, x.key&math.MaxUint32, bits(x.labels), bits(x.positives), bits(x.time))
				}
				return rows
			},
			Check: r.checkRates,
			Set: func(saved models.Tensor) {
				r.rates = r.rates[:0]
				clear(r.position)
				for row := range slices.Chunk(saved.I64, 5) {
					r.position[key(int32(row[0]), int32(row[1]))] = int32(len(r.rates))
					r.rates = append(r.rates, rateOf(row))
				}
			},
		},
		models.Integers("labels", r.labels[:], 0, aboveCounts-1),
	}
}

// rateOf returns the rate in a row of a snapshot.
func rateOf(row []int64) rate {
	number := func(bits int64) float64 { return math.Float64frombits(uint64(bits)) }
	return rate{key(int32(row[0]), int32(row[1])), number(row[2]), number(row[3]), number(row[4])}
}

// checkRates returns an error for rates that no stream has.
func (r *labelRate) checkRates(saved []models.Tensor) error {
	known := map[int64]bool{}
	for row := range slices.Chunk(saved[0].I64, 5) {
		if row[0] < 0 || row[0] >= r.nodes || row[1] < 0 || row[1] >= r.nodes {
			return fmt.Errorf("the snapshot has a rate of nodes %d and %d, the stream has %d nodes", row[0], row[1], r.nodes)
		}
		x := rateOf(row)
		if known[x.key] || !(x.positives >= 0 && x.positives <= x.labels && x.labels < aboveCounts && math.Abs(x.time) <= math.MaxFloat64) {
			return fmt.Errorf("the snapshot has the rate of nodes %d and %d twice, or as %v of %v labels at time %v; expected once, positive numbers, and a finite time",
				row[0], row[1], x.positives, x.labels, x.time)
		}
		known[x.key] = true
	}
	return nil
}
