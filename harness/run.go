package harness

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"dgsbench/datasets"
	"dgsbench/internal/optional"
	"dgsbench/kernels/devices"
	"dgsbench/metrics"
	"dgsbench/models"
	"dgsbench/nn"
	"dgsbench/protocol"
	"dgsbench/results/record"
	"dgsbench/specs"
)

// run is one trial in progress.
type run struct {
	spec      specs.Trial
	parts     datasets.Parts
	sets      []candidateSet // link prediction: the headline first
	samples   []candidateSet // of sets, the same in every epoch, that validation events are ranked against
	negatives *negatives     // link prediction
	blueprint *Blueprint
	model     models.Model
	tick      func() // called after every window
	told      int    // events of the whole stream whose labels the model has been given; the same after each validation

	epochs       []record.Epoch
	best         int // epoch whose parameters were tested, -1 for none
	trainSeconds float64
	facts        []partFacts

	keep bool          // the model
	kept *models.Saved // of before the test part
}

// partFacts are the raw facts of one evaluated part.
type partFacts struct {
	part  record.Part
	facts metrics.Facts
}

// newRun builds the model, from a setup that set may change. Only an oracle is given
// what a simulator knows.
func newRun(spec specs.Trial, parts datasets.Parts, on devices.Target, threads int, tick func(), set ...func(*models.Setup)) (*run, error) {
	if spec.Kind.Class != protocol.Oracle {
		parts = parts.WithoutTruth()
	}
	blueprint := TrialBlueprint(spec, parts, on, threads)
	parts, err := withKnownLabels(spec, parts)
	if err != nil {
		return nil, err
	}
	for _, change := range set {
		if change != nil {
			change(&blueprint.Setup)
		}
	}
	model, err := blueprint.Build()
	if err != nil {
		return nil, err
	}
	r := &run{spec: spec, parts: parts, blueprint: blueprint, model: model, tick: tick, best: -1}
	if spec.Task == protocol.LinkPrediction {
		rng := nn.Rand(spec.Seed, nn.ForValidation)
		for _, name := range spec.Protocol.Candidates {
			set := newCandidateSet(name, parts.Whole)
			r.sets, r.samples = append(r.sets, set), append(r.samples, set.sample(rng, spec.Protocol.ValNegatives))
		}
		if r.negatives, err = newNegatives(spec, parts); err != nil {
			blueprint.Close()
		}
	}
	return r, err
}

// epochsOf returns the number of epochs on events of that many features: 0 for what
// has nothing to learn, and one for each of the rules that the validation chooses
// from.
func epochsOf(spec specs.Trial, features int) int {
	switch {
	case spec.Kind.Choices != nil:
		return spec.Kind.Choices(features)
	case !spec.Kind.Trainable():
		return 0
	}
	return spec.Protocol.Epochs
}

// What a trial does with the windows of a part.
const (
	trainPhase   = iota
	observePhase // the training part, without learning from it
	validatePhase
	testPhase
)

// passes says what a trial does with a part of the stream, and how often.
type passes struct {
	phase int
	part  datasets.Stream
	batch int // events in a window
	times int
}

// windows returns how often tick is called.
func (p passes) windows() int { return p.times * numWindows(p.part, p.batch) }

// passesOf lists all that do, or train where there is no test part, does, if training
// is never stopped early.
func passesOf(spec specs.Trial, parts datasets.Parts) []passes {
	evaluations, epochs := spec.Protocol.Evaluations(), epochsOf(spec, parts.Whole.NumFeat)
	observed, validated := 0, epochs
	if evaluations[0].State == specs.Replay {
		observed = epochs
	}
	var tests []passes
	for i, e := range evaluations {
		if parts.Test.Len() == 0 {
			break
		}
		if validates(e, i, epochs) {
			observed, validated = observed+1, validated+1
		}
		tests = append(tests, passes{testPhase, parts.Test, e.Batch, 1})
	}
	return append([]passes{
		{trainPhase, parts.Train, spec.Protocol.Batch, epochs},
		{observePhase, parts.Train, spec.Protocol.Batch, observed},
		{validatePhase, parts.Val, evaluations[0].Batch, validated},
	}, tests...)
}

