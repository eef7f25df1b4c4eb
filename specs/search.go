package specs

import (
	"fmt"
	"slices"
	"strings"

	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
)

// Scale says how the values between two ends are spread.
type Scale string

const (
	// Linear: every number between the ends is as likely.
	Linear Scale = "linear"
	// Log: every power of ten between the ends is as likely.
	Log Scale = "log"
	// Whole: as Linear, of whole numbers.
	Whole Scale = "int"
)

// ListPart says what of a list is searched: all items of it are the same.
type ListPart string

const (
	// ListLength is the number of items.
	ListLength ListPart = "length"
	// ListItem is the value of the items.
	ListItem ListPart = "item"
)

// Parameter is an option that a search tries other values of: numbers between
// two ends, or values of a list.
type Parameter struct {
	Option string   // dotted path, as in "head.lr"
	Part   ListPart // of an option that is a list, else ""
	Title  string   // as tables print it

	Low, High float64 // both may be tried; 0 with Choices
	Scale     Scale   // "" with Choices
	Step      int     // between values of Whole, from Low on; else 0
	Choices   []any   // texts, booleans, numbers; a single one is set, not searched

	Tasks  []protocol.Task // in which it is searched: those in which it has an effect
	Source Origin          // who gives the range: FromPaper or Default
	Note   string          // what else a reader should know; may be empty
	File   string
	Line   int
}

// Name tells the parameter from the others of its model and task:
// "head.lr", "head.hidden.length".
func (p Parameter) Name() string {
	if p.Part == "" {
		return p.Option
	}
	return p.Option + "." + string(p.Part)
}

// Range is the range in words: "1e-04 to 0.01, log", "10, 20, 25 or 50".
func (p Parameter) Range() string {
	if len(p.Choices) > 0 {
		return orList(p.Choices)
	}
	text := fmt.Sprintf("%g to %g", p.Low, p.High)
	if p.Scale == Log {
		text += ", log"
	}
	if p.Step > 1 {
		text += fmt.Sprintf(", step %d", p.Step)
	}
	return text
}

// orList is "1", "1 or 2", "1, 2 or 3".
func orList[T any](values []T) string {
	text := fmt.Sprint(values[0])
	for i, v := range values[1:] {
		between := ", "
		if i == len(values)-2 {
			between = " or "
		}
		text += between + fmt.Sprint(v)
	}
	return text
}

// Search lists what a search of the model tries, in the order of the spec.
func (m Model) Search() []Parameter { return slices.Clone(m.search) }

// SearchFor lists what a search tries in one task.
func (m Model) SearchFor(task protocol.Task) []Parameter {
	return slices.DeleteFunc(m.Search(), func(p Parameter) bool { return !slices.Contains(p.Tasks, task) })
}

// value is what a search hands over as the option's value: a whole number
// without a fraction, so that it fits an option that counts something.
func (p Parameter) value(v any) any {
	if x, ok := v.(float64); ok && p.Scale == Whole {
		return int(x)
	}
	return v
}

// searched is the layer of a point of the search space: a value for each
// parameter's name. A name that is not in params, or one that is missing, is
// a mistake of the program.
func searched(params []Parameter, values map[string]any) (strictyaml.Node, error) {
	if len(params) != len(values) {
		panic(fmt.Sprintf("specs: %d values for %d parameters", len(values), len(params)))
	}
	options := map[string]any{}
	for _, p := range params {
		v, ok := values[p.Name()]
		if !ok {
			panic(fmt.Sprintf("specs: no value for %s", p.Name()))
		}
		if p.Part == ListItem {
			continue // with its length
		}
		v = p.value(v)
		if p.Part == ListLength {
			v = slices.Repeat([]any{itemOf(p.Option, params, values)}, v.(int))
		}
		put(options, p.Option, v)
	}
	return strictyaml.Of(options)
}

// itemOf is the value of a list's items.
func itemOf(option string, params []Parameter, values map[string]any) any {
	i := slices.IndexFunc(params, func(p Parameter) bool { return p.Option == option && p.Part == ListItem })
	return params[i].value(values[params[i].Name()])
}

// put sets the value at a dotted path.
func put(into map[string]any, path string, v any) {
	first, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		into[first] = v
		return
	}
	below, ok := into[first].(map[string]any)
	if !ok {
		below = map[string]any{}
		into[first] = below
	}
	put(below, rest, v)
}

// ResolveSearched is Resolve with a point of the model's search space on top:
// a value for the Name of each Parameter of SearchFor. Numbers are float64,
// whole ones too; record is where the search keeps what it tried.
func (m Model) ResolveSearched(at Place, values map[string]any, record string) (Resolved, error) {
	n, origins, err := m.point(at.Task, values, record)
	if err != nil {
		return Resolved{}, fmt.Errorf("model %q: %w", m.ID, err)
	}
	return m.resolve(at, "", layer{n, origins})
}

// point is the layer of a point of the search space. What has been chosen is
// tuned; the origin of what is only set is that of its range.
func (m Model) point(task protocol.Task, values map[string]any, record string) (strictyaml.Node, map[string]Provenance, error) {
	params := m.SearchFor(task)
	n, err := searched(params, values)
	origins := map[string]Provenance{}
	for _, p := range params {
		origins[p.Option] = Provenance{Origin: Tuned, Record: record}
		if len(p.Choices) == 1 {
			origins[p.Option] = Provenance{Origin: p.Source, File: p.File, Line: p.Line}
		}
	}
	return n, origins, err
}
