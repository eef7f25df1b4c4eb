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

const (
	// Linear draws every number with the same density.
	Linear Scale = "linear"
	// Log draws logarithms with the same density.
	Log Scale = "log"
	// Whole draws whole numbers with the same probability.
	Whole Scale = "int"
)

// ListPart is the part of a list that is searched: all of its items are equal.
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

// parameterYAML is an entry of a `search:` block.
type parameterYAML struct {
	Option  string          `yaml:"option"`
	Part    ListPart        `yaml:"part" words:"length item"`
	Title   string          `yaml:"title"`
	Low     *float64        `yaml:"low"`
	High    *float64        `yaml:"high"`
	Scale   strictyaml.Node `yaml:"scale"`
	Step    *int            `yaml:"step"`
	Choices strictyaml.Node `yaml:"choices"`
	Tasks   []protocol.Task `yaml:"tasks" words:"nc lp" list:"some distinct"`
	Source  Origin          `yaml:"source" words:"paper default"`
	Note    string          `yaml:"note"`
	Default string          `yaml:"default" words:"outside"` // the default is not in the range, on purpose
}

// readSearch reads what is searched, each entry by itself and then all of
// them together.
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
		m.checkTogether(entries, errs)
	}
	return m.search
}

// readParameter reads one entry, defaults being the model's own options.
func (m Model) readParameter(n strictyaml.Node, defaults map[string]strictyaml.Node) (Parameter, error) {
	var y parameterYAML
	var errs strictyaml.Errors
	errs.Add(n.Decode(&y))
	require(n, &errs, "option", "title", "source")
	checkTitle(n.Get("title"), &errs)
	p := Parameter{
		Option: y.Option, Part: y.Part, Title: y.Title, Tasks: y.Tasks, Source: y.Source, Note: y.Note, File: n.File(), Line: n.Line(),
	}
	if !n.Get("tasks").Present() {
		p.Tasks = m.Kind.Tasks
	}
	for _, t := range p.Tasks {
		if !m.Kind.Supports(t) {
			errs.Add(n.Get("tasks").Errorf("model %q cannot do the task %q; it can do: %s", m.ID, t, m.tasks()))
		}
	}
	def, known := defaults[y.Option]
	switch {
	case !n.Get("option").Present():
	case !known:
		hint := suggest.Hint(y.Option, slices.Sorted(maps.Keys(defaults)))
		errs.Add(n.Get("option").Errorf("model %q has no option %q%s", m.ID, y.Option, hint))
	case y.Choices.Present():
		p.readChoices(n, y, &errs)
	default:
		p.readEnds(n, y, &errs)
	}
	if !errs.Any() {
		errs.Add(p.checkDefault(n, def, y.Default != ""))
	}
	return p, errs.Err()
}

func (p *Parameter) readChoices(n strictyaml.Node, y parameterYAML, errs *strictyaml.Errors) {
	for _, key := range []string{"low", "high", "scale", "step", "part"} {
		if at := n.Get(key); at.Present() {
			errs.Add(at.Errorf("choices have no %s; leave one of the two out", key))
		}
	}
	if len(y.Choices.Items()) == 0 {
		errs.Add(y.Choices.Errorf("expected a list with at least one value"))
	}
	seen := map[any]bool{}
	for _, item := range y.Choices.Items() {
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

func (p *Parameter) readEnds(n strictyaml.Node, y parameterYAML, errs *strictyaml.Errors) {
	require(n, errs, "low", "high", "scale")
	p.Scale = strictyaml.Word(y.Scale, errs, Linear, Log, Whole)
	if y.Low == nil || y.High == nil || p.Scale == "" {
		return
	}
	p.Low, p.High = *y.Low, *y.High
	if p.Low >= p.High {
		errs.Add(n.Get("high").Errorf("expected more than low, which is %g, found %g", p.Low, p.High))
	}
	if p.Scale == Log && p.Low <= 0 {
		errs.Add(n.Get("low").Errorf("expected more than 0 with scale: log, found %g", p.Low))
	}
	if p.Scale == Whole {
		p.Step = 1
		if p.Low != math.Trunc(p.Low) || p.High != math.Trunc(p.High) {
			errs.Add(n.Get("low").Errorf("expected whole numbers with scale: int, found %g and %g", p.Low, p.High))
		}
	}
	if y.Step == nil {
		return
	}
	p.Step = *y.Step
	if p.Scale != Whole || p.Step < 1 || int(p.High-p.Low)%p.Step != 0 {
		errs.Add(n.Get("step").Errorf("expected, with scale: int, a whole number that divides high - low, found %d", p.Step))
	}
}

// checkDefault compares the model's own value with the range, which holds it
// unless the spec says that it is outside.
func (p Parameter) checkDefault(n, def strictyaml.Node, outside bool) error {
	values := def.Items()
	if isList := values != nil; isList != (p.Part != "") {
		return n.Errorf("part is for lists: %s or %s of one, nothing for other options", ListLength, ListItem)
	} else if !isList {
		values = []strictyaml.Node{def}
	}
	inside := true
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
		return n.Errorf("the model's own value %v is not in the range %s; widen the range, or say default: outside", found, p.Range())
	case inside && outside:
		return n.Get("default").Errorf("the model's own value %v is in the range %s; leave the key out", found, p.Range())
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
func (m Model) checkTogether(entries []strictyaml.Node, errs *strictyaml.Errors) {
	ok := true
	for _, task := range m.Kind.Tasks {
		lines := map[string]int{}
		for i, p := range m.search {
			if !slices.Contains(p.Tasks, task) {
				continue
			}
			if line, twice := lines[p.Name()]; twice {
				ok = false
				errs.Add(entries[i].Get("option").Errorf("%s of the task %q is searched on line %d already", p.Name(), task, line))
			}
			lines[p.Name()] = p.Line
		}
		for i, p := range m.search {
			other := Parameter{Option: p.Option, Part: ListLength}
			if p.Part == ListLength {
				other.Part = ListItem
			}
			if _, found := lines[other.Name()]; p.Part != "" && slices.Contains(p.Tasks, task) && !found {
				ok = false
				errs.Add(entries[i].Errorf("a list is searched as a whole; part: %s is missing", other.Part))
			}
		}
		if ok {
			m.checkEnds(entries, task, errs)
		}
	}
}

// checkEnds resolves the options with all values at their lower ends, and with
// all at their upper ends.
func (m Model) checkEnds(entries []strictyaml.Node, task protocol.Task, errs *strictyaml.Errors) {
	low, high := map[string]any{}, map[string]any{}
	for _, p := range m.SearchFor(task) {
		low[p.Name()], high[p.Name()] = p.Low, p.High
		if n := len(p.Choices); n > 0 {
			low[p.Name()], high[p.Name()] = p.Choices[0], p.Choices[n-1]
		}
	}
	for i, values := range []map[string]any{low, high} {
		if _, err := m.ResolveSearched(Place{Task: task}, values, ""); err != nil {
			errs.Add(entries[0].Errorf("the model rejects the %s ends of the ranges for %s: %v", []string{"lower", "upper"}[i], task, err))
		}
	}
}
