package datasets

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// drawStream draws a stream whose nodes are numbered in the order in which
// they appear, as those of every file are, and the nodes' names.
func drawStream(t *rapid.T, bipartite bool) (s Stream, nodeNames []string) {
	n := rapid.IntRange(1, 40).Draw(t, "events")
	s = Stream{NumFeat: rapid.IntRange(0, 4).Draw(t, "features")}
	sources, destinations := newNames(), newNames()
	if !bipartite {
		destinations = sources
	}
	name := rapid.StringMatching(`[a-z0-9.," ]{0,3}[a-z0-9]`)
	feature := rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)
	now := 0.0
	for range n {
		s.Src = append(s.Src, sources.intern([]byte(name.Draw(t, "src"))))
		s.Dst = append(s.Dst, destinations.intern([]byte(name.Draw(t, "dst"))))
		s.Time = append(s.Time, now)
		now += rapid.Float64Range(0, 1e6).Draw(t, "gap") * float64(rapid.IntRange(0, 1).Draw(t, "later"))
		s.Label = append(s.Label, int8(rapid.IntRange(-1, 1).Draw(t, "label")))
		for range s.NumFeat {
			s.Feat = append(s.Feat, feature.Draw(t, "feature"))
		}
	}
	s.NumNodes = sources.len()
	nodeNames = allNames(sources)
	if bipartite {
		s.Users = sources.len()
		s.NumNodes += destinations.len()
		nodeNames = append(nodeNames, allNames(destinations)...)
		for k := range s.Dst {
			s.Dst[k] += int32(s.Users)
		}
	}
	return s, nodeNames
}

// csvText writes a stream, with its columns in the given order: features
// first, then src, dst, time, label.
func csvText(s Stream, nodeNames []string, order []int) (string, Layout) {
	layout := Layout{Src: "src", Dst: "dst", Time: "time", Label: "label", Bipartite: s.Bipartite()}
	var columns []string
	for i := range s.NumFeat {
		layout.Features = append(layout.Features, "f"+strconv.Itoa(i))
	}
	columns = append(columns, layout.Features...)
	columns = append(columns, layout.Src, layout.Dst, layout.Time, layout.Label)
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	write := func(fields []string) {
		line := make([]string, len(order))
		for i, c := range order {
			line[i] = fields[c]
		}
		w.Write(line)
	}
	write(columns)
	for k := range s.Len() {
		var fields []string
		for _, x := range s.Features(k) {
			fields = append(fields, strconv.FormatFloat(float64(x), 'g', -1, 32))
		}
		write(append(fields, nodeNames[s.Src[k]], nodeNames[s.Dst[k]],
			strconv.FormatFloat(s.Time[k], 'g', -1, 64), strconv.Itoa(int(s.Label[k]))))
	}
	w.Flush()
	return buf.String(), layout
}

// A stream that is written and read back is the same, however the file is
// cut and parsed (readText compares the ways).
func TestReadReturnsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, nodeNames := drawStream(t, rapid.Bool().Draw(t, "bipartite"))
		order := make([]int, want.NumFeat+4)
		for i := range order {
			order[i] = i
		}
		text, layout := csvText(want, nodeNames, rapid.Permutation(order).Draw(t, "order"))
		got, err := readText(t, text, layout)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := diffStreams(want, got); diff != "" {
			t.Fatalf("%s\nfrom\n%s", diff, text)
		}
	})
}

// allNames are the texts in order.
func allNames(n *names) []string {
	var out []string
	for id := range n.len() {
		out = append(out, string(n.get(int32(id))))
	}
	return out
}

// TestNames: numbers are those of a map, whatever the texts, and reset
// forgets them.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := newNames()
		for range 2 {
			known := map[string]int32{}
			for _, text := range rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab")), 0, 9, -1), 0, 300).Draw(t, "texts") {
				want, ok := known[text]
				if !ok {
					want = int32(len(known))
					known[text] = want
				}
				if got := n.intern([]byte(text)); got != want {
					t.Fatalf("%q has number %d, want %d", text, got, want)
				}
				if got := string(n.get(want)); got != text {
					t.Fatalf("number %d is %q, want %q", want, got, text)
				}
			}
			if n.len() != len(known) {
				t.Fatalf("%d texts, want %d", n.len(), len(known))
			}
			n.reset()
		}
	})
}
