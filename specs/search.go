package specs

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"dgsbench/internal/strictyaml"
	"dgsbench/internal/suggest"
	"dgsbench/protocol"
)

// Scale is how values are drawn between two ends.
type Scale string

// The scales.
const (
	Linear Scale = "linear" // all numbers have the same density
	Log    Scale = "log"    // all logarithms have the same density
	Whole  Scale = "int"    // all whole numbers have the same probability
)

// ListPart is the part of a list that is searched: all of its items are equal.
type ListPart string

// The number of items, and their value.
const (
	ListLength ListPart = "length"
	ListItem   ListPart = "item"
)

// Parameter is an option that a search tries other values of: numbers between
// two ends, or values of a list.
type Parameter struct {
	Option string   `yaml:"option" key:"required"`             // dotted path, as in "head.lr"
	Part   ListPart `yaml:"part" words:"length item"`          // of an option that is a list, else ""
	Title  string   `yaml:"title" key:"required" text:"title"` // as tables print it

	Low     float64 `yaml:"low"` // both ends may be tried; 0 with Choices
	High    float64 `yaml:"high"`
	Scale   Scale   `yaml:"scale"` // "" with Choices
	Step    int     `yaml:"step"`  // between values of Whole, from Low on; else 0
	Choices []any   `yaml:"-"`     // texts, booleans, numbers; a single one is set, not searched

	Tasks   []protocol.Task `yaml:"tasks" words:"nc lp" list:"some distinct"`    // in which it has an effect
	Source  Origin          `yaml:"source" words:"paper default" key:"required"` // who gives the range
	Note    string          `yaml:"note"`                                        // may be empty
	Default string          `yaml:"default" words:"outside"`                     // the model's own value is outside on purpose

	at strictyaml.Node
}

// Name tells the parameter from the others of its model and task:
// "head.lr", "head.hidden.length".
func (p Parameter) Name() string {
	if p.Part == "" {
		return p.Option
	}
	return p.Option + "." + string(p.Part)
}

