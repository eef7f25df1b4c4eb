package serve

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dgsbench/models"

	"pgregory.net/rapid"
)

// plainNumbers are numbers by their definition: lists that are searched.
type plainNumbers struct {
	models.Nodes
	most     int
	evicting bool
}

type end struct {
	name string
	side int8
}

func (p *plainNumbers) copy() *plainNumbers {
	c := *p
	c.Names, c.Sides, c.Seen = slices.Clone(p.Names), slices.Clone(p.Sides), slices.Clone(p.Seen)
	return &c
}

// find returns the number of a node, or -1.
func (p *plainNumbers) find(e end) int {
	for n, name := range p.Names {
		if name == e.name && (p.Sides == nil || p.Sides[n] == e.side) {
			return n
		}
	}
	return -1
}

// number returns the number of an end of a batch, or -1 if there is none.
func (p *plainNumbers) number(e end, batch []end) int {
	if n := p.find(e); n >= 0 {
		return n
	}
	n := slices.Index(p.Names, "")
	if n < 0 && len(p.Names) < p.most {
		n = len(p.Names)
		p.Names, p.Seen = append(p.Names, ""), append(p.Seen, -1)
		if p.Sides != nil {
			p.Sides = append(p.Sides, 0)
		}
	}
	if n < 0 && p.evicting {
		for m := range p.Names { // the smallest one of those whose last event is the longest ago
			ofBatch := slices.ContainsFunc(batch, func(e end) bool { return p.find(e) == m })
			if !ofBatch && (n < 0 || p.Seen[m] < p.Seen[n]) {
				n = m
			}
		}
	}
	if n < 0 {
		return -1
	}
	p.Names[n], p.Seen[n] = e.name, -1
	if p.Sides != nil {
		p.Sides[n] = e.side
	}
	return n
}

// TestNumbers are those of the definition, whatever is refused or saved meanwhile.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "h"})
		p := &plainNumbers{most: rapid.IntRange(1, 7).Draw(t, "most"), evicting: rapid.Bool().Draw(t, "evict")}
		if rapid.Bool().Draw(t, "sides") {
			p.Sides = []int8{}
		}
		for n := range rapid.IntRange(0, p.most).Draw(t, "known") {
			name := fmt.Sprint("known ", n)
			if rapid.IntRange(0, 3).Draw(t, "free") == 0 {
				name = ""
			}
			p.Names, p.Seen = append(p.Names, name), append(p.Seen, rapid.Int64Range(-1, 3).Draw(t, "seen"))
			if p.Sides != nil {
				p.Sides = append(p.Sides, int8(n%2))
			}
		}
		var forgotten []int32
		forget := func(n int32) error { forgotten = append(forgotten, n); return nil }
		open := func() *numbers {
			c := p.copy()
			numbers, err := newNumbers(c.Nodes, p.most, p.evicting, forget)
			if err != nil {
				t.Fatal(err)
			}
			return numbers
		}
		got := open()
		event := int64(4)
		for range rapid.IntRange(1, 12).Draw(t, "batches") {
			var batch []end
			for range rapid.IntRange(1, 3).Draw(t, "events") {
				batch = append(batch, end{names.Draw(t, "src"), 0}, end{names.Draw(t, "dst"), 1})
			}
			after := p.copy()
			var want, are []int32
			refused := rapid.IntRange(0, 4).Draw(t, "refused") == 0
			forgotten = nil
			got.begin()
			for _, e := range batch {
				got.has(e.name, e.side)
			}
			for _, e := range batch {
				n, err := got.of(e.name, e.side)
				is := after.number(e, batch)
				if (err != nil) != (is < 0) {
					t.Fatalf("%v, expected number %d", err, is)
				}
				if err != nil {
					refused = true
					break
				}
				want, are = append(want, int32(is)), append(are, n)
			}
			if !slices.Equal(want, are) {
				t.Fatalf("%v has numbers %d, expected %d", batch, are, want)
			}
			if !slices.Equal(got.evicted(), forgotten) {
				t.Fatalf("evicted %d, forgotten %d", got.evicted(), forgotten)
			}
			if refused {
				got.undo()
			} else {
				p = after
				for k := 0; k < len(are); k += 2 {
					got.met(are[k], are[k+1], event)
					p.Seen[are[k]], p.Seen[are[k+1]] = event, event
					event++
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "reset") == 0 {
				got.reset()
				for n := range p.Seen {
					p.Seen[n] = -1
				}
			}
			check(t, got, p)
			if rapid.IntRange(0, 3).Draw(t, "saved") == 0 {
				got = open()
				check(t, got, p)
			}
		}
	})
}

