package regression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"dgsbench/results/record"
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
	before, errBefore := record.Leaves(old)
	after, errAfter := record.Leaves(now)
	if errBefore != nil || errAfter != nil { // not JSON: compared as it is
		before, after = map[string]string{"": string(old)}, map[string]string{"": string(now)}
	}
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
