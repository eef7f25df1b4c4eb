package scale

import (
	"encoding/json"
	"io"
	"strconv"

	"dgsbench/internal/escape"
	"dgsbench/internal/optional"
	"dgsbench/protocol"
)

// Report is what came out of a plan.
type Report struct {
	Model string        `json:"model"` // id, or id+variant
	Title string        `json:"title"`
	Task  protocol.Task `json:"task"`
	Mode  Mode          `json:"mode"`
	// Candidates are what events are ranked against; "" where none are.
	Candidates protocol.CandidateSet `json:"candidates,omitempty"`

	Base    Size    `json:"base"` // where an axis says nothing else
	Seed    uint64  `json:"seed"`
	Device  string  `json:"device"`
	Threads int     `json:"threads"`
	Machine string  `json:"machine"`
	Code    string  `json:"code"`
	Command string  `json:"command"`
	Points  []Point `json:"points"`
}

// Point is one measurement.
type Point struct {
	Axis  string `json:"axis"`
	Value string `json:"value"`
	Size
	Met    int `json:"nodes_met"` // nodes with an event
	Params int `json:"params"`

	// Time of the model alone, microseconds an event: the median over chunks
	// of the stream, and quartiles.
	Micros optional.Number `json:"us_per_event"`
	Low    optional.Number `json:"us_low"`
	High   optional.Number `json:"us_high"`
	// Drift is the median of the second half of the chunks by that of the
	// first; absent for less than 10 chunks.
	Drift optional.Number `json:"drift"`

	Allocs optional.Number `json:"allocs_per_batch"` // objects on the heap, after the stream
	// Megabytes (1e6 bytes): what the model keeps on the heap, and the most
	// that the process held in memory; absent where the system does not say.
	Held optional.Number `json:"held_mb"`
	Peak optional.Number `json:"peak_mb"`
	// OnCard is the most that the model took of the card at once; absent on the
	// processor.
	OnCard optional.Number `json:"card_mb"`
	Error  string          `json:"error,omitempty"`
}

// Failed reports whether the model failed at the point.
func (p Point) Failed() bool { return p.Error != "" }

// Failed counts the points at which the model failed.
func (r Report) Failed() (n int) {
	for _, p := range r.Points {
		if p.Failed() {
			n++
		}
	}
	return n
}

// WriteJSON writes the report with all that it knows.
func (r Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

var csvHeader = []string{
	"model", "task", "mode", "device", "axis", "value", "events", "nodes", "features", "batch", "nodes_met", "params",
	"us_per_event", "us_low", "us_high", "drift", "allocs_per_batch", "held_mb", "peak_mb", "card_mb", "error",
}

// WriteCSV writes a line a point, under the names of the JSON. Absent numbers
// are empty.
func (r Report) WriteCSV(w io.Writer) error {
	out := escape.NewCSVWriter(w)
	out.Write(csvHeader) // errors stay until Flush
	for _, p := range r.Points {
		line := []string{r.Model, string(r.Task), string(r.Mode), r.Device, p.Axis, p.Value}
		for _, n := range []int{p.Events, p.Nodes, p.Features, p.Batch, p.Met, p.Params} {
			line = append(line, strconv.Itoa(n))
		}
		for _, n := range []optional.Number{p.Micros, p.Low, p.High, p.Drift, p.Allocs, p.Held, p.Peak, p.OnCard} {
			line = append(line, number(n))
		}
		out.Write(append(line, p.Error))
	}
	out.Flush()
	return out.Error()
}

// number has six significant digits, more than a time is worth.
func number(n optional.Number) string {
	if !n.Present() {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'g', 6, 64)
}