// check compares numbers with the plain ones, and what they have by name and in order.
func check(t *rapid.T, got *numbers, p *plainNumbers) {
	if !slices.Equal(got.Names, p.Names) || !slices.Equal(got.Seen, p.Seen) || !slices.Equal(got.Sides, p.Sides) {
		t.Fatalf("nodes %v, expected %v", got.Nodes, p.Nodes)
	}
	var free, known []int32
	for n, name := range p.Names {
		if name == "" {
			free = append(free, int32(n))
		} else if known = append(known, int32(n)); got.names(got.side(int32(n)))[name] != int32(n) {
			t.Fatalf("%q has number %d, expected %d", name, got.names(got.side(int32(n)))[name], n)
		}
	}
	slices.Reverse(free)
	if !slices.Equal(got.free, free) || len(got.byName[0])+len(got.byName[1]) != len(known) {
		t.Fatalf("%d are free, and %v; expected %d", got.free, got.byName, free)
	}
	if !p.evicting {
		return
	}
	slices.SortStableFunc(known, func(a, b int32) int { return cmp.Compare(p.Seen[a], p.Seen[b]) })
	var order []int32
	for n := got.next[p.most]; int(n) < p.most && len(order) <= p.most; n = got.next[n] {
		order = append(order, n)
		if got.prev[got.next[n]] != n {
			t.Fatalf("%d is behind %d, but not the other way round", got.next[n], n)
		}
	}
	if !slices.Equal(order, known) {
		t.Fatalf("order %d, expected %d", order, known)
	}
}

// TestOneNameTwice is an error on one side.
func TestOneNameTwice(t *testing.T) {
	of := models.Nodes{Names: []string{"a", "b", "a"}, Seen: make([]int64, 3)}
	if _, err := newNumbers(of, 5, false, nil); err == nil || !strings.Contains(err.Error(), `two nodes with the name "a"`) {
		t.Error(err)
	}
	of.Sides = []int8{0, 1, 1}
	if _, err := newNumbers(of, 5, true, nil); err != nil {
		t.Error(err)
	}
}

// TestEvictedNodes: scores with a bound on the nodes are those without, where a node that
// comes again after its number went to another is a new one, bit for bit. Save and Open
// do not change what is evicted.
func TestEvictedNodes(t *testing.T) {
	d := newImported(t, true)
	met, p := d.Split.ValEnd, d.parts(t, false, 0)
	for _, c := range classifiers[:4] {
		path := d.checkpoint(t, c, p, met)
		for _, size := range []int{1, 3} {
			o := Options{Batch: size, MaxNodes: d.Stream.NumNodes, Evict: true}
			evicting, all := open1(t, path, o), open1(t, path, Options{Batch: size})
			plain := &plainNumbers{Nodes: models.Nodes{Names: slices.Clone(evicting.in.numbers.Names), Sides: slices.Clone(evicting.in.numbers.Sides), Seen: slices.Clone(evicting.in.numbers.Seen)}, most: o.MaxNodes, evicting: true}
			life := map[end]int{} // how often a node was forgotten
			evictions := 0
			for lo := met; lo+size <= len(d.records); lo += size {
				var records, renamed [][]string
				var batch []end
				for k, r := range d.records[lo : lo+size] {
					r := slices.Clone(r)
					if k := lo + k; k%4 == 1 {
						r[0] = fmt.Sprint("new ", k%14)
					}
					records, batch = append(records, r), append(batch, end{r[0], 0}, end{r[1], 1})
				}
				numbers := make([]int, 0, len(batch))
				for _, e := range batch {
					before := slices.Clone(plain.Names)
					sides := slices.Clone(plain.Sides)
					n := plain.number(e, batch)
					if n < len(before) && before[n] != "" && (before[n] != e.name || sides[n] != e.side) {
						life[end{before[n], sides[n]}]++
						evictions++
					}
					numbers = append(numbers, n)
				}
				for i, n := range numbers {
					plain.Seen[n] = int64(lo + i/2)
				}
				for k, r := range records {
					r := slices.Clone(r)
					for i := range 2 {
						if n := life[batch[2*k+i]]; n > 0 {
							r[i] = fmt.Sprint(r[i], ", life ", n)
						}
					}
					renamed = append(renamed, r)
				}
				got, want := make([]float64, size), make([]float64, size)
				if err := errors.Join(evicting.ScoreRecords(records, got), all.ScoreRecords(renamed, want)); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s, event %d: %v: %v, expected %v", c, lo, err, got, want)
				}
				if lo/size%9 == 0 {
					again, _ := save(t, evicting)
					evicting = open1(t, again, o)
				}
			}
			if evictions < 10 || len(evicting.in.numbers.Names) != o.MaxNodes {
				t.Errorf("%d evictions, %d nodes", evictions, len(evicting.in.numbers.Names))
			}
		}
	}
}

