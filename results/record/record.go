package record

import (
	"encoding/json"

	"dgsbench/internal/optional"
	"dgsbench/metrics"
	"dgsbench/protocol"
)

// Format is the version of the record's layout.
const Format = 1

// Record is what one trial leaves, whether it finished or failed. Times are
// seconds, metrics fractions.
type Record struct {
	Format   int    `json:"format"`
	Key      Key    `json:"key"`
	Identity string `json:"identity"` // hex digits, computed by whoever runs the trial
	// Numerics is raised by hand whenever results may change: records of
	// another version are stale.
	Numerics int `json:"numerics"`

	// Spec is the resolved specification. Seeds of one cell differ in its
	// top-level key "seed" and in nothing else.
	Spec json.RawMessage `json:"spec"`
	// Origins says where each option comes from. It decides nothing, and
	// may differ between seeds.
	Origins      json.RawMessage `json:"origins,omitempty"`
	DataChecksum string          `json:"data_checksum"`
	CodeVersion  string          `json:"code_version"`
	Machine      string          `json:"machine"` // with the exact level of the kernels
	// Device is the class of the kernels: records that differ in it may differ
	// in bits. It begins with the device, as in cpu/vector and cuda.
	Device  string `json:"device"`
	Threads int    `json:"threads"`

	ModelClass   protocol.Class `json:"model_class"`
	ModelTitle   string         `json:"model_title"`
	DatasetTitle string         `json:"dataset_title"`
	PaperName    string         `json:"paper_name"` // of the dataset; empty where the paper does not have it
	NumParams    int            `json:"num_params"`

	// The following four are absent in records of before they were kept.

	// Parameters are the learned ones by part; together they are NumParams.
	Parameters []ParameterPart `json:"parameters,omitempty"`
	// StateSize is how many numbers the model keeps of a node, Forgetting by
	// how many different factors it multiplies them when it meets the node.
	StateSize  int `json:"state_size,omitempty"`
	Forgetting int `json:"forgetting,omitempty"`
	// Data are the sizes of the dataset.
	Data *Data `json:"data,omitempty"`

	// Footnotes are what a reader of any table with this trial must know
	// about its data, in full sentences without the final stop.
	Footnotes []string `json:"footnotes"`

	// Evaluations name what was evaluated beside the first evaluation, from
	// the same training, in this order.
	Evaluations []string `json:"evaluations,omitempty"`

	Epochs    []Epoch   `json:"epochs"`
	BestEpoch int       `json:"best_epoch"` // index into Epochs, -1 for none
	Scores    []Score   `json:"scores"`
	Durations Durations `json:"durations"`
	// Latency is set where the trial was a latency test, which has no scores.
	Latency *Latency `json:"latency,omitempty"`

	// Error is the message of a failed trial. It has no sidecar.
	Error   string   `json:"error,omitempty"`
	Sidecar *Sidecar `json:"sidecar,omitempty"`

	stale bool // see Select
}

// Stale reports whether the record is of another version of the numerics than
// the one that Select was told.
func (r Record) Stale() bool { return r.stale }

// Failed reports whether the trial ended without a result.
func (r Record) Failed() bool { return r.Error != "" }

// Durations are wall times.
type Durations struct {
	Train float64 `json:"train"` // all epochs with their validation
	Test  float64 `json:"test"`  // the final evaluation
	Total float64 `json:"total"`
}

// Epoch is one pass over the training part. Numbers that were not finite
// are absent.
type Epoch struct {
	Loss       optional.Number `json:"loss"`
	Validation optional.Number `json:"validation"` // the task's headline metric
	Seconds    float64         `json:"seconds"`
	// Degenerate says why the validation tells nothing of the model.
	Degenerate metrics.Degeneracy `json:"degenerate,omitempty"`
}

// Score is one metric of one evaluated part. The value is absent where the
// metric is not defined.
type Score struct {
	Part
	Metric string          `json:"metric"`
	Value  optional.Number `json:"value"`
	// Degenerate says why the value tells nothing of the model.
	Degenerate metrics.Degeneracy `json:"degenerate,omitempty"`
}

// Part names what was evaluated: a split and, for link prediction, against
// which candidates.
type Part struct {
	Split      protocol.Split        `json:"split"`                // validation or test
	Candidates protocol.CandidateSet `json:"candidates"`           // all_nodes, destinations, or empty for nc
	Evaluation string                `json:"evaluation,omitempty"` // one of Record.Evaluations; empty for the first
}

// Parts lists what a task can have evaluated, in the order of rows: every part
// of the first evaluation, and then of those that are named.
func Parts(task protocol.Task, evaluations ...string) (parts []Part) {
	sets := []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations}
	if task == protocol.NodeClassification {
		sets = []protocol.CandidateSet{""}
	}
	for _, e := range append([]string{""}, evaluations...) {
		for _, split := range []protocol.Split{protocol.Validation, protocol.Test} {
			for _, set := range sets {
				parts = append(parts, Part{Split: split, Candidates: set, Evaluation: e})
			}
		}
	}
	return parts
}

// Parts lists what the trial can have evaluated.
func (r Record) Parts() []Part { return Parts(r.Key.Task, r.Evaluations...) }

// Sidecar names the file of per-event facts beside a record.
type Sidecar struct {
	File   string `json:"file"` // in the record's folder
	SHA256 string `json:"sha256"`
}

// Observed are the raw facts of a trial's evaluated parts.
type Observed map[Part]metrics.Facts

// scores are all metrics of the task on what was observed, in a fixed order.
func (o Observed) scores(r Record) []Score {
	var out []Score
	for _, part := range r.Parts() {
		facts, ok := o[part]
		if !ok {
			continue
		}
		for _, m := range metrics.Of(r.Key.Task) {
			out = append(out, Score{Part: part, Metric: m.Name, Value: optional.Number(m.Prepare(facts)(nil)), Degenerate: facts.Degenerate()})
		}
	}
	return out
}
