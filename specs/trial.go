package specs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"dgsbench/internal/strictyaml"
	"dgsbench/models"
	"dgsbench/protocol"
)

// Trial is one thing to measure: everything about it is resolved.
type Trial struct {
	Suite   string
	About   string // the suite's title
	Dataset string
	Task    protocol.Task
	Setting protocol.Setting
	// Case names the protocol where a suite has the same model at the same
	// place under several: "batch-10", "latency"; else it is empty.
	Case    string
	ModelID string
	Variant string // "" for none
	Kind    string
	Title   string // as tables print the model
	// Deployed: what is measured is the model that Deploy gives. The variant
	// says so too.
	Deployed bool
	Class    protocol.Class
	// Options are shared by the seeds of a cell and must not be written to.
	Options  models.Options
	Origins  map[string]Provenance // by dotted path of the option
	Protocol Protocol
	// Seed is all that the trial's random streams derive from.
	Seed uint64
}

// Ref names model and variant, as in "edgebank+tw".
func (t Trial) Ref() string { return JoinRef(t.ModelID, t.Variant) }

// IsLatency reports whether the trial is a latency test, which trains and
// scores nothing.
func (t Trial) IsLatency() bool { return t.Protocol.Latency != nil }

// Evaluations name what is evaluated of the trial beside its first evaluation.
func (t Trial) Evaluations() (names []string) {
	if t.IsLatency() {
		return nil
	}
	for i := range t.Protocol.TestState {
		if i > 0 {
			names = append(names, t.Protocol.Evaluation(i))
		}
	}
	return names
}

// SplitLatency separates the trials that are scored from the latency tests,
// each in order.
func SplitLatency(all []Trial) (scored, timed []Trial) {
	for _, t := range all {
		if t.IsLatency() {
			timed = append(timed, t)
		} else {
			scored = append(scored, t)
		}
	}
	return scored, timed
}

// Identity is the SHA-256, in hex, of everything that can change the
// trial's result: what was asked for, the checksum of the dataset's file, the
// version of our numerics, and the class of the kernels. Titles and the origin
// of values are not in it.
func (t Trial) Identity(dataSHA256 string, numerics int, device string) string {
	facts := t.facts()
	facts["device"] = device
	facts["data_sha256"] = dataSHA256
	facts["numerics"] = numerics
	sum := sha256.Sum256(canonical(facts))
	return hex.EncodeToString(sum[:])
}

// JSON is the resolved trial for its record, an object with sorted keys:
// what decides the result, and nothing that a comment or a title changes.
func (t Trial) JSON() []byte { return canonical(t.facts()) }

// OriginsJSON says for its record where the trial's options come from.
func (t Trial) OriginsJSON() []byte {
	out, err := json.Marshal(t.Origins)
	if err != nil {
		panic(fmt.Sprintf("specs: %v", err))
	}
	return out
}

// facts are what decides the result, as far as the trial knows it.
func (t Trial) facts() map[string]any {
	return map[string]any{
		"suite": t.Suite, "dataset": t.Dataset, "task": t.Task, "setting": t.Setting,
		"model": t.ModelID, "variant": t.Variant, "kind": t.Kind,
		"options": plain(t.Options), "protocol": plain(t.Protocol), "seed": t.Seed,
	}
}

// plain is a value under its YAML keys. It panics when the type cannot be
// written as YAML, so that no spec could hold it.
func plain(value any) any {
	n, err := strictyaml.Of(value)
	if err == nil {
		var out any
		if out, err = n.Value(); err == nil {
			return out
		}
	}
	panic(fmt.Sprintf("specs: %v", err))
}

// canonical is JSON with sorted keys.
func canonical(facts map[string]any) []byte {
	out, err := json.Marshal(facts)
	if err != nil {
		panic(fmt.Sprintf("specs: %v", err))
	}
	return out
}
