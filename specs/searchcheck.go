package specs

import (
	"slices"

	"dgsbench/internal/strictyaml"
	"dgsbench/protocol"
)

// checkDefault holds the model's own value against the range: whoever leaves
// it out says so.
func (p Parameter) checkDefault(n, def strictyaml.Node, outsideSaid bool) error {
	isList := def.Items() != nil
	if isList != (p.Part != "") {
		return n.Errorf("part is for lists: %s or %s of one, nothing for other options", ListLength, ListItem)
	}
	values := []strictyaml.Node{def}
	if isList {
		values = def.Items()
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
	case !inside && !outsideSaid:
		return n.Errorf("the model's own value %v is not in the range %s; widen the range, or say default: %s", found, p.Range(), outside)
	case inside && outsideSaid:
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

// together checks that no parameter is there twice in a task, that lists have
// both parts, and that the model takes the ends of all ranges.
func (r searchReader) together(entries []strictyaml.Node, params []Parameter) {
	sound := true
	for _, task := range r.model.Kind.Tasks {
		seen := map[string]int{}
		var here []Parameter
		for i, p := range params {
			if !slices.Contains(p.Tasks, task) {
				continue
			}
			if line, twice := seen[p.Name()]; twice {
				sound = false
				r.errs.Add(entries[i].Get("option").Errorf("%s of the task %q is searched on line %d already", p.Name(), task, line))
			}
			seen[p.Name()] = entries[i].Line()
			here = append(here, p)
		}
		for i, p := range params {
			other := Parameter{Option: p.Option, Part: ListLength}
			if p.Part == ListLength {
				other.Part = ListItem
			}
			if _, ok := seen[other.Name()]; p.Part != "" && slices.Contains(p.Tasks, task) && !ok {
				sound = false
				r.errs.Add(entries[i].Errorf("a list is searched as a whole; part: %s is missing", other.Part))
			}
		}
		if sound {
			r.tryEnds(entries, here, task)
		}
	}
}

// tryEnds builds the options with all values at their lower ends, and with
// all at their upper ends.
func (r searchReader) tryEnds(entries []strictyaml.Node, params []Parameter, task protocol.Task) {
	low, high := map[string]any{}, map[string]any{}
	for _, p := range params {
		low[p.Name()], high[p.Name()] = p.Low, p.High
		if n := len(p.Choices); n > 0 {
			low[p.Name()], high[p.Name()] = p.Choices[0], p.Choices[n-1]
		}
	}
	for _, end := range []struct {
		name   string
		values map[string]any
	}{{"lower", low}, {"upper", high}} {
		if _, err := r.model.ResolveSearched(Place{Task: task}, end.values, ""); err != nil {
			r.errs.Add(entries[0].Errorf("the model refuses the %s ends of the ranges for %s: %v", end.name, task, err))
		}
	}
}
