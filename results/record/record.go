// Package record keeps what trials observed.
//
// A trial leaves one Record (a JSON file) and a sidecar of per-event facts, or
// of times, beside it, both in a Store. What follows from records is package
// results.
package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sbinet/npyio/npz"

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
	// Origins are the places where the options were set. They have no effect,
	// and may differ between seeds.
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
	LogOdds      bool           `json:"log_odds,omitempty"` // as metrics.Facts has it

	// The following four are absent in older records. The model keeps StateSize
	// numbers of a node, and multiplies them by Forgetting different factors when
	// it meets the node.

	Parameters []ParameterPart `json:"parameters,omitempty"` // the learned ones; together they are NumParams
	StateSize  int             `json:"state_size,omitempty"`
	Forgetting int             `json:"forgetting,omitempty"`
	Data       *Data           `json:"data,omitempty"`

	// Footnotes are what a reader of any table with this trial must know
	// about its data, in full sentences without the final stop.
	Footnotes []string `json:"footnotes"`

	// Chosen names the rule that the validation has chosen, as "minus amount"
	// of a single column; it is empty where there is none to choose.
	Chosen string `json:"chosen,omitempty"`

	// FirstEvaluation names what was evaluated, if there are several sizes of
	// batches, and Evaluations what else was, from the same training, in this order.
	FirstEvaluation string   `json:"first_evaluation,omitempty"`
	Evaluations     []string `json:"evaluations,omitempty"`

	Epochs    []Epoch   `json:"epochs"`
	BestEpoch int       `json:"best_epoch"` // index into Epochs, -1 for none
	Scores    []Score   `json:"scores"`
	Durations Durations `json:"durations"`
	Latency   *Latency  `json:"latency,omitempty"` // of a latency test, which has no scores
	Live      *Live     `json:"live,omitempty"`    // of a live test
	Error     string    `json:"error,omitempty"`   // of a failed trial, which has no sidecar
	Sidecar   *Sidecar  `json:"sidecar,omitempty"`

	stale bool // see Select
}

// Stale reports whether the record is of another version of the numerics than
// the argument of Select.
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
	Validation optional.Number `json:"validation"` // SelectedBy
	Seconds    float64         `json:"seconds"`
	// Training is the part of Seconds before the validation; older records have none.
	Training float64 `json:"training,omitempty"`
	// Degenerate is why the validation carries no information about the model.
	Degenerate metrics.Degeneracy `json:"degenerate,omitempty"`
}

// Score is one metric of one evaluated part. The value is absent where the
// metric is not defined.
type Score struct {
	Part
	Metric string          `json:"metric"`
	Value  optional.Number `json:"value"`
	// Degenerate is why the value carries no information about the model.
	Degenerate metrics.Degeneracy `json:"degenerate,omitempty"`
}

// Part names what was evaluated: a split and, for link prediction, against
// which candidates.
type Part struct {
	Split      protocol.Split        `json:"split"`                // validation or test
	Candidates protocol.CandidateSet `json:"candidates"`           // all_nodes, destinations, or empty for nc
	Evaluation string                `json:"evaluation,omitempty"` // one of Record.Evaluated
}

// Parts lists what a task can have evaluated, in the order of rows: every part
// of the first evaluation, and then of the others.
func Parts(task protocol.Task, evaluations ...string) (parts []Part) {
	sets := []protocol.CandidateSet{protocol.AllNodes, protocol.Destinations}
	if task == protocol.NodeClassification {
		sets = []protocol.CandidateSet{""}
	}
	for _, e := range evaluations {
		for _, split := range []protocol.Split{protocol.Validation, protocol.Test} {
			for _, set := range sets {
				parts = append(parts, Part{Split: split, Candidates: set, Evaluation: e})
			}
		}
	}
	return parts
}

// Parts lists what the trial can have evaluated.
func (r Record) Parts() []Part { return Parts(r.Key.Task, r.Evaluated()...) }

// Evaluated names all that was evaluated, in order.
func (r Record) Evaluated() []string { return append([]string{r.FirstEvaluation}, r.Evaluations...) }

// Sidecar names the file of per-event facts beside a record.
type Sidecar struct {
	File   string `json:"file"` // in the record's folder
	SHA256 string `json:"sha256"`
}

// Contents are what a trial leaves in its sidecar: Observed or, of a latency
// test, Times.
type Contents interface {
	encode(Record, *npz.Writer) error
	decode(Record, *npz.Reader) error
	// scores returns Metrics of every part, in a fixed order.
	scores(Record) []Score
}

// Observed are the raw facts of a trial's evaluated parts.
type Observed map[Part]metrics.Facts

// SelectedBy returns the metric of the validation by which training stops and
// the epoch is selected.
func (r Record) SelectedBy() metrics.Metric {
	var spec struct {
		Protocol struct {
			Metric string `json:"select_by"`
		}
	}
	if json.Unmarshal(r.Spec, &spec) == nil {
		if m, err := metrics.Lookup(spec.Protocol.Metric); err == nil && m.Task == r.Key.Task {
			return m
		}
	}
	return metrics.Of(r.Key.Task)[0]
}

