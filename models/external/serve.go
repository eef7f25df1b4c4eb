package external

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/safetensors"
	"dgsbench/kernels"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Served is a kind of model of this program, with its options.
type Served struct {
	Name    string
	Kind    models.Kind
	Options models.Options
	Device  func(threads int) (kernels.Device, error) // as that of models.Setup
}

// Serve answers requests on in to one model of the kind, until in ends. Oracles, which
// need what only this program knows, and kinds whose rule the validation chooses
// cannot be served.
func Serve(in io.Reader, out io.Writer, of Served) error {
	if of.Kind.Class == protocol.Oracle || of.Kind.Choices != nil {
		return fmt.Errorf("%s cannot be served: the protocol does not have what it needs", of.Name)
	}
	s := &server{of: of, in: bufio.NewReaderSize(in, maxLine), out: writer{to: out}, lists: map[int][]int32{}}
	if err := s.out.write(s.greeting(), nil); err != nil {
		return err
	}
	for {
		r := request{build: &build{}}
		if err := readLine(s.in, &r); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := readPayload(s.in, &s.read, r.Bytes, math.MaxInt64); err != nil {
			return err
		}
		s.answer = answer{ID: r.ID, OK: true}
		s.payload.Reset()
		if err := s.handle(r); err != nil {
			text := err.Error()
			s.answer = answer{ID: r.ID, Error: &text}
			s.payload.Reset()
		}
		if err := s.reply(); err != nil {
			return err
		}
	}
}

// server is a model behind the protocol.
type server struct {
	of      Served
	in      *bufio.Reader
	out     writer
	lists   map[int][]int32
	setup   models.Setup
	model   models.Model
	answer  answer
	read    bytes.Buffer // the payload of the request
	payload bytes.Buffer // that of the answer
}

// greeting is what the kind declares.
func (s *server) greeting() Greeting {
	k := s.of.Kind
	return Greeting{
		Version: Version, Tasks: k.Tasks, Features: featureWords[k.Features], Class: k.Class,
		LogOdds: k.LogOdds, Deterministic: k.Deterministic, Training: true,
		Verbs: []string{verbTrain, verbClassify, verbRank, verbScore, verbObserve, verbLearn, verbReset, verbSnapshot, verbRestore},
	}
}

// reply writes the answer and its payload.
func (s *server) reply() error {
	s.answer.Bytes = int64(s.payload.Len())
	return s.out.write(s.answer, s.payload.Bytes())
}

// call measures a call of the model.
func (s *server) call(do func() error) error {
	begun := time.Now()
	err := do()
	seconds := time.Since(begun).Seconds()
	s.answer.Seconds = &seconds
	return err
}

// columnsOf are those that a verb's events have beside their own.
func (s *server) columnsOf(verb string) []column {
	switch {
	case verb == verbLearn || verb == verbTrain && s.setup.Task == protocol.NodeClassification:
		return []column{{"label", []int8(nil), 0}}
	case verb == verbTrain:
		return []column{{"negative", []int32(nil), 0}}
	}
	return nil
}

// events reads the events of a request, and the columns behind them.
func (s *server) events(features int, more ...column) (b datasets.Stream, err error) {
	columns := []column{{"event", []int32(nil), 0}, {"src", []int32(nil), 0}, {"dst", []int32(nil), 0}, {"t", []float64(nil), 0}}
	if features > 0 {
		columns = append(columns, column{"features", []float32(nil), features})
	}
	own := len(columns)
	columns = append(columns, more...)
	n, err := decode(s.read.Bytes(), columns)
	if err != nil {
		return b, err
	}
	copy(more, columns[own:])
	b = datasets.Stream{
		Src: columns[1].values.([]int32), Dst: columns[2].values.([]int32), Time: columns[3].values.([]float64),
		NumNodes: s.setup.NumNodes, Users: s.setup.Users,
	}
	b = b.Numbered(columns[0].values.([]int32))
	if features > 0 {
		b = b.WithFeatures(columns[4].values.([]float32), features)
	}
	for k := range n {
		if u, v := b.Src[k], b.Dst[k]; s.model != nil && (min(u, v) < 0 || int(max(u, v)) >= s.setup.NumNodes) {
			return b, fmt.Errorf("event %d is of nodes %d and %d, expected 0 to %d", b.EventID(k), u, v, s.setup.NumNodes-1)
		}
	}
	return b, nil
}

