package regression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// withoutSeed is the specification that the seeds of a cell share, in one
// fixed form. What is not a JSON object stays as it is.
func withoutSeed(spec json.RawMessage) json.RawMessage {
	var values map[string]json.RawMessage
	if json.Unmarshal(spec, &values) != nil {
		return spec
	}
	delete(values, "seed")
	out, err := json.Marshal(values) // sorts the keys
	if err != nil {
		panic(fmt.Sprintf("regression: %v", err)) // it was JSON a moment ago
	}
	return out
}

// specChanges lists what differs, as in "options.head.lr: 0.001, now 0.01".
func specChanges(old, now json.RawMessage) []string {
	before, after := leaves(old), leaves(now)
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	var out []string
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		was, had := before[path]
		is, has := after[path]
		switch {
		case !had:
			out = append(out, fmt.Sprintf("%s: new, %s", path, is))
		case !has:
			out = append(out, fmt.Sprintf("%s: %s, now gone", path, was))
		case was != is:
			out = append(out, fmt.Sprintf("%s: %s, now %s", path, was, is))
		}
	}
	return out
}

// leaves are the values of nested objects by their dotted paths, as JSON.
func leaves(spec json.RawMessage) map[string]string {
	out := map[string]string{}
	var add func(path []string, value json.RawMessage)
	add = func(path []string, value json.RawMessage) {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil || len(object) == 0 {
			out[strings.Join(path, ".")] = compact(value)
			return
		}
		for key, inner := range object {
			add(append(slices.Clone(path), key), inner)
		}
	}
	add(nil, spec)
	return out
}

// compact is JSON without the blanks that a file's layout has put in.
func compact(value json.RawMessage) string {
	var any any
	if json.Unmarshal(value, &any) != nil {
		return string(value)
	}
	out, err := json.Marshal(any)
	if err != nil {
		panic(fmt.Sprintf("regression: %v", err))
	}
	return string(out)
}
