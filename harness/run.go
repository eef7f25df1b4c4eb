package harness

import (
	"context"
	"fmt"
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
}

// partFacts are the raw facts of one evaluated part.
type partFacts struct {
	part  record.Part
	facts metrics.Facts
}

// newRun builds the model. Only an oracle is given what a simulator knows.
func newRun(spec specs.Trial, parts datasets.Parts, on devices.Target, threads int, tick func()) (*run, error) {
	if spec.Kind.Class != protocol.Oracle {
		parts = parts.WithoutTruth()
	}
	blueprint := TrialBlueprint(spec, parts, on, threads)
	parts, err := withKnownLabels(spec, parts)
	if err != nil {
		return nil, err
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
		r.negatives, err = newNegatives(spec, parts)
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
	numPhases
)

// trialWindows returns how often do, or train where there is no test part, calls
// tick in each phase if training is never stopped early.
func trialWindows(spec specs.Trial, parts datasets.Parts) (n [numPhases]int) {
	rules, epochs := spec.Protocol.TestState, epochsOf(spec, parts.Whole.NumFeat)
	passes := [numPhases]int{trainPhase: epochs, validatePhase: epochs}
	if rules[0] == specs.Replay {
		passes[observePhase] = epochs
	}
	if parts.Test.Len() > 0 {
		replays := len(rules) - 1
		if epochs == 0 {
			replays++
		}
		passes[observePhase], passes[validatePhase], passes[testPhase] = passes[observePhase]+replays, passes[validatePhase]+replays, len(rules)
	}
	for i, part := range [numPhases]datasets.Stream{parts.Train, parts.Train, parts.Val, parts.Test} {
		n[i] = passes[i] * numWindows(part, spec.Protocol.Batch)
	}
	return n
}

// do trains, and makes every evaluation: a validation and the test after it.
func (r *run) do(ctx context.Context) error {
	if err := r.train(ctx); err != nil {
		return err
	}
	for i := range r.spec.Protocol.TestState {
		name := r.spec.Protocol.Evaluation(i)
		if i > 0 || len(r.epochs) == 0 { // what has learned nothing has one state
			if err := r.validate(ctx, specs.Replay, name); err != nil {
				return err
			}
		}
		if err := r.evaluate(ctx, record.Part{Split: protocol.Test, Evaluation: name}, r.parts.Test, r.sets); err != nil {
			return err
		}
	}
	return nil
}

// train runs the epochs until patience is over. It leaves the model with the
// parameters of the selected epoch and, where there is a test, with the state
// after its validation, whose facts are kept.
func (r *run) train(ctx context.Context) error {
	p := r.spec.Protocol
	chooser, chooses := r.model.(models.Chooser)
	selects := p.Select == specs.SelectBest || chooses
	keepsBest := selects && r.parts.Test.Len() > 0
	by, best, bestValue := p.SelectedBy(r.spec.Task), -1, 0.0
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
		r.facts = nil
		value := 0.0
		if err = r.validate(ctx, p.TestState[0], ""); err == nil {
			if value, err = by.Value(r.facts[0].facts); err != nil {
				err = fmt.Errorf("%s: %w", by.Name, err)
			}
		}
		if err != nil {
			return fmt.Errorf("validation after epoch %d: %w", epoch+1, err)
		}
		seconds := time.Since(start).Seconds()
		r.epochs = append(r.epochs, record.Epoch{
			Loss: optional.Number(loss), Validation: optional.Number(value), Seconds: seconds, Degenerate: r.facts[0].facts.Degenerate(),
		})
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
	err := r.eachWindow(ctx, r.parts.Train, func(_ int, w datasets.Stream) error {
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
		if r.spec.Task == protocol.LinkPrediction || slices.ContainsFunc(b.Label, func(l int8) bool { return l != datasets.Unlabelled }) {
			losses, steps = losses+loss, steps+1
		}
	}
	return losses, steps, nil
}

// validate evaluates the validation part, from the state that the rule makes.
func (r *run) validate(ctx context.Context, rule specs.StateRule, evaluation string) error {
	if rule == specs.Replay {
		r.model.Reset()
		r.told = 0
		if err := r.observe(ctx, r.parts.Train); err != nil {
			return err
		}
	}
	return r.evaluate(ctx, record.Part{Split: protocol.Validation, Evaluation: evaluation}, r.parts.Val, r.samples)
}

// evaluate collects the facts of a part of the stream, in link prediction
// against each of the sets: of all events, or in the inductive setting of those
// with a node that training has not seen.
func (r *run) evaluate(ctx context.Context, name record.Part, part datasets.Stream, sets []candidateSet) error {
	if r.spec.Task == protocol.NodeClassification {
		f, err := r.classify(ctx, part)
		r.facts = append(r.facts, partFacts{name, f})
		return err
	}
	var without [][]int32
	if r.spec.Protocol.Filter == specs.FilterSameSrcT {
		without = sameSourceAndTime(part)
	}
	facts, err := r.rank(ctx, part, sets, without)
	for i, f := range facts {
		name.Candidates = sets[i].name
		if err := f.Check(); err != nil { // the store would reject them
			return fmt.Errorf("ranks of %s among %s: %w", name.Split, name.Candidates, err)
		}
		r.facts = append(r.facts, partFacts{name, f})
	}
	return err
}
