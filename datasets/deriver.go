package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// maxDerived is the largest number of columns of a Deriver.
const maxDerived = 1 << 20

// A Deriver computes the features of a model from those of the file, as events
// arrive: bit for bit those of Parts, if its windows are those of the Cut. It
// keeps what is known of the nodes, and the means and deviations of the train
// part. It is for one goroutine at a time.
type Deriver struct {
	features []Derived
	file     []string  // names of the features of the file
	widths   []int     // by feature: its columns
	scaled   []bool    // by column
	mean, sd []float64 // by column; 0 where it is not scaled
	past     bool      // the features depend on earlier events
	week     bool      // and on those of the last week
	history  *history
}

// newDeriver returns a Deriver without a history, means and deviations. The
// features of the file have the names in file.
func newDeriver(features []Derived, file []string) (*Deriver, error) {
	d := &Deriver{features: features, file: file}
	for _, f := range features {
		if f.needs > len(file) {
			return nil, fmt.Errorf("feature %d is declared, but the file has %d", f.needs, len(file))
		}
		n := len(f.names(file))
		if len(d.scaled)+n > maxDerived {
			return nil, fmt.Errorf("derived features with more than %d columns", maxDerived)
		}
		d.widths = append(d.widths, n)
		d.scaled = append(d.scaled, slices.Repeat([]bool{f.scaled}, n)...)
		d.past = d.past || f.past
		d.week = d.week || f.kind.Name == "velocity"
	}
	d.mean, d.sd = make([]float64, len(d.scaled)), make([]float64, len(d.scaled))
	d.history = d.newHistory()
	return d, nil
}

// fresh returns a Deriver of the same features without a history.
func (d *Deriver) fresh() *Deriver {
	out := *d
	out.history = d.newHistory()
	return &out
}

// Columns returns the names of the columns.
func (d *Deriver) Columns() (names []string) {
	for _, f := range d.features {
		names = append(names, f.names(d.file)...)
	}
	return names
}

// Moments returns the means and deviations of the columns in the train part: Append
// standardises x to (x - mean) / sd, in float64. A deviation of 0 stands for a column
// that was constant there, and becomes 0. They are 0 and 1 for a column that is not
// standardised.
func (d *Deriver) Moments() (mean, sd []float64) {
	sd = slices.Clone(d.sd)
	for c, scaled := range d.scaled {
		if !scaled {
			sd[c] = 1
		}
	}
	return slices.Clone(d.mean), sd
}

// File returns the names of the features that events come with.
func (d *Deriver) File() []string { return slices.Clone(d.file) }

// Append appends the rows of features of the events of a window to out. They
// depend on the events that were added, and not on others of the window. Nodes may
// be new. The times of a window do not decrease, nor are they before that of the
// last event. Append changes nothing that later features depend on.
func (d *Deriver) Append(out []float32, window Stream) ([]float32, error) {
	if err := d.check(window); err != nil {
		return out, err
	}
	d.history.grow(window.last() + 1)
	d.history.week.undo()
	n, width := len(out), len(d.scaled)
	out = slices.Grow(out, window.Len()*width)[:n+window.Len()*width]
	for k := range window.Len() {
		row := out[n+k*width:][:width]
		clear(row)
		if err := d.fill(window, k, d.history, row); err != nil {
			return out[:n], err
		}
		if err := d.scale(window, k, row); err != nil {
			return out[:n], err
		}
	}
	return out, nil
}

// Add adds the events of a window to what is known. If they cannot be added it
// returns an error and changes nothing.
func (d *Deriver) Add(window Stream) error {
	if err := d.check(window); err != nil || window.Len() == 0 || !d.past {
		return err
	}
	d.history.grow(window.last() + 1)
	d.history.add(window)
	return nil
}

// Forget makes a node one without events. It is an error that changes nothing if there
// are events of the last week that features depend on.
func (d *Deriver) Forget(node int32) error {
	h := d.history
	if int(node) >= len(h.last) {
		return nil
	}
	if h.week != nil {
		h.week.undo()
		for _, tallies := range h.week.tallies {
			if tallies[node] != [numWindows]*tally{} {
				return fmt.Errorf("node %d has events in the last week, which velocity counts", node)
			}
		}
	}
	h.note(node)
	h.last[node] = 0
	for side := range h.count {
		h.count[side][node] = 0
	}
	return nil
}

// Begin starts to keep what Add and Forget change, until End.
func (d *Deriver) Begin() {
	h := d.history
	h.keeping, h.began = true, h.now
	h.week.begin()
}

// End makes what Add and Forget have changed since Begin final, or takes it back.
func (d *Deriver) End(keep bool) {
	h := d.history
	if !keep {
		for _, c := range slices.Backward(h.changes) {
			h.last[c.node], h.count[Source][c.node], h.count[Destination][c.node] = c.last, c.count[Source], c.count[Destination]
		}
		h.now = h.began
	}
	h.keeping, h.changes = false, h.changes[:0]
	h.week.end(keep)
}

// check returns an error for a window that cannot follow the history.
func (d *Deriver) check(window Stream) error {
	if window.NumFeat != len(d.file) {
		return fmt.Errorf("events with %d features, expected %d", window.NumFeat, len(d.file))
	}
	now := d.history.now
	for k, t := range window.Time {
		switch {
		case window.Src[k] < 0 || window.Dst[k] < 0:
			return fmt.Errorf("event %d: nodes %d and %d, expected none below 0", window.EventID(k), window.Src[k], window.Dst[k])
		case math.IsNaN(t) || math.IsInf(t, 0):
			return fmt.Errorf("event %d: the time is %v, expected a finite one", window.EventID(k), t)
		case d.past && t < now:
			return fmt.Errorf("event %d: its time %s is before that of the last event, %s", window.EventID(k), number(t), number(now))
		case !finite(window.Features(k)):
			return fmt.Errorf("event %d: a feature is not finite", window.EventID(k))
		}
		now = t
	}
	return nil
}

