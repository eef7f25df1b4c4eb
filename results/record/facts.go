package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// ParameterPart is a named part of a model's learned parameters.
type ParameterPart struct {
	Part  string `json:"part"`
	Count int    `json:"count"`
	// Head marks the classifier on top of what is embedded.
	Head bool `json:"head,omitempty"`
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
	// Parts are training, validation and test.
	Parts []DataPart `json:"parts"`
}

// mostEvents fit a stream, whose nodes and events are int32.
const mostEvents = 1 << 30

// events is how many events the trial's stream has at most.
func (r Record) events() int {
	if r.Data == nil {
		return mostEvents
	}
	return min(r.Data.Events, mostEvents)
}

// DataPart counts what is in a part.
type DataPart struct {
	Events    int `json:"events"`
	Positives int `json:"positives"`
}

// HeadAndRest are the learned parameters of the head and of what lies below
// it. ok is false where the record does not tell.
func (r Record) HeadAndRest() (head, rest int, ok bool) {
	for _, p := range r.Parameters {
		if p.Head {
			head += p.Count
		} else {
			rest += p.Count
		}
	}
	return head, rest, len(r.Parameters) > 0
}

// Origin says where an option of the spec was set.
type Origin struct {
	Origin string // default, model, suite ...
	File   string
	Line   int
	Record string // of the search that chose the value, if one did
}

// OptionOrigins are the origins of the options by their dotted paths.
func (r Record) OptionOrigins() (origins map[string]Origin, err error) {
	if len(r.Origins) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(r.Origins, &origins); err != nil {
		return nil, fmt.Errorf("origins of %s: %w", r.Key, err)
	}
	return origins, nil
}

// Searches are the records of the searches by which options of the trial were
// chosen, as its spec names them, each once; none where nothing is tuned.
func (r Record) Searches() ([]string, error) {
	origins, err := r.OptionOrigins()
	var out []string
	for _, o := range origins {
		if o.Record != "" {
			out = append(out, o.Record)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), err
}

// Leaves returns the values of a JSON object by their dotted paths, without
// blanks. Lists and empty objects are values.
func Leaves(spec json.RawMessage) (map[string]string, error) {
	out := map[string]string{}
	var add func(path string, value json.RawMessage) error
	add = func(path string, value json.RawMessage) error {
		var object map[string]json.RawMessage
		if json.Unmarshal(value, &object) != nil || len(object) == 0 {
			var text bytes.Buffer
			err := json.Compact(&text, value)
			out[path] = text.String()
			return err
		}
		if path != "" {
			path += "."
		}
		for key, inner := range object {
			if err := add(path+key, inner); err != nil {
				return err
			}
		}
		return nil
	}
	return out, add("", spec)
}
