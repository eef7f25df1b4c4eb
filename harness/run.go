package harness

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/optional"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// run is one trial in progress.
type run struct {
	spec      specs.Trial
	parts     datasets.Parts
	sets      []candidateSet // link prediction: the headline first
	model     models.Model
	devices   *Devices // of the model
	eval      evaluator
	negatives *rand.Rand
	scratch   []int32 // negatives of one batch

	epochs       []record.Epoch
	best         int // epoch whose parameters were tested, -1 for none
	trainSeconds float64
	facts        []partFacts
}

// partFacts are the raw facts of one evaluated part.
type partFacts struct {
	part  record.Part
	facts metrics.Facts
}

// newRun builds the model. The last argument is called after every window.
func newRun(spec specs.Trial, parts datasets.Parts, on devices.Target, threads int, tick func()) (*run, error) {
	kind, err := kindOf(spec)
	if err != nil {
		return nil, err
	}
	if kind.Class != models.Oracle {
		parts = parts.WithoutTruth()
	}
	setup := setupOf(spec, parts, threads)
	made := NewDevices(on)
	setup.Device = made.Open
	model, err := kind.New(setup, spec.Options)
	if err != nil {
		return nil, err
	}
	r := &run{
		spec: spec, parts: parts, model: model, devices: made, best: -1,
		eval:      evaluator{model: model, task: spec.Task, size: spec.Protocol.Batch, rule: spec.Protocol.WithinBatch, tick: tick},
		negatives: nn.Rand(spec.Seed, nn.ForNegatives),
		scratch:   make([]int32, spec.Protocol.Batch),
	}
	if spec.Task == models.LinkPrediction {
		for _, name := range spec.Protocol.Candidates {
			r.sets = append(r.sets, newCandidateSet(name, parts.Whole))
		}
	}
	return r, nil
}

// setupOf is what the trial's model is built from: no batch is longer than the
// stream.
func setupOf(spec specs.Trial, parts datasets.Parts, threads int) models.Setup {
	return models.Setup{
		Task: spec.Task, NumNodes: parts.Whole.NumNodes, Users: parts.Whole.Users, NumFeat: parts.Whole.NumFeat,
		MaxBatch: min(spec.Protocol.Batch, max(1, parts.Whole.Len())), Events: parts.Whole.Len(), Train: parts.Train.WithoutLabels(), Seed: spec.Seed, Threads: threads,
	}
}

// numBatches is how often do ticks if training is never stopped early.
func numBatches(spec specs.Trial, p datasets.Parts) int {
	size := spec.Protocol.Batch
	train, val, test := numWindows(p.Train, size), numWindows(p.Val, size), numWindows(p.Test, size)
	epoch := train + val
	if spec.Protocol.ValidationState == specs.Replay {
		epoch += train
	}
	return epochsOf(spec)*epoch + train + val + test
}

// epochsOf is 0 for what has nothing to learn.
func epochsOf(spec specs.Trial) int {
	if spec.Class != models.Learned {
		return 0
	}
	return spec.Protocol.Epochs
}

// do trains, selects and tests.
func (r *run) do(ctx context.Context) error {
	if err := r.train(ctx); err != nil {
		return err
	}
	if r.carries() {
		return r.evaluate(ctx, record.Test)
	}
	r.model.Reset()
	if err := r.eval.observe(ctx, r.parts.Train); err != nil {
		return err
	}
	r.facts = nil
	if err := r.evaluate(ctx, record.Validation); err != nil {
		return err
	}
	return r.evaluate(ctx, record.Test)
}

// carries reports whether the test goes on from the last epoch's
// validation.
func (r *run) carries() bool {
	return r.spec.Protocol.TestState == specs.Carry && epochsOf(r.spec) > 0
}

// train runs the epochs and leaves the model with the chosen parameters.
func (r *run) train(ctx context.Context) error {
	p := r.spec.Protocol
	stop := newStopping(p.Patience)
	var best models.Snapshot
	for epoch := range epochsOf(r.spec) {
		start := time.Now()
		r.model.Reset()
		loss, err := r.epoch(ctx)
		if err != nil {
			return fmt.Errorf("epoch %d: %w", epoch+1, err)
		}
		value, err := r.validate(ctx)
		if err != nil {
			return fmt.Errorf("validation after epoch %d: %w", epoch+1, err)
		}
		seconds := time.Since(start).Seconds()
		r.epochs = append(r.epochs, record.Epoch{
			Loss: optional.Number(loss), Validation: optional.Number(value), Seconds: seconds, Degenerate: r.facts[0].facts.Degenerate(),
		})
		r.trainSeconds += seconds
		r.best = epoch
		if stop.see(epoch, value) && p.Select == specs.SelectBest {
			best = r.model.Snapshot(models.Parameters)
		}
		if stop.done(epoch) {
			break
		}
	}
	if len(r.epochs) == 0 || p.Select == specs.SelectLast {
		return nil
	}
	r.best = stop.epoch
	return r.model.Restore(best)
}

