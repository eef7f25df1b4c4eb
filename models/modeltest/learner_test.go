package modeltest

import (
	"fmt"
	"math"

	"dgsbench/datasets"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// learner is a small model that keeps every promise, unless a plant is named
// (plants_test.go). A node's state is a running mean of its events' first
// features; w is learnt in Train, and Learn keeps how often each source had
// which label.
type learner struct {
	setup  models.Setup
	plant  string
	w      []float32 // one
	state  []float32 // of a node
	labels []float32 // of a node: its labels, 1 or -1, decayed
	hidden float32   // what only plants have
	kept   datasets.Stream
	given  []float32       // logits of the last batch
	known  map[int]float32 // answers by the numbers of events
}

// options of a learner say what is planted.
type options struct{ plant string }

func (*options) Validate() error { return nil }

func learnerKind(name string) models.Kind {
	return models.Kind{
		Name: name, Class: protocol.Learned, Memory: true, Features: models.FeaturesRequired,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: func() models.Options { return &options{} },
		New: func(s models.Setup, o models.Options) (models.Model, error) {
			m := &learner{
				setup: s, plant: o.(*options).plant, w: []float32{1 + float32(s.Seed)/8},
				state: make([]float32, s.NumNodes), labels: make([]float32, s.NumNodes),
			}
			if m.plant == "keeps the setup" {
				m.kept = s.Train
			}
			m.setup.Train = datasets.Stream{}
			return m, nil
		},
	}
}

// after is a node's state with event k folded in.
func (m *learner) after(node int32, b datasets.Stream, k int) float32 {
	x := b.Features(k)[0]
	if m.plant == "keeps the setup" {
		if next := b.EventID(k) + 1; next < m.kept.Len() {
			x += m.kept.Features(next)[0]
		}
	}
	return .75*m.state[node] + .25*x
}

func (m *learner) fold(b datasets.Stream) {
	next := map[int32]float32{}
	for k := range b.Len() {
		for _, n := range []int32{b.Src[k], b.Dst[k]} {
			next[n] = m.after(n, b, k)
		}
	}
	for n, x := range next {
		m.state[n] = x
	}
}

// check refuses what the states would not survive.
func (m *learner) check(b datasets.Stream) error {
	if m.plant == "folds in what is not finite" {
		return nil
	}
	return models.CheckFeatures(b)
}

func (m *learner) logit(b datasets.Stream, k int) float32 {
	return m.w[0]*m.after(b.Src[k], b, k) + m.labels[b.Src[k]] + m.hidden
}

func (m *learner) Classify(b datasets.Stream, logits []float32) error {
	if m.setup.Task != protocol.NodeClassification {
		return models.ErrTask
	}
	if err := m.check(b); err != nil {
		return err
	}
	if m.plant == "looks ahead in Classify" {
		m.fold(b)
	}
	for k := range b.Len() {
		logits[k] = m.logit(b, k)
		if m.plant == "reads labels in Classify" && b.Label != nil {
			logits[k] += float32(b.Label[k])
		}
		switch m.plant {
		case "needs labels in Classify":
			logits[k] += float32(b.Label[k])
		case "knows events by their numbers":
			logits[k] += float32(b.EventID(k))
		case "remembers answers":
			if answer, ok := m.known[b.EventID(k)]; ok {
				logits[k] = answer
			} else if m.known == nil {
				m.known = map[int]float32{}
			}
			m.known[b.EventID(k)] = logits[k]
		}
	}
	m.given = logits
	if m.plant == "writes to features" {
		b.Feat[0]++
	}
	m.fold(b)
	return nil
}

func (m *learner) ClassifyAhead(part datasets.Stream, size int, logits []float32) error {
	if err := m.check(part); err != nil {
		return err
	}
	for lo := 0; lo < part.Len(); lo += size {
		hi := min(lo+size, part.Len())
		if m.plant == "looks ahead in ClassifyAhead" && hi < part.Len() {
			m.state[part.Src[lo]] += part.Features(hi)[0]
		}
		if err := m.Classify(part.Slice(lo, hi), logits[lo:hi]); err != nil {
			return err
		}
		if m.plant == "reads labels in ClassifyAhead" && part.Label != nil {
			logits[lo] = float32(part.Label[lo])
		}
	}
	return nil
}

func (m *learner) Observe(b datasets.Stream) error {
	if err := m.check(b); err != nil {
		return err
	}
	m.fold(b)
	if m.plant == "reads labels in Observe" {
		for k, label := range b.Label {
			m.labels[b.Src[k]] += float32(label)
		}
	}
	return nil
}

func (m *learner) score(src, dst int32) float32 {
	return m.w[0]*m.state[src]*m.state[dst] + m.state[dst] + m.hidden*float32(dst)
}

func (m *learner) Score(b datasets.Stream, candidates []int32, logits []float32) error {
	if m.setup.Task != protocol.LinkPrediction {
		return models.ErrTask
	}
	bend := float32(0)
	switch {
	case m.plant == "reads labels in Score" && b.Label != nil, m.plant == "reads labels in Rank" && b.Label != nil:
		bend = float32(b.Label[0])
	case m.plant == "changes the state in Score":
		m.state[b.Src[0]]++
	case m.plant == "changes what no snapshot has in Rank":
		m.hidden++
	case m.plant == "keeps parts of old parameters" && m.hidden == 0:
		m.hidden = m.w[0]
	}
	for k := range b.Len() {
		for i, v := range candidates {
			z := m.score(b.Src[k], v) + bend*float32(v)
			switch {
			case m.plant == "looks ahead in Score" && v == b.Dst[b.Len()-1], m.plant == "looks up its destination in Score" && v == b.Dst[k]:
				z++
			case m.plant == "knows events by their numbers":
				z += float32((b.EventID(k) + 3*int(v)) % 7)
			}
			logits[k*len(candidates)+i] = z
		}
	}
	return nil
}

// Rank counts by Score.
func (m *learner) Rank(b datasets.Stream, c models.Candidates, out models.Counts) error {
	all := everyone(datasets.Stream{NumNodes: m.setup.NumNodes})
	if m.plant == "reads labels in Score" {
		b = b.WithoutLabels()
	}
	scores := make([]float32, b.Len()*len(all))
	if err := m.Score(b, all, scores); err != nil {
		return err
	}
	for k := range b.Len() {
		var without []int32
		if c.Without != nil {
			without = c.Without[k]
		}
		out.Greater[k], out.Equal[k] = count(scores[k*len(all):][:len(all)], b.Dst[k], c.Nodes, without)
	}
	switch m.plant {
	case "changes the state in Rank":
		m.state[b.Dst[0]]++
	case "writes to candidates":
		c.Nodes[0] = c.Nodes[1]
	case "writes to features":
		b.Feat[0]++
	}
	return nil
}

// Train makes a step of w.
func (m *learner) Train(b datasets.Stream, negatives []int32) (float64, error) {
	if err := m.check(b); err != nil {
		return 0, err
	}
	if m.plant == "trains on a state with the batch folded in" {
		m.fold(b)
	}
	before, gradient := m.loss(b, negatives)
	m.w[0] -= .1 * gradient
	if m.plant == "gives the loss of after the step" {
		before, _ = m.loss(b, negatives)
	}
	if m.plant != "trains on a state with the batch folded in" {
		m.fold(b)
	}
	if m.plant == "writes to negatives" && negatives != nil {
		negatives[0]++
	}
	if math.IsNaN(before) {
		return 0, models.BadState(b)
	}
	return before, nil
}

// loss is the mean cross-entropy with its derivative by w.
func (m *learner) loss(b datasets.Stream, negatives []int32) (loss float64, gradient float32) {
	terms := 0
	add := func(z, by float32, y float64) {
		terms++
		loss += math.Log1p(math.Exp(float64(z))) - y*float64(z)
		gradient += by * float32(1/(1+math.Exp(-float64(z)))-y)
	}
	for k := range b.Len() {
		if m.setup.Task == protocol.LinkPrediction {
			for i, v := range []int32{b.Dst[k], negatives[k]} {
				add(m.score(b.Src[k], v), m.state[b.Src[k]]*m.state[v], float64(1-i))
			}
			continue
		}
		if b.Label[k] == datasets.Unlabelled {
			continue
		}
		z := m.logit(b, k)
		if m.plant == "trains on the labels of its batch" {
			z += float32(b.Label[0]) * float32(b.Label[min(1, b.Len()-1)])
		}
		if m.plant == "looks ahead in Train" {
			z += b.Features(b.Len() - 1)[0]
		}
		add(z, m.after(b.Src[k], b, k), float64(b.Label[k]))
	}
	n := max(1, terms)
	return loss / float64(n), gradient / float32(n)
}

func (m *learner) Learn(events datasets.Stream, labels []int8) error {
	if m.plant == "waits for the labels of a batch" && len(labels) > m.setup.MaxBatch {
		return fmt.Errorf("%d labels for a batch of %d", len(labels), m.setup.MaxBatch)
	}
	for k, u := range events.Src {
		m.labels[u] = .5*m.labels[u] + float32(labels[k]) - .5
		if m.plant == "keeps what it learns beyond Reset" {
			m.hidden += float32(labels[k]) - .5
		}
		switch m.plant {
		case "writes to labels":
			labels[k] = 1
		case "answers when the labels are known":
			if k < len(m.given) {
				m.given[k] = float32(labels[k])
			}
		}
	}
	return nil
}

func (m *learner) Reset() {
	clear(m.state)
	if m.plant != "forgets to reset its labels" {
		clear(m.labels)
	}
}

func (m *learner) fields() (params, state models.Fields) {
	params, state = models.Fields{models.Floats("w", m.w)}, models.Fields{models.Floats("state", m.state)}
	if m.plant != "leaves its labels out of snapshots" {
		state = append(state, models.Floats("labels", m.labels))
	}
	return params, state
}

func (m *learner) Snapshot(what models.Part) models.Snapshot {
	params, state := m.fields()
	return models.Take(what, params, state)
}

func (m *learner) Restore(s models.Snapshot) error {
	params, state := m.fields()
	m.hidden = 0
	return models.Put(s, params, state)
}

func (m *learner) NumParams() int { return 1 }

func (m *learner) Facts() models.Facts {
	return models.Facts{Parameters: []nn.PartSize{{Part: "w", Params: 1}}, State: 2}
}

var _ models.Ahead = (*learner)(nil)
