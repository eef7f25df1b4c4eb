package memory

import (
	"sync/atomic"

	"dgsbench/datasets"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/models/nodelist"
	"dgsbench/nn"
	"dgsbench/protocol"
)

// Config is a model of this family.
type Config struct {
	Memory         Options
	Optimiser      Optimiser
	Classification Classification
	// Attention, unless it is nil, embeds nodes by those that they met last, too.
	Attention *AttentionOptions
	// Elapsed, unless it is nil, returns the scale of times for a projection of
	// embeddings by them. Fit is that of the kind, where Elapsed needs one.
	Elapsed func(models.Setup) (Elapsed, error)
	Fit     func(train datasets.Stream) models.Fitted
}

// width is the number of columns of an embedding.
func (c Config) width() int {
	if c.Attention != nil {
		return c.Attention.Size
	}
	return c.Memory.Size
}

// Register adds a family of models, whose Options have a method Config.
func Register(name string, defaults func() models.Options) {
	config := func(o models.Options) Config { return o.(interface{ Config() Config }).Config() }
	models.Register(models.Kind{
		Name: name, Class: protocol.Learned, Memory: true, Features: models.FeaturesOptional, LogOdds: true,
		Tasks:   []protocol.Task{protocol.NodeClassification, protocol.LinkPrediction},
		Options: defaults,
		Bytes:   func(s models.Setup, o models.Options) int64 { return config(o).bytes(s) },
		Fit: func(s models.Setup, o models.Options) models.Fitted {
			if fit := config(o).Fit; fit != nil {
				return fit(s.Train)
			}
			return nil
		},
		New: func(s models.Setup, o models.Options) (models.Model, error) { return Build(s, config(o)) },
	})
}

// Build makes the model that the task needs.
func Build(s models.Setup, c Config) (models.Model, error) {
	if s.Fitted == nil && c.Fit != nil {
		s.Fitted = c.Fit(s.Train)
	}
	if c.Elapsed != nil {
		if _, err := c.Elapsed(s); err != nil {
			return nil, err
		}
	}
	d, err := s.NewDevice()
	if err != nil {
		return nil, err
	}
	if s.Task == protocol.NodeClassification {
		return newClassifier(d, s, c), nil
	}
	return newModel(d, s, c), nil
}

// base is what models of both tasks consist of.
type base struct {
	models.Offline
	setup     models.Setup
	device    kernels.Device
	core      *Core
	embedding *embedding
	x         kernels.Buffer // features of the batch, a row an event
	// badFeature says that a program for inference has found a feature that
	// cannot be fed. perEvent alone leaves features to the programs.
	badFeature atomic.Bool

	// Where messages wait, as PyTorch Geometric has them; else messages is nil.
	messages *messages
	updater  *updater
	own      *nodelist.List // nodes of a batch
}

func newBase(d kernels.Device, s models.Setup, c Config) *base {
	halves := 1
	if c.perEvent(s.Task) {
		halves = 2
	}
	m := &base{device: d, core: newCore(nn.NewNetwork(d, s.Seed), c.Memory, s, halves)}
	m.embedding = newEmbedding(m.core, c, s)
	m.x = d.NewBuffer(s.MaxBatch * m.core.width)
	if halves == 1 {
		m.messages, m.own = newMessages(d, s), nodelist.New(s.NumNodes)
		m.updater = newUpdater(m.core, m.messages, s)
	}
	s.Train = datasets.Stream{} // not to be kept
	m.setup = s
	return m
}

// perEvent reports whether every occurrence of a node has a memory of its own,
// from after its event.
func (c Config) perEvent(task protocol.Task) bool {
	return task == protocol.NodeClassification && c.Classification.NCMemory == PerEvent
}

// upload writes the batch's features to the device and returns an error for
// bad ones, and bad times.
func (m *base) upload(b datasets.Stream) error {
	if err := models.CheckFeatures(b); err != nil {
		return err
	}
	m.device.Write(m.x, b.Feat)
	return models.CheckClock(b)
}

// inferenceError returns an error for what the last program for inference has
// found.
func (m *base) inferenceError(b datasets.Stream) error {
	if m.badFeature.Load() {
		return models.BadFeature(b)
	}
	return nil
}

func (m *base) nodesOf(b datasets.Stream) []int32 {
	m.own.Reset()
	m.own.Add(b.Src...)
	m.own.Add(b.Dst...)
	return m.own.Nodes
}

// store makes the batch's events the messages of their nodes.
func (m *base) store(b datasets.Stream) {
	m.messages.store(b)
	m.messages.storeFeatures(m.x)
}

// advance stores the batch's messages and applies them at once, as evaluation
// does. Where told to, it inserts the events as neighbours, too. What it writes
// goes to the device before anything else happens there.
func (m *base) advance(b datasets.Stream, neighbours bool) {
	m.messages.store(b)
	m.updater.setNodes(m.nodesOf(b))
	if neighbours {
		m.embedding.insert(b, m.x)
	}
	m.messages.storeFeatures(m.x)
	m.updater.run()
}

// flush switches to evaluation: messages are applied to all nodes, the others
// pass the cell with zeros, and no message is left. It reports whether there
// was anything to do.
func (m *base) flush() bool {
	if m.messages.evaluated {
		return false
	}
	all := make([]int32, m.setup.NumNodes) // not upTo, which keeps its list
	for n := range all {
		all[n] = int32(n)
	}
	m.updater.applyAll(all)
	m.messages.reset()
	m.messages.evaluated, m.messages.blank = true, false
	return true
}

// Reset clears all memories, messages and neighbours.
func (m *base) Reset() {
	m.core.reset()
	m.embedding.reset()
	if m.messages != nil {
		m.messages.reset()
	}
}

// Forget makes the memories of the nodes zero. Waiting messages and neighbours refer
// to nodes.
func (m *base) Forget(nodes []int32) error {
	if m.messages != nil || m.embedding.attention != nil {
		return models.ErrRemembered
	}
	m.core.forget(nodes)
	return nil
}

func (m *base) NumParams() int { return m.core.Net.NumParams() }

// Facts leave out what is kept beside the memory: times, messages and
// neighbours.
func (m *base) Facts() models.Facts {
	return models.Facts{Parameters: m.core.Net.Parts(), State: m.core.opts.Size}
}

// Snapshot copies the parameters and, where asked, memories, waiting
// messages and what the embedding knows of events.
func (m *base) Snapshot(what models.Part) models.Snapshot {
	return models.Take(what, m.params(), m.fields())
}

func (m *base) Restore(s models.Snapshot) error { return models.Put(s, m.params(), m.fields()) }

// params are bounded, so that all memories are finite.
func (m *base) params() models.Fields {
	params := models.ParamsOf(m.core.Net)
	for i := range params {
		params[i].Check = models.Within
	}
	return params
}

func (m *base) fields() models.Fields {
	fields := m.core.fields()
	if m.messages != nil {
		fields = append(fields, m.messages.fields()...)
	}
	return append(fields, m.embedding.fields()...)
}