// TestNobodyIsEvicted from models in which states refer to others, nor while features of
// the last week do: a new node is refused then, and changes nothing.
func TestNobodyIsEvicted(t *testing.T) {
	d := newImported(t, false)
	met := d.Split.ValEnd
	for _, c := range []subject{{"tgn", `{"embedding": "attention"}`}, {"user-age", "{}"}} {
		if _, err := Open(d.checkpoint(t, c, d.parts(t, false, 0), met), Options{Evict: true}); err == nil || !strings.Contains(err.Error(), "serves without Evict") {
			t.Errorf("%s: %v", c, err)
		}
	}
	p := d.parts(t, true, 0)
	s := open1(t, d.checkpoint(t, classifiers[0], p, met), Options{MaxNodes: d.Stream.NumNodes, Evict: true})
	newcomer := slices.Clone(d.records[met])
	refused := 0
	for k := range 100 {
		newcomer[0] = fmt.Sprint("new ", k)
		_, before := save(t, s)
		err := s.ScoreRecords([][]string{newcomer}, make([]float64, 1))
		if err == nil {
			continue
		}
		refused++
		if problem, ok := errors.AsType[*RecordError](err); !ok || problem.Record != 0 || !strings.Contains(err.Error(), "has events in the last week") {
			t.Fatal(err)
		}
		if _, after := save(t, s); after != before {
			t.Fatal("it has changed the file")
		}
	}
	if refused == 0 {
		t.Error("everybody was evicted")
	}
}

// TestRoom: MaxMemory bounds the nodes, and what the checkpoint has needs room.
func TestRoom(t *testing.T) {
	d := newImported(t, false)
	met := d.Split.ValEnd
	path := d.checkpoint(t, classifiers[0], d.parts(t, false, 0), met)
	saved, err := models.ReadSaved(path)
	if err != nil {
		t.Fatal(err)
	}
	room := bytesOf(saved, saved.Nodes+3)
	if _, err := Open(path, Options{MaxMemory: bytesOf(saved, saved.Nodes) - 1}); err == nil || !strings.Contains(err.Error(), "(MaxNodes, MaxMemory)") {
		t.Error(err)
	}
	for _, o := range []Options{{MaxMemory: room}, {MaxNodes: saved.Nodes + 3}, {MaxMemory: room + 1, MaxNodes: 1 << 30}, {MaxMemory: room, Nodes: 1 << 30}} {
		s := open1(t, path, o)
		r := slices.Clone(d.records[met])
		for k := range 3 {
			r[0] = fmt.Sprint("new ", k)
			if err := s.ScoreRecords([][]string{r}, make([]float64, 1)); err != nil {
				t.Fatal(err)
			}
		}
		r[0] = "one more"
		if err := s.ScoreRecords([][]string{r}, make([]float64, 1)); err == nil || !strings.Contains(err.Error(), fmt.Sprint("no room for more than ", saved.Nodes+3)) {
			t.Errorf("%+v: %v", o, err)
		}
		if again, _ := save(t, s); open1(t, again, o).Events() != met+3 {
			t.Error("another number of events")
		}
	}
}

// TestForgetAll: after Forget the states are those of nodes without events, and the names
// keep their numbers.
func TestForgetAll(t *testing.T) {
	d := newImported(t, true)
	p := d.parts(t, true, 0)
	for _, c := range classifiers[:2] {
		s := open1(t, d.checkpoint(t, c, p, d.Split.ValEnd), Options{Backwards: true, Batch: 5, Evict: true})
		var first [2][]float64
		for i := range first {
			s.Forget()
			first[i] = make([]float64, 5)
			if err := s.ScoreRecords(d.records[10:15], first[i]); err != nil {
				t.Fatal(err)
			}
			if s.Events() != 5 || s.saved.Time != d.Stream.Time[14] {
				t.Errorf("%d events, the last at %v", s.Events(), s.saved.Time)
			}
		}
		if !slices.Equal(first[0], first[1]) {
			t.Errorf("%v, then %v", first[0], first[1])
		}
	}
}