// epoch makes one chronological pass of training steps, one a batch, and
// gives their mean loss.
func (r *run) epoch(ctx context.Context) (float64, error) {
	sum, steps := 0.0, 0
	for w := range windows(r.parts.Train, r.spec.Protocol.Batch) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		losses, n, err := r.trainWindow(w)
		if err != nil {
			return 0, err
		}
		sum, steps = sum+losses, steps+n
		r.eval.tick()
	}
	return sum / float64(steps), nil
}

// trainWindow makes the steps of a window and gives the sum of their losses.
func (r *run) trainWindow(w datasets.Stream) (losses float64, steps int, err error) {
	for _, b := range batches(w, r.spec.Protocol.WithinBatch) {
		loss, err := r.step(b.Stream)
		if err != nil {
			return 0, 0, err
		}
		losses, steps = losses+loss, steps+1
	}
	return losses, steps, nil
}

// step trains on a batch, with one negative an event in link prediction.
func (r *run) step(b datasets.Stream) (loss float64, err error) {
	var negatives []int32
	if len(r.sets) > 0 {
		negatives = r.scratch[:b.Len()]
		r.sets[0].draw(r.negatives, negatives)
	}
	loss, err = r.model.Train(b, negatives)
	if err == nil && (math.IsNaN(loss) || math.IsInf(loss, 0)) {
		err = fmt.Errorf("training loss of events %d to %d is %v", b.EventID(0), b.EventID(b.Len()-1), loss)
	}
	return loss, err
}

// validate returns the headline metric on the validation part. Where the
// test carries on from it, its facts are the final ones.
func (r *run) validate(ctx context.Context) (float64, error) {
	if r.spec.Protocol.ValidationState == specs.Replay {
		r.model.Reset()
		if err := r.eval.observe(ctx, r.parts.Train); err != nil {
			return 0, err
		}
	}
	r.facts = nil
	if err := r.evaluateOn(ctx, record.Validation, r.parts.Val, r.validationSets()); err != nil {
		return 0, err
	}
	return r.headline(r.facts[0].facts)
}

// validationSets are what validation events are ranked against: the headline
// set or a sample of it, the same in every epoch, so that epochs can be
// compared; all sets where their facts are the final ones.
func (r *run) validationSets() []candidateSet {
	if r.carries() || len(r.sets) == 0 {
		return r.sets
	}
	rng := nn.Rand(r.spec.Seed, nn.ForValidation)
	return []candidateSet{r.sets[0].sample(rng, r.spec.Protocol.ValNegatives)}
}

// headline is the metric that early stopping and selection go by.
func (r *run) headline(f metrics.Facts) (float64, error) {
	m := metrics.Of(string(r.spec.Task))[0]
	value, err := m.Value(f)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", m.Name, err)
	}
	return value, nil
}

// evaluate judges a part with everything that is reported.
func (r *run) evaluate(ctx context.Context, split string) error {
	part := r.parts.Test
	if split == record.Validation {
		part = r.parts.Val
	}
	return r.evaluateOn(ctx, split, part, r.sets)
}

func (r *run) evaluateOn(ctx context.Context, split string, part datasets.Stream, sets []candidateSet) error {
	if r.spec.Task == models.NodeClassification {
		f, err := r.eval.classify(ctx, part)
		r.facts = append(r.facts, partFacts{record.Part{Split: split}, f})
		return err
	}
	facts, err := r.eval.rank(ctx, part, r.questions(part, sets))
	for i, f := range facts {
		if err := f.Check(); err != nil { // the store would refuse them
			return fmt.Errorf("ranks of %s among %s: %w", split, sets[i].name, err)
		}
		r.facts = append(r.facts, partFacts{record.Part{Split: split, Candidates: string(sets[i].name)}, f})
	}
	return err
}

// questions asks about all events, or in the inductive setting about those
// with a node that training has not seen.
func (r *run) questions(part datasets.Stream, sets []candidateSet) questions {
	q := questions{sets: sets}
	if r.parts.NewNode != nil {
		q.asked = make([]bool, part.Len())
		for k := range q.asked {
			q.asked[k] = r.parts.Scored(part.Src[k], part.Dst[k])
		}
	}
	if r.spec.Protocol.Filter == specs.FilterSameSrcT {
		q.without = sameSourceAndTime(part)
	}
	return q
}