// Range returns the range in words: "1e-04 to 0.01, log", "10, 20, 25 or 50".
func (p Parameter) Range() string {
	if len(p.Choices) > 0 {
		return suggest.Or(p.Choices)
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

// Search lists what a search of the model tries, in the order of the spec.
func (m Model) Search() []Parameter { return slices.Clone(m.search) }

// SearchFor lists what a search tries in one task.
func (m Model) SearchFor(task protocol.Task) []Parameter {
	return slices.DeleteFunc(m.Search(), func(p Parameter) bool { return !slices.Contains(p.Tasks, task) })
}

// readSearch reads each entry by itself and then checks all of them together.
func (m Model) readSearch(entries []strictyaml.Node, errs *strictyaml.Errors) []Parameter {
	resolved, err := m.merge(m.base)
	if err != nil {
		return nil // reported where the options are resolved
	}
	options, err := strictyaml.Of(resolved.Options)
	errs.Add(err)
	defaults := map[string]strictyaml.Node{}
	for _, leaf := range options.Leaves() {
		defaults[leaf.Path] = leaf.Node
	}
	ok := true
	for _, n := range entries {
		p, err := m.readParameter(n, defaults)
		errs.Add(err)
		ok = ok && err == nil
		m.search = append(m.search, p)
	}
	if ok {
		m.checkTogether(errs)
	}
	return m.search
}

// readParameter reads one entry, defaults being the model's own options.
func (m Model) readParameter(n strictyaml.Node, defaults map[string]strictyaml.Node) (Parameter, error) {
	var y struct {
		Parameter `yaml:",inline"`
		Choices   strictyaml.Node `yaml:"choices"`
	}
	var errs strictyaml.Errors
	errs.Add(n.Decode(&y))
	p := y.Parameter
	p.at = n
	if !n.Get("tasks").Present() {
		p.Tasks = m.Kind.Tasks
	}
	for _, t := range p.Tasks {
		if !m.Kind.Supports(t) {
			errs.Add(n.Get("tasks").Errorf("model %q cannot do the task %q; it can do: %s", m.ID, t, m.tasks()))
		}
	}
	def, known := defaults[p.Option]
	switch {
	case !n.Get("option").Present():
	case !known:
		hint := suggest.Hint(p.Option, slices.Sorted(maps.Keys(defaults)))
		errs.Add(n.Get("option").Errorf("model %q has no option %q%s", m.ID, p.Option, hint))
	case y.Choices.Present():
		p.readChoices(y.Choices, &errs)
	default:
		p.checkEnds(&errs)
	}
	if !errs.Any() {
		errs.Add(p.checkDefault(def))
	}
	return p, errs.Err()
}

func (p *Parameter) readChoices(choices strictyaml.Node, errs *strictyaml.Errors) {
	for _, key := range []string{"low", "high", "scale", "step", "part"} {
		if at := p.at.Get(key); at.Present() {
			errs.Add(at.Errorf("choices have no %s; leave one of the two out", key))
		}
	}
	if len(choices.Items()) == 0 {
		errs.Add(choices.Errorf("expected a list with at least one value"))
	}
	seen := map[any]bool{}
	for _, item := range choices.Items() {
		v, err := item.Value()
		errs.Add(err)
		switch v.(type) {
		case string, bool, int, float64:
		default:
			errs.Add(item.Errorf("expected a text, a number, true or false"))
			continue
		}
		if seen[v] {
			errs.Add(item.Errorf("%v is listed twice", v))
		}
		seen[v] = true
		p.Choices = append(p.Choices, v)
	}
}

func (p *Parameter) checkEnds(errs *strictyaml.Errors) {
	n := p.at
	var own strictyaml.Errors
	require(n, &own, "low", "high", "scale")
	scales := []string{string(Linear), string(Log), string(Whole)}
	if word, ok := text(n.Get("scale")); ok && !slices.Contains(scales, word) {
		own.Add(n.Get("scale").Errorf("expected %s, found %q%s", suggest.Or(scales), word, suggest.DidYouMean(word, scales)))
	}
	errs.Add(own.Err())
	if own.Any() || p.Scale == "" || n.Get("low").Decode(new(float64)) != nil || n.Get("high").Decode(new(float64)) != nil {
		return
	}
	if p.Low >= p.High {
		errs.Add(n.Get("high").Errorf("expected more than low, which is %g, found %g", p.Low, p.High))
	}
	if p.Scale == Log && p.Low <= 0 {
		errs.Add(n.Get("low").Errorf("expected more than 0 with scale: log, found %g", p.Low))
	}
	if p.Scale == Whole && (p.Low != math.Trunc(p.Low) || p.High != math.Trunc(p.High)) {
		errs.Add(n.Get("low").Errorf("expected whole numbers with scale: int, found %g and %g", p.Low, p.High))
	}
	switch at := n.Get("step"); {
	case !at.Present() && p.Scale == Whole:
		p.Step = 1
	case at.Present() && at.Decode(new(int)) == nil && (p.Scale != Whole || p.Step < 1 || int(p.High-p.Low)%p.Step != 0):
		errs.Add(at.Errorf("expected, with scale: int, a whole number that divides high - low, found %d", p.Step))
	}
}

// checkDefault compares the model's own value with the range, which holds it
// unless the spec says that it is outside.
func (p Parameter) checkDefault(def strictyaml.Node) error {
	values := []strictyaml.Node{def}
	if items := def.Items(); (items != nil) != (p.Part != "") {
		return p.at.Errorf("part is for lists: %s or %s of one, nothing for other options", ListLength, ListItem)
	} else if items != nil {
		values = items
	}
	inside, outside := true, p.Default != ""
	for _, v := range values {
		x, err := v.Value()
		if err != nil {
			return err
		}
		if p.Part == ListLength {
			x = len(values)
		}
		inside = inside && p.contains(x)
	}
	found, _ := def.Value()
	switch {
	case !inside && !outside:
		return p.at.Errorf("the model's own value %v is not in the range %s; widen the range, or say default: outside", found, p.Range())
	case inside && outside:
		return p.at.Get("default").Errorf("the model's own value %v is in the range %s; leave the key out", found, p.Range())
	}
	return nil
}

func (p Parameter) contains(v any) bool {
	if len(p.Choices) > 0 {
		return slices.Contains(p.Choices, v)
	}
	x, ok := v.(float64)
	if i, whole := v.(int); whole {
		x, ok = float64(i), true
	}
	return ok && x >= p.Low && x <= p.High
}

// checkTogether checks that no parameter is there twice in a task, that lists
// have both parts, and that the model accepts the ends of all ranges.
func (m Model) checkTogether(errs *strictyaml.Errors) {
	ok := true
	for _, task := range m.Kind.Tasks {
		params, lines := m.SearchFor(task), map[string]int{}
		for _, p := range params {
			if line, twice := lines[p.Name()]; twice {
				ok = false
				errs.Add(p.at.Get("option").Errorf("%s of the task %q is searched on line %d already", p.Name(), task, line))
			}
			lines[p.Name()] = p.at.Line()
		}
		for _, p := range params {
			other := Parameter{Option: p.Option, Part: ListLength}
			if p.Part == ListLength {
				other.Part = ListItem
			}
			if lines[other.Name()] == 0 && p.Part != "" {
				ok = false
				errs.Add(p.at.Errorf("a list is searched as a whole; part: %s is missing", other.Part))
			}
		}
		if ok {
			m.tryEnds(task, params, errs)
		}
	}
}

// tryEnds resolves options with all values at their lower, and at their upper ends.
func (m Model) tryEnds(task protocol.Task, params []Parameter, errs *strictyaml.Errors) {
	low, high := map[string]any{}, map[string]any{}
	for _, p := range params {
		low[p.Name()], high[p.Name()] = p.Low, p.High
		if n := len(p.Choices); n > 0 {
			low[p.Name()], high[p.Name()] = p.Choices[0], p.Choices[n-1]
		}
	}
	for i, values := range []map[string]any{low, high} {
		if _, err := m.ResolveSearched(Place{Task: task}, values, ""); err != nil {
			errs.Add(m.search[0].at.Errorf("the model rejects the %s ends of the ranges for %s: %v", []string{"lower", "upper"}[i], task, err))
		}
	}
}