// handle answers a request: answer and payload are set, or there is an error.
func (s *server) handle(r request) error {
	if s.model == nil && r.Verb != verbTraining && r.Verb != verbBuild {
		return fmt.Errorf("%s before build", r.Verb)
	}
	switch r.Verb {
	case verbTraining:
		return s.training(r)
	case verbBuild:
		return s.build(r)
	case verbReset:
		return s.call(func() error { s.model.Reset(); return nil })
	case verbCandidates:
		nodes := []column{{"node", []int32(nil), 0}}
		if _, err := decode(s.read.Bytes(), nodes); err != nil {
			return err
		}
		s.lists[r.Candidates] = slices.Clone(nodes[0].values.([]int32))
		return nil
	case verbSnapshot:
		return s.snapshot(r.Part)
	case verbRestore:
		return s.restore(r.sizes)
	case verbRank, verbScore:
		return s.rank(r)
	}
	more := s.columnsOf(r.Verb)
	b, err := s.events(s.setup.NumFeat, more...)
	if err != nil {
		return err
	}
	switch r.Verb {
	case verbTrain:
		return s.train(b, more[0].values)
	case verbClassify:
		scores := make([]float32, b.Len())
		if err := s.call(func() error { return s.model.Classify(b, scores) }); err != nil {
			return err
		}
		return encode(&s.payload, b.Len(), column{"score", scores, 0})
	case verbObserve:
		return s.call(func() error { return s.model.Observe(b) })
	case verbLearn:
		b.Label = more[0].values.([]int8)
		return s.call(func() error { return models.Reveal(s.model, b) })
	}
	return fmt.Errorf("no verb %q", r.Verb)
}

// training keeps a piece of the training part, whose features are as many as it has.
func (s *server) training(r request) error {
	if s.model != nil || r.Features == nil || *r.Features < 0 {
		return errors.New("training after build, or without features")
	}
	b, err := s.events(*r.Features)
	if err != nil {
		return err
	}
	t := &s.setup.Train
	t.Src, t.Dst, t.Time = append(t.Src, b.Src...), append(t.Dst, b.Dst...), append(t.Time, b.Time...)
	t.Feat, t.NumFeat = append(t.Feat, b.Feat...), b.NumFeat
	return nil
}

// build builds the model.
func (s *server) build(r request) error {
	if s.model != nil || r.Features == nil || *r.Features < 0 {
		return errors.New("a second build, or one without features")
	}
	b := r.build
	if len(b.Options) > 0 && !bytes.Equal(b.Options, []byte("null")) {
		return errors.New("options.model: the options of a served model are those of its own spec; leave the key out")
	}
	task, train := protocol.Task(b.Task), s.setup.Train
	train.NumNodes, train.Users = b.Nodes, b.Users
	if !s.of.Kind.Supports(task) {
		return fmt.Errorf("task %q, expected one of %v", b.Task, s.of.Kind.Tasks)
	}
	s.setup = models.Setup{
		Task: task, NumNodes: b.Nodes, Users: b.Users, NumFeat: *r.Features, Columns: b.Columns, MaxBatch: b.MaxBatch, Events: b.Events,
		Seed: b.Seed, Threads: b.Threads, Device: s.of.Device,
	}
	building := s.setup
	building.Train = train
	err := s.call(func() (err error) {
		s.model, err = s.of.Kind.New(building, s.of.Options)
		return err
	})
	if err != nil {
		s.model = nil
		return err
	}
	params := int64(s.model.NumParams())
	s.answer.Parameters = &params
	if f, ok := s.model.(models.Factual); ok {
		state := int64(f.Facts().State)
		s.answer.State = &state
	}
	return nil
}