// validates reports whether evaluation i has a validation after the training: that of
// the selected epoch serves the first one, and what has learned nothing has one state.
func validates(e specs.Evaluation, i, epochs int) bool {
	return i > 0 && !e.Shared || i == 0 && epochs == 0
}

// do trains, and makes every evaluation: a test, and its validation if that is its own.
// The first one comes after those that share its state, so that the model ends with the
// state after it.
func (r *run) do(ctx context.Context) error {
	if err := r.train(ctx); err != nil {
		return err
	}
	evaluations := r.spec.Protocol.Evaluations()
	for i, e := range evaluations {
		if e.Shared {
			continue
		}
		if validates(e, i, len(r.epochs)) {
			if err := r.validate(ctx, specs.Replay, e); err != nil {
				return err
			}
		}
		if i == 0 {
			if err := r.testShared(ctx, evaluations[1:]); err != nil {
				return err
			}
			if r.keep {
				r.kept = models.Save(r.model, r.blueprint.Kind, r.blueprint.Setup, r.blueprint.Options, string(r.spec.JSON()))
				r.kept.Events = r.parts.Whole.Len() - r.parts.Test.Len()
				r.kept.Time = r.parts.Whole.Time[max(0, r.kept.Events-1)]
			}
		}
		if err := r.test(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// testShared makes the tests of those evaluations that start from the present state, and
// leaves the model in it.
func (r *run) testShared(ctx context.Context, evaluations []specs.Evaluation) error {
	shared := slices.DeleteFunc(slices.Clone(evaluations), func(e specs.Evaluation) bool { return !e.Shared })
	if len(shared) == 0 {
		return nil
	}
	state, told := r.model.Snapshot(models.Everything), r.told
	for _, e := range shared {
		if err := r.test(ctx, e); err != nil {
			return err
		}
		if err := r.model.Restore(state); err != nil {
			return err
		}
		r.told = told
	}
	return nil
}

func (r *run) test(ctx context.Context, e specs.Evaluation) error {
	return r.evaluate(ctx, e, protocol.Test, r.parts.Test, r.sets)
}

// train runs the epochs until patience is over. It leaves the model with the
// parameters of the selected epoch and, where there is a test, with the state
// after its validation, whose facts are kept.
func (r *run) train(ctx context.Context) error {
	p := r.spec.Protocol
	chooser, chooses := r.model.(models.Chooser)
	selects := p.Select == specs.SelectBest || chooses
	keepsBest := selects && r.parts.Test.Len() > 0
	first, by, best, bestValue := p.Evaluations()[0], p.SelectedBy(r.spec.Task), -1, 0.0
	var snapshot models.Snapshot // of the best epoch, with the facts of its validation
	var facts []partFacts
	for epoch := range epochsOf(r.spec, r.parts.Whole.NumFeat) {
		start := time.Now()
		r.model.Reset()
		if chooses {
			chooser.Choose(epoch)
		}
		loss, err := r.epoch(ctx)
		if err != nil {
			return fmt.Errorf("epoch %d: %w", epoch+1, err)
		}
		training := time.Since(start).Seconds()
		r.facts = nil
		value := 0.0
		if err = r.validate(ctx, first.State, first); err == nil {
			if value, err = by.Value(r.facts[0].facts); err != nil {
				err = fmt.Errorf("%s: %w", by.Name, err)
			}
		}
		if err != nil {
			return fmt.Errorf("validation after epoch %d: %w", epoch+1, err)
		}
		seconds := time.Since(start).Seconds()
		r.epochs = append(r.epochs, record.Epoch{
			Loss: optional.Number(loss), Validation: optional.Number(value),
			Seconds: seconds, Training: training, Degenerate: r.facts[0].facts.Degenerate(),
		})
		slog.Debug("trained", "model", r.spec.Ref(), "dataset", r.spec.Dataset, "task", r.spec.Task, "seed", r.spec.Seed, "epoch", epoch+1, "loss", loss, by.Name, value, "seconds", seconds)
		r.trainSeconds += seconds
		r.best = epoch
		if best < 0 || by.Better(value, bestValue) {
			best, bestValue = epoch, value
			if keepsBest {
				snapshot, facts = r.model.Snapshot(models.Everything), r.facts
			}
		}
		if p.Patience > 0 && epoch-best >= p.Patience && !chooses {
			break
		}
	}
	if len(r.epochs) == 0 || !selects {
		return nil
	}
	if r.best = best; !keepsBest {
		return nil
	}
	r.facts = facts
	return r.model.Restore(snapshot)
}

// epoch makes a chronological pass of training steps and returns their mean loss.
func (r *run) epoch(ctx context.Context) (float64, error) {
	sum, steps := 0.0, 0
	err := r.eachWindow(ctx, r.parts.Train, r.spec.Protocol.Batch, func(_ int, w datasets.Stream) error {
		losses, n, err := r.trainWindow(w)
		sum, steps = sum+losses, steps+n
		return err
	})
	r.told = knownAt(r.parts.Train, end(r.parts.Train), r.spec.Protocol)
	return sum / float64(steps), err
}

// trainWindow makes the training steps of a window, with one negative an event in
// link prediction. It returns the sum of their losses and their number.
func (r *run) trainWindow(w datasets.Stream) (losses float64, steps int, err error) {
	for _, b := range batches(w, r.spec.Protocol.WithinBatch) {
		var negatives []int32
		if r.negatives != nil {
			negatives = r.negatives.draw(b.Len())
		}
		loss, err := r.model.Train(b.Stream, negatives)
		if err != nil {
			return 0, 0, err
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return 0, 0, fmt.Errorf("training loss of events %d to %d is %v", b.EventID(0), b.EventID(b.Len()-1), loss)
		}
		if r.spec.Task == protocol.LinkPrediction || slices.ContainsFunc(b.Label, isLabel) {
			losses, steps = losses+loss, steps+1
		}
	}
	return losses, steps, nil
}

func isLabel(l int8) bool { return l != datasets.Unlabelled }

// validate evaluates the validation part, from the state that the rule makes.
func (r *run) validate(ctx context.Context, rule specs.StateRule, e specs.Evaluation) error {
	if rule == specs.Replay {
		r.model.Reset()
		r.told = 0
		if err := r.observe(ctx, r.parts.Train); err != nil {
			return err
		}
	}
	return r.evaluate(ctx, e, protocol.Validation, r.parts.Val, r.samples)
}

// evaluate collects the facts of a part of the stream, in link prediction
// against each of the sets: of all events, or in the inductive setting of those
// with a node that training has not seen.
func (r *run) evaluate(ctx context.Context, e specs.Evaluation, split protocol.Split, part datasets.Stream, sets []candidateSet) error {
	name := record.Part{Split: split, Evaluation: e.Name}
	if r.spec.Task == protocol.NodeClassification {
		f, err := r.classify(ctx, part, e.Batch)
		r.facts = append(r.facts, partFacts{name, f})
		return err
	}
	var without [][]int32
	if r.spec.Protocol.Filter == specs.FilterSameSrcT {
		without = sameSourceAndTime(part)
	}
	facts, err := r.rank(ctx, part, e.Batch, sets, without)
	for i, f := range facts {
		name.Candidates = sets[i].name
		if err := f.Check(); err != nil { // the store would reject them
			return fmt.Errorf("ranks of %s among %s: %w", split, name.Candidates, err)
		}
		r.facts = append(r.facts, partFacts{name, f})
	}
	return err
}
