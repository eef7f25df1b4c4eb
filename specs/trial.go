package specs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"dgsbench/internal/lists"
	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/models"
	"dgsbench/protocol"
)

// DeployedVariant names the deployed form of a variant.
func DeployedVariant(variant string) string { return strings.TrimPrefix(variant+"-deployed", "-") }

// Trial is one thing to measure: everything about it is resolved.
type Trial struct {
	Suite   string
	About   string // the suite's title
	Dataset string
	Task    protocol.Task
	Setting protocol.Setting
	// Case names the protocol where a suite has the same model at the same
	// place under several: "batch-10", "latency"; else it is empty.
	Case     string
	ModelID  string
	Variant  string // "" for none
	Kind     models.Kind
	Title    string                // as tables print the model
	Deployed bool                  // measures the model that Deploy returns, which Variant says too
	Options  models.Options        // shared by the seeds of a cell; read-only
	Velocity bool                  // the model is given datasets.Velocity, too
	Origins  map[string]Provenance // by dotted path of the option
	Protocol Protocol
	// Alternatives are the datasets of its run, of which those that are missing may be
	// left out; empty where all are expected. It is no part of the identity.
	Alternatives []string
	// KeepsModel is set for a scored trial if a live test of the same model, data, seed and
	// protocol, which tests the best epoch, begins with its model. It is no part of the
	// identity.
	KeepsModel bool
	Seed       uint64 // all that the trial's random streams derive from
}

// Ref names model and variant, as in "edgebank+tw".
func (t Trial) Ref() string { return JoinRef(t.ModelID, t.Variant) }

// IsLatency reports whether it is a latency test, which trains and scores nothing.
func (t Trial) IsLatency() bool { return t.Protocol.Latency != nil }

// IsLive reports whether it is a live test, which trains and answers events as they come.
func (t Trial) IsLive() bool { return t.Protocol.Live != nil }

// IsTimed reports whether it is a latency or a live test, which needs an idle machine.
func (t Trial) IsTimed() bool { return t.IsLatency() || t.IsLive() }

// Evaluations name what is evaluated of the trial; the first has no name where it is
// not one of several sizes of batches. What a live test evaluates depends on its
// times.
func (t Trial) Evaluations() []string {
	if t.IsTimed() {
		return []string{""}
	}
	return lists.Map(t.Protocol.Evaluations(), func(e Evaluation) string { return e.Name })
}

// Scored returns the trials that are no latency or live tests.
func Scored(all []Trial) []Trial {
	return slices.DeleteFunc(slices.Clone(all), Trial.IsTimed)
}

// WithoutMissing returns the trials without those of a missing dataset of whose
// alternatives another one is not.
func WithoutMissing(all []Trial, missing func(dataset string) bool) []Trial {
	return slices.DeleteFunc(slices.Clone(all), func(t Trial) bool {
		return slices.ContainsFunc(t.Alternatives, func(dataset string) bool { return !missing(dataset) }) && missing(t.Dataset)
	})
}

// LatencyTests returns the latency tests among the trials.
func LatencyTests(all []Trial) []Trial {
	return slices.DeleteFunc(slices.Clone(all), func(t Trial) bool { return !t.IsLatency() })
}

// LiveTests returns the live tests among the trials.
func LiveTests(all []Trial) []Trial {
	return slices.DeleteFunc(slices.Clone(all), func(t Trial) bool { return !t.IsLive() })
}

// Unloaded returns the scored trial that a live test would be without its load.
func (t Trial) Unloaded() Trial {
	t.Case, t.Protocol.Live = "", nil
	return t
}

// Place returns where the model is measured.
func (t Trial) Place() Place { return Place{t.Dataset, t.Task, t.Setting} }

// Identity returns the SHA-256, in hex, of all that can change the result: JSON,
// the checksum of the dataset's file, the version of our numerics, and the class of
// the kernels.
func (t Trial) Identity(dataSHA256 string, numerics int, device string) string {
	facts := t.facts()
	facts["device"] = device
	facts["data_sha256"] = dataSHA256
	facts["numerics"] = numerics
	return fmt.Sprintf("%x", sha256.Sum256(canonical(facts)))
}

// JSON returns the resolved trial for its record, an object with sorted keys:
// what decides the result, and nothing that a comment or a title changes.
func (t Trial) JSON() []byte { return canonical(t.facts()) }

// OptionsJSON returns the options of the model, an object with sorted keys.
func (t Trial) OptionsJSON() []byte { return canonical(plain(t.Options)) }

// OriginsJSON returns where the trial's options come from, for its record.
func (t Trial) OriginsJSON() []byte { return canonical(t.Origins) }

// facts returns what decides the result, but for the data and the program.
func (t Trial) facts() map[string]any {
	facts := map[string]any{
		"suite": t.Suite, "dataset": t.Dataset, "task": t.Task, "setting": t.Setting,
		"model": t.ModelID, "variant": t.Variant, "kind": t.Kind.Name,
		"options": plain(t.Options), "protocol": plain(t.Protocol), "seed": t.Seed,
	}
	if o, ok := t.Options.(models.Identified); ok {
		facts["program"] = o.Identity()
	}
	if t.Velocity { // else identities are those from before there was a choice
		facts["velocity"] = true
	}
	return facts
}

