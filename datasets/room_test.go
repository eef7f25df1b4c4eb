package datasets

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"dgsbench/protocol"
)

// roomy is a stream that is large enough to be measured.
func roomy() Stream {
	const events, nodes, features = 60_000, 20_000, 8
	rng := rand.New(rand.NewPCG(1, 1))
	s := NewStream(events, features)
	s.NumNodes = nodes
	for k := range events {
		s.Src[k], s.Dst[k], s.Time[k] = rng.Int32N(nodes), rng.Int32N(nodes), float64(k)
	}
	return s
}

// TestBytesAreWhatIsAllocated: what is said before anything is made is what
// it takes of the heap, within the factors of each kind.
func TestBytesAreWhatIsAllocated(t *testing.T) {
	s := roomy()
	l := &Loaded{Stream: s, Split: ByRow(.6, .8).Split(s), Dataset: Dataset{Name: "roomy", HeldOut: SampleHeldOut(1)}}
	var csv strings.Builder
	csv.WriteString("a,b,t,w,x,y,z\n")
	for k := range s.Len() {
		fmt.Fprintf(&csv, "%d,%d,%d,1,2,3,4\n", s.Src[k], s.Dst[k], k/2*2-k%2) // not in order
	}
	layout := Layout{Src: "a", Dst: "b", Time: "t", Features: []string{"w", "x", "y", "z"}, Sort: true}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	plain, err := newDeriver(GapsAndCounts(), make([]string, s.NumFeat))
	must(err)
	weekly, err := newDeriver([]Derived{Velocity()}, make([]string, s.NumFeat))
	must(err)
	for name, c := range map[string]struct {
		said      int64
		low, high float64 // allocated, as a share of what was said
		do        func()
	}{
		// Twice the columns, for sorting; beside them the names of the nodes and a block a worker.
		"reading": {2*Bytes(s.Len(), 4) + 12*int64(s.Len()), .9, 1.7, func() {
			r := strings.NewReader(csv.String())
			_, err := read(r, "roomy.csv", r.Size(), layout, 1, blockSize)
			must(err)
		}},
		"deriving": {plain.bytes(s), .9, 1.1, func() {
			_, err := plain.fit(s, s.Slice(0, 100), nil)
			must(err)
		}},
		// What a list was before it has grown counts as allocated, too.
		"deriving of a week": {weekly.bytes(s), .5, 2, func() {
			_, err := weekly.fit(s, s.Slice(0, 100), nil)
			must(err)
		}},
		"inductive": {inductiveBytes(s, l.Split.TrainEnd), .5, 1.3, func() {
			_, err := l.Parts(Cut{Setting: protocol.Inductive})
			must(err)
		}},
		"describing": {describedBytes(s), .6, 2, func() {
			_, err := l.Describe()
			must(err)
		}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		c.do()
		runtime.ReadMemStats(&after)
		if share := float64(after.TotalAlloc-before.TotalAlloc) / float64(c.said); share < c.low || share > c.high {
			t.Errorf("%s: %d bytes allocated, %.2f of the %d said before; expected %v to %v of them", name, after.TotalAlloc-before.TotalAlloc, share, c.said, c.low, c.high)
		}
	}
}

// TestWhatHasNoRoom is refused with the numbers before it is made, whatever
// makes it.
func TestWhatHasNoRoom(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	const many = MaxEvents - 1 // of which only lengths are asked
	huge := Stream{Src: make([]int32, 0), NumNodes: 1 << 50}
	_, err := derive(huge, huge, []Derived{Gap(Source)}, nil)
	want(t, err, "derived features: needs ")
	file := &source{name: "events.csv", size: 1 << 60}
	err = (&schema{file: file, roles: make([]role, 4), numFeat: maxColumns}).newColumns([]block{{rows: many}})
	want(t, err, "events.csv with 1073741822 events: needs ")
	d := Dataset{Name: "huge", Want: Counts{Events: many, Features: 1000}, Open: func(string) (Stream, string, error) {
		t.Error("it was opened")
		return Stream{}, "", nil
	}}
	_, err = d.Load("")
	want(t, err, "dataset huge: needs 4313.2 GB of memory, ")
	m := merger{schema: &schema{file: file}, nodeNames: newNodeNames(false), checked: -1}
	m.nodes.offsets = make([]int, 0, 1<<16)
	if err := m.checkMemory(); err != nil || m.checked < 2*8<<16 {
		t.Errorf("names: %v, room for %d bytes of them checked", err, m.checked)
	}
}

func want(t *testing.T, err error, start string) {
	t.Helper()
	if err == nil || !strings.HasPrefix(err.Error(), start) || !strings.Contains(err.Error(), " are free") {
		t.Errorf("%v, expected %q and what is free", err, start)
	}
}