// Metrics lists those of Scores: that of SelectedBy, and then the others that every
// record of the task has.
func (r Record) Metrics() []metrics.Metric {
	by := r.SelectedBy()
	others := slices.DeleteFunc(metrics.Of(r.Key.Task), func(m metrics.Metric) bool { return m.Name == by.Name })
	return append([]metrics.Metric{by}, others...)
}

func (o Observed) scores(r Record) []Score {
	var out []Score
	for _, part := range r.Parts() {
		facts, ok := o[part]
		if !ok {
			continue
		}
		for _, m := range r.Metrics() {
			out = append(out, Score{Part: part, Metric: m.Name, Value: optional.Number(m.Prepare(facts)(nil)), Degenerate: facts.Degenerate()})
		}
	}
	return out
}

// Select splits records into those to use and those that are stale: written
// under another version of the numerics than the current one. With
// allowStale, a stale record is used where its trial has no current one, and
// tables mark it.
func Select(records []Record, numerics int, allowStale bool) (use, stale []Record) {
	current := map[Key]bool{}
	for _, r := range records {
		if r.Numerics == numerics {
			current[r.Key] = true
		}
	}
	for _, r := range records {
		r.stale = r.Numerics != numerics
		if r.stale {
			stale = append(stale, r)
		}
		if !r.stale || allowStale && !current[r.Key] {
			use = append(use, r)
		}
	}
	return use, stale
}

// ParameterPart is a named part of a model's learned parameters.
type ParameterPart struct {
	Part  string `json:"part"`
	Count int    `json:"count"`
	Head  bool   `json:"head,omitempty"` // the classifier on top of what is embedded
}

// Data are the sizes of a dataset, as it was read.
type Data struct {
	Nodes     int     `json:"nodes"`
	Users     int     `json:"users"` // of a bipartite graph; 0 elsewhere
	Events    int     `json:"events"`
	Features  int     `json:"features"` // of an event, in the file
	Positives int     `json:"positives"`
	Labelled  int     `json:"labelled"`
	Duration  float64 `json:"duration"` // seconds from the first event to the last

	Parts []DataPart `json:"parts"` // training, validation and test
}

// DataPart counts what is in a part.
type DataPart struct {
	Events    int `json:"events"`
	Positives int `json:"positives"`
	// Days are as metrics.Facts has them. Older records, datasets without labels
	// and parts of more than metrics.MostDays days have none.
	Days []int32 `json:"days,omitempty"`
}

// days returns those of a part that was evaluated.
func (r Record) days(split protocol.Split) []int32 {
	i := map[protocol.Split]int{protocol.Validation: 1, protocol.Test: 2}[split]
	if r.Data == nil || i >= len(r.Data.Parts) {
		return nil
	}
	return r.Data.Parts[i].Days
}

// Learned returns the number of learned parameters of the head, or of what lies
// below it. It is unknown in older records.
func (r Record) Learned(head bool) (n int, known bool) {
	for _, p := range r.Parameters {
		if p.Head == head {
			n += p.Count
		}
	}
	return n, len(r.Parameters) > 0
}

// Origin is where an option of the spec was set.
type Origin struct {
	Origin string // default, model, suite ...
	File   string
	Line   int
	Record string // of the search that chose the value, if one did
}

// OptionOrigins returns the origins of the options by their dotted paths.
func (r Record) OptionOrigins() (origins map[string]Origin, err error) {
	if len(r.Origins) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(r.Origins, &origins); err != nil {
		return nil, fmt.Errorf("origins of %s: %w", r.Key, err)
	}
	return origins, nil
}

// Searches returns the records of the searches by which options of the trial
// were chosen, as its spec names them, each once; none where nothing is tuned.
func (r Record) Searches() ([]string, error) {
	origins, err := r.OptionOrigins()
	named := map[string]bool{}
	for _, o := range origins {
		named[o.Record] = true
	}
	delete(named, "")
	return slices.Sorted(maps.Keys(named)), err
}

// Leaves returns the values of a JSON object by their dotted paths, without
// blanks and with numbers in one spelling: 1.0 is 1, and 1e-5 is 0.00001. Lists
// and empty objects are values.
func Leaves(spec json.RawMessage) (map[string]string, error) {
	in := json.NewDecoder(bytes.NewReader(spec))
	in.UseNumber()
	var x any
	if err := in.Decode(&x); err != nil {
		return nil, err
	}
	leaves := map[string]string{}
	addLeaves(leaves, "", normalizeNumbers(x))
	return leaves, nil
}

func addLeaves(to map[string]string, path string, x any) {
	if object, ok := x.(map[string]any); ok && len(object) > 0 {
		if path != "" {
			path += "."
		}
		for key, inner := range object {
			addLeaves(to, path+key, inner)
		}
		return
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(x) // what was JSON stays JSON
	to[path] = strings.TrimSuffix(out.String(), "\n")
}

// normalizeNumbers returns a JSON value with numbers as encoding/json writes
// them. Whole numbers keep all of their digits.
func normalizeNumbers(x any) any {
	switch x := x.(type) {
	case json.Number:
		if f, err := x.Float64(); err == nil && strings.ContainsAny(string(x), ".eE") {
			return f
		}
	case []any:
		for i := range x {
			x[i] = normalizeNumbers(x[i])
		}
	case map[string]any:
		for key := range x {
			x[key] = normalizeNumbers(x[key])
		}
	}
	return x
}
