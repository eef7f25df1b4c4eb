package record

import (
	"cmp"
	"fmt"
	"path"
	"regexp"

	"dgsbench/protocol"
)

// CellKey names what a table cell is about: everything of a trial but its
// seed.
type CellKey struct {
	Suite   string           `json:"suite"`
	Dataset string           `json:"dataset"`
	Task    protocol.Task    `json:"task"`    // nc or lp
	Setting protocol.Setting `json:"setting"` // T or I for lp, empty for nc
	Case    string           `json:"case"`    // names the protocol where a suite has several, else empty
	Model   string           `json:"model"`
	Variant string           `json:"variant"` // a named set of options, or empty
}

// Key names a trial.
type Key struct {
	CellKey
	Seed uint64 `json:"seed"`
}

// identityDigits is how much of an identity a file name holds.
const identityDigits = 12

// Folder returns where the records of the cell lie below the store's folder:
// SUITE/DATASET/TASK[-SETTING][-CASE]/MODEL[+VARIANT].
func (k CellKey) Folder() string {
	task, model := string(k.Task), k.Model
	if k.Setting != "" {
		task += "-" + string(k.Setting)
	}
	if k.Case != "" {
		task += "-" + k.Case
	}
	if k.Variant != "" {
		model += "+" + k.Variant
	}
	return path.Join(k.Suite, k.Dataset, task, model)
}

// Evaluated returns the cell of one of a trial's evaluations, which tables show
// as a case of its own; that of the first has no name.
func (k CellKey) Evaluated(evaluation string) CellKey {
	switch {
	case k.Case == "":
		k.Case = evaluation
	case evaluation != "":
		k.Case += "-" + evaluation
	}
	return k
}

// Place returns the cell without its model: where models are compared.
func (k CellKey) Place() CellKey {
	k.Model, k.Variant = "", ""
	return k
}

// Compare orders cells by suite, then by place, then by model.
func (k CellKey) Compare(other CellKey) int {
	return cmp.Or(
		cmp.Compare(k.Suite, other.Suite), cmp.Compare(k.Dataset, other.Dataset), cmp.Compare(k.Task, other.Task),
		cmp.Compare(k.Setting, other.Setting), cmp.Compare(k.Case, other.Case),
		cmp.Compare(k.Model, other.Model), cmp.Compare(k.Variant, other.Variant),
	)
}

// Path returns where the trial's record lies below the store's folder:
// seed-SEED-IDENTITY.json in the cell's folder. It depends on nothing but its
// arguments. The identity must have at least 12 digits.
func (k Key) Path(identity string) string {
	return path.Join(k.Folder(), fmt.Sprintf("seed-%d-%s.json", k.Seed, identity[:identityDigits]))
}

// String returns the trial in words.
func (k Key) String() string { return fmt.Sprintf("%s, seed %d", k.CellKey, k.Seed) }

// String returns the cell in words.
func (k CellKey) String() string {
	s := k.Model
	if k.Variant != "" {
		s += "+" + k.Variant
	}
	s += " on " + k.Dataset + ", " + string(k.Task)
	if k.Setting != "" {
		s += " " + string(k.Setting)
	}
	if k.Case != "" {
		s += ", case " + k.Case
	}
	return s + " (suite " + k.Suite + ")"
}

var (
	// pathName is what may be a part of a path. It cannot hold the + and -
	// in places where a path would become ambiguous or lead elsewhere.
	pathName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@-]*$`)
	// caseName cannot be a setting.
	caseName     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	identityText = regexp.MustCompile(`^[0-9a-f]{12,128}$`)
)

// check reports the first part that cannot be in a path or that no trial
// has.
func (k CellKey) check() error {
	for _, part := range []struct{ name, value string }{
		{"suite", k.Suite}, {"dataset", k.Dataset}, {"model", k.Model},
	} {
		if !pathName.MatchString(part.value) {
			return fmt.Errorf("%s %q: expected letters, digits, dots, dashes and underscores", part.name, part.value)
		}
	}
	classified := k.Task == protocol.NodeClassification && k.Setting == ""
	predicted := k.Task == protocol.LinkPrediction && (k.Setting == protocol.Transductive || k.Setting == protocol.Inductive)
	switch {
	case k.Variant != "" && !pathName.MatchString(k.Variant):
		return fmt.Errorf("variant %q: expected letters, digits, dots, dashes and underscores, or nothing", k.Variant)
	case k.Case != "" && !caseName.MatchString(k.Case):
		return fmt.Errorf("case %q: expected small letters, digits and single dashes, or nothing", k.Case)
	case !classified && !predicted:
		return fmt.Errorf("task %q with setting %q: expected nc without one, or lp with T or I", k.Task, k.Setting)
	}
	return nil
}