// plain returns a value under its YAML keys. It panics when the type cannot be
// written as YAML, so that no spec could hold it.
func plain(value any) any {
	n, errOf := strictyaml.Of(value)
	out, err := n.Value()
	if err := errors.Join(errOf, err); err != nil {
		panic(fmt.Sprintf("specs: %v", err))
	}
	return out
}

// canonical returns JSON with sorted keys.
func canonical(value any) []byte {
	out, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("specs: %v", err))
	}
	return out
}

// MostSeeds is how many seeds a suite has at most, and maxEpochs how many epochs.
const (
	MostSeeds = 1000
	maxEpochs = 10000
)

// Filter narrows a suite down. An empty list lets everything through.
type Filter struct {
	Models    []string // ids, for all variants, or id+variant
	Datasets  []string
	Tasks     []string
	Seeds     int    // in place of the suite's number of seeds; 0 for that
	FirstSeed uint64 // the lowest seed: fresh ones show what chance does
	Epochs    int    // of learned models, in place of the protocol's; 0 for those
}

// Trials lists what the suite measures, in its order, a cell's seeds side by
// side: n from FirstSeed on, and 0 alone where there is nothing to learn. A
// filter's word that fits nothing in the suite is an error.
func (s Suite) Trials(f Filter) ([]Trial, error) {
	if f.Seeds < 0 || f.Seeds > MostSeeds {
		return nil, fmt.Errorf("expected 1 to %d seeds, found %d", MostSeeds, f.Seeds)
	}
	if limit := uint64(math.MaxUint64 - MostSeeds); f.FirstSeed > limit {
		return nil, fmt.Errorf("expected a first seed of %d at most, found %d", limit, f.FirstSeed)
	}
	if f.Epochs < 0 || f.Epochs > maxEpochs {
		return nil, fmt.Errorf("expected 1 to %d epochs, found %d", maxEpochs, f.Epochs)
	}
	cells, err := s.filtered(f)
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, fmt.Errorf("nothing in suite %q fits all of the models, datasets and tasks asked for", s.Name)
	}
	seeds := cmp.Or(f.Seeds, s.Seeds)
	var trials []Trial
	for _, cell := range cells {
		if len(f.Datasets) > 0 {
			cell.Alternatives = nil // what is asked for by name is expected
		}
		first, n := uint64(0), 1
		if cell.Kind.Trainable() && !cell.IsLatency() {
			first, n = f.FirstSeed, seeds
			cell.Protocol.Epochs = cmp.Or(f.Epochs, cell.Protocol.Epochs)
		}
		if cell.IsLive() {
			n = 1
		}
		for i := range n {
			t := cell
			t.Seed = first + uint64(i)
			trials = append(trials, t)
		}
	}
	keepModels(trials)
	return trials, nil
}

// keepModels sets KeepsModel.
func keepModels(trials []Trial) {
	for _, test := range LiveTests(trials) {
		if !test.Kind.Trainable() || test.Protocol.Select != SelectBest { // which takes snapshots, as keeping does
			continue
		}
		want := test.Unloaded()
		for i := range trials {
			t := &trials[i]
			if t.Case == "" && t.Seed == want.Seed && t.Ref() == want.Ref() && bytes.Equal(t.JSON(), want.JSON()) {
				t.KeepsModel = true
			}
		}
	}
}

func (s Suite) filtered(f Filter) ([]Trial, error) {
	cells := s.cells
	for _, by := range []struct {
		what  string
		words []string
		names func(Trial) []string // the words that fit a cell
	}{
		{"model", f.Models, s.modelNames},
		{"dataset", f.Datasets, func(t Trial) []string { return []string{t.Dataset} }},
		{"task", f.Tasks, func(t Trial) []string { return []string{string(t.Task)} }},
	} {
		if len(by.words) == 0 {
			continue
		}
		known, wanted := map[string]bool{}, setOf(by.words)
		for _, cell := range s.cells {
			for _, name := range by.names(cell) {
				known[name] = true
			}
		}
		for _, w := range by.words {
			if !known[w] {
				return nil, fmt.Errorf("suite %q has no %s %q%s", s.Name, by.what, w, suggest.Hint(w, slices.Sorted(maps.Keys(known))))
			}
		}
		cells = slices.DeleteFunc(slices.Clone(cells), func(t Trial) bool {
			return !slices.ContainsFunc(by.names(t), func(name string) bool { return wanted[name] })
		})
	}
	return cells, nil
}

// modelNames are the words for the model of a cell. In a live test the null model
// goes by those of the others beside it, too: without it nobody knows which of the times are theirs.
func (s Suite) modelNames(t Trial) []string {
	names := []string{t.ModelID, t.Ref()}
	if t.IsLive() && t.Kind.Class == protocol.Null {
		for _, other := range s.cells {
			if other.IsLive() && other.Place() == t.Place() {
				names = append(names, other.ModelID, other.Ref())
			}
		}
	}
	return names
}

func setOf[T comparable](values []T) map[T]bool {
	out := make(map[T]bool, len(values))
	for _, v := range values {
		out[v] = true
	}
	return out
}