// last returns the largest number of a node of the events, or -1.
func (s Stream) last() int {
	last := int32(-1)
	for k, u := range s.Src {
		last = max(last, u, s.Dst[k])
	}
	return int(last)
}

// fill writes the columns of event k, which are 0 before, without scaling them.
func (d *Deriver) fill(s Stream, k int, h *history, row []float32) error {
	for i, f := range d.features {
		f.fill(s, k, h, row[:d.widths[i]])
		if !finite(row[:d.widths[i]]) {
			return fmt.Errorf("event %d: %s is not finite", s.EventID(k), f)
		}
		row = row[d.widths[i]:]
	}
	return nil
}

// scale standardises the scaled columns of event k. A feature that is constant in
// the train part becomes 0.
func (d *Deriver) scale(s Stream, k int, row []float32) error {
	first := 0
	for i, f := range d.features {
		if f.scaled {
			columns := row[first:][:d.widths[i]]
			mean, sd := d.mean[first:][:len(columns)], d.sd[first:][:len(columns)]
			for c, x := range columns {
				if sd[c] == 0 {
					columns[c] = 0
				} else {
					columns[c] = float32((float64(x) - mean[c]) / sd[c])
				}
			}
			if !finite(columns) {
				return fmt.Errorf("event %d: %s: too far from the training part's for a float32", s.EventID(k), f)
			}
		}
		first += d.widths[i]
	}
	return nil
}

// history is what is known about the nodes before a window of events.
type history struct {
	last  []float64  // time of the last event, as source or destination
	count [2][]int32 // events as source, as destination
	now   float64    // time of the last event of all
	week  *week      // nil if no feature depends on it

	// Since Begin: what was known of nodes before each change, and the time.
	keeping bool
	changes []change
	began   float64
}

// change is what was known of a node before it.
type change struct {
	node  int32
	last  float64
	count [2]int32
}

// note keeps what is known of a node.
func (h *history) note(n int32) {
	if h.keeping {
		h.changes = append(h.changes, change{n, h.last[n], [2]int32{h.count[Source][n], h.count[Destination][n]}})
	}
}

// newHistory returns the history before the first event.
func (d *Deriver) newHistory() *history {
	h := &history{now: math.Inf(-1)}
	if d.week {
		h.week = newWeek(len(d.file))
	}
	return h
}

// grow makes room for that many nodes.
func (h *history) grow(nodes int) {
	if more := nodes - len(h.last); more > 0 {
		h.last = append(h.last, make([]float64, more)...)
		for side := range h.count {
			h.count[side] = append(h.count[side], make([]int32, more)...)
		}
		h.week.grow(nodes)
	}
}

// add adds the events of a window.
func (h *history) add(window Stream) {
	for k, u := range window.Src {
		v := window.Dst[k]
		h.note(u)
		h.note(v)
		h.last[u], h.last[v] = window.Time[k], window.Time[k]
		h.count[Source][u]++
		h.count[Destination][v]++
		h.now = window.Time[k]
	}
	h.week.add(window)
}

// description is the JSON of a Deriver: mean and deviation are those of the scaled
// columns.
type description struct {
	Features []kind    `json:"features"`
	File     []string  `json:"file"`
	Mean     []float64 `json:"mean"`
	SD       []float64 `json:"sd"`
}

// String returns the features with their means and deviations as JSON, for
// ParseDeriver. The history is none of it: see State.
func (d *Deriver) String() string {
	is := description{File: d.file, Features: []kind{}, Mean: []float64{}, SD: []float64{}}
	for _, f := range d.features {
		is.Features = append(is.Features, f.kind)
	}
	for c, scaled := range d.scaled {
		if scaled {
			is.Mean, is.SD = append(is.Mean, d.mean[c]), append(is.SD, d.sd[c])
		}
	}
	text, err := json.Marshal(is)
	if err != nil {
		panic(err) // means and deviations are finite
	}
	return string(text)
}

// ParseDeriver returns a Deriver without a history of what String returned. The
// text may be of anybody's making.
func ParseDeriver(text string) (*Deriver, error) {
	d, err := parseDeriver(text)
	if err != nil {
		return nil, fmt.Errorf("the description of features: %w", err)
	}
	return d, nil
}

func parseDeriver(text string) (*Deriver, error) {
	var is description
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&is); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	var features []Derived
	for _, k := range is.Features {
		f, err := k.derived()
		if err != nil {
			return nil, err
		}
		features = append(features, f)
	}
	d, err := newDeriver(features, is.File)
	if err != nil {
		return nil, err
	}
	n := 0
	for c, scaled := range d.scaled {
		if !scaled {
			continue
		}
		if n < min(len(is.Mean), len(is.SD)) {
			if d.mean[c], d.sd[c] = is.Mean[n], is.SD[n]; d.sd[c] < 0 {
				return nil, fmt.Errorf("a standard deviation of %v, expected none below 0", d.sd[c])
			}
		}
		n++
	}
	if len(is.Mean) != n || len(is.SD) != n {
		return nil, fmt.Errorf("%d means and %d standard deviations of %d scaled columns", len(is.Mean), len(is.SD), n)
	}
	return d, nil
}