// train makes one step.
func (s *server) train(b datasets.Stream, more any) error {
	negatives, _ := more.([]int32)
	b.Label, _ = more.([]int8)
	var loss float64
	if err := s.call(func() (err error) { loss, err = s.model.Train(b, negatives); return err }); err != nil {
		return err
	}
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return fmt.Errorf("the loss is %v", loss)
	}
	s.answer.Loss = &loss
	return nil
}

// blockBytes is about how many bytes of scores a message has.
const blockBytes = 8 << 20

// rank answers rank and score.
func (s *server) rank(r request) error {
	candidates, known := s.lists[r.Candidates]
	if !known {
		return fmt.Errorf("no candidates have the number %d", r.Candidates)
	}
	var more []column
	if r.Without {
		more = []column{{"without", [][]int32(nil), 0}}
	}
	b, err := s.events(0, more...)
	if err != nil {
		return err
	}
	if r.Verb == verbScore {
		return s.score(b, candidates)
	}
	c, out := models.Candidates{Nodes: candidates}, models.Counts{Greater: make([]int32, b.Len()), Equal: make([]int32, b.Len())}
	if more != nil {
		c.Without = more[0].values.([][]int32)
	}
	if err := s.call(func() error { return s.model.Rank(b, c, out) }); err != nil {
		return err
	}
	return encode(&s.payload, b.Len(), column{"greater", out.Greater, 0}, column{"equal", out.Equal, 0})
}

// score sends all blocks but the last, which it leaves to be sent.
func (s *server) score(b datasets.Stream, candidates []int32) error {
	ask := func(nodes []int32) (scores []float32, err error) {
		scores = make([]float32, b.Len()*len(nodes))
		return scores, s.call(func() error { return s.model.Score(b, nodes, scores) })
	}
	block := func(first, columns int, scores []float32) error {
		s.answer.First, s.answer.Columns = &first, &columns
		return encode(&s.payload, b.Len(), column{"scores", scores, columns})
	}
	destinations, own := b.Destinations(), make([]float32, b.Len())
	scores, err := ask(destinations)
	if err != nil {
		return err
	}
	for k, v := range b.Dst {
		i, _ := slices.BinarySearch(destinations, v)
		own[k] = scores[k*len(destinations)+i]
	}
	if err := block(0, 1, own); err != nil {
		return err
	}
	first := 1
	for nodes := range slices.Chunk(candidates, max(1, blockBytes/4/max(1, b.Len()))) {
		if err := s.reply(); err != nil {
			return err
		}
		if scores, err = ask(nodes); err != nil {
			return err
		}
		if err := block(first, len(nodes), scores); err != nil {
			return err
		}
		first += len(nodes)
	}
	return nil
}

// snapshot sends parameters and state as two files in the safetensors format.
func (s *server) snapshot(part string) error {
	var all models.Snapshot
	what := models.Everything
	if part == parts[models.Parameters] {
		what = models.Parameters
	}
	_ = s.call(func() error { all = s.model.Snapshot(what); return nil })
	params, err := safetensors.Encode(all.Params, nil)
	if err != nil {
		return err
	}
	s.payload.Write(params)
	n := int64(len(params))
	s.answer.Parameters = &n
	if what == models.Parameters {
		return nil
	}
	state, err := safetensors.Encode(all.State, nil)
	if err != nil {
		return err
	}
	s.payload.Write(state)
	k := int64(len(state))
	s.answer.State = &k
	return nil
}

// restore reads what snapshot has sent.
func (s *server) restore(of sizes) error {
	data, all := s.read.Bytes(), models.Snapshot{}
	if of.Parameters == nil || *of.Parameters < 0 || *of.Parameters > int64(len(data)) {
		return errors.New("no snapshot")
	}
	var err, errState error
	all.Params, _, err = safetensors.Decode("parameters", data[:*of.Parameters])
	if of.State != nil {
		all.State, _, errState = safetensors.Decode("state", data[*of.Parameters:])
		all.State = append([]models.Tensor{}, all.State...) // not nil
	}
	if err := cmp.Or(err, errState); err != nil {
		return err
	}
	return s.call(func() error { return s.model.Restore(all) })
}
